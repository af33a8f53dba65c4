/* template_stage - what a commit's template is built from, laid out in a directory that goes away */

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "beneath.h"
#include "cli.h"
#include "clock.h"
#include "fd.h"
#include "id.h"
#include "path.h"
#include "program.h"
#include "setting.h"
#include "stop.h"
#include "template_stage.h"
#include "unpack.h"

enum {
	GIT_MS = 60000,
	MAKE_MS = 1200000,
	OUTPUT_MOST = 16 << 20
};

/* What `make context` needs of a checkout, besides the recipe. */
#define DECLARED "Makefile", "cmd", "contrib/build-shell", "contrib/stage-context", "lib", "share/image"

static int
run(const char *const *argv, const char *cwd, int out, struct buf *output, const char *reason, int ms, struct fault *f)
{
	const char *home = setting_raw("HOME"), *temp = setting_raw("TMPDIR");
	auto_free char *home_word = home != NULL ? x_printf("HOME=%s", home) : NULL;
	auto_free char *temp_word = temp != NULL ? x_printf("TMPDIR=%s", temp) : NULL;
	const char *envp[4] = {"LC_ALL=C"};
	size_t n = 1;

	if (home_word != NULL)
		envp[n++] = home_word;
	if (temp_word != NULL)
		envp[n++] = temp_word;
	return program_run(&(struct program) {.argv = argv,
	                       .envp = envp,
	                       .cwd = cwd,
	                       .in = -1,
	                       .out = out,
	                       .most = OUTPUT_MOST,
	                       .deadline = clock_deadline(ms),
	                       .reason = reason,
	                       .subject = "the checkout"},
	    output, f);
}

/* git's answer to a question, without its newline. */
static int
ask_git(const char *const *argv, struct buf *answer, struct fault *f)
{
	if (run(argv, NULL, -1, answer, "git_failed", GIT_MS, f) == -1)
		return -1;
	if (answer->len > 0 && answer->data[answer->len - 1] == '\n')
		answer->data[--answer->len] = '\0';
	return 0;
}

static int
check_checkout(struct template_stage *t, struct fault *f)
{
	auto_buf struct buf top = {0}, changed = {0}, head = {0};
	auto_free char *here = realpath(".", NULL);

	if (ask_git((const char *const[]) {"git", "rev-parse", "--show-toplevel", NULL}, &top, f) == -1)
		return -1;
	if (here == NULL || strcmp(here, top.data) != 0)
		return fault_set(
		    f, STATUS_NO, "checkout_refused", "%s: is not the top of a checkout, which is %s", here, top.data);
	if (ask_git((const char *const[]) {"git", "status", "--porcelain", "--untracked-files=all", NULL}, &changed,
	        f) == -1)
		return -1;
	if (changed.len > 0)
		return fault_set(f, STATUS_NO, "checkout_refused", "%s: is not as it was committed: %.*s", here,
		    (int)strcspn(changed.data, "\n"), changed.data);
	if (ask_git((const char *const[]) {"git", "rev-parse", "--verify", "HEAD^{commit}", NULL}, &head, f) == -1)
		return -1;
	if (!id_is_hex(head.data, head.len) || head.len >= sizeof t->commit)
		return fault_set(f, STATUS_TROUBLE, "git_failed", "HEAD: git calls it '%.80s'", head.data);
	strcpy(t->commit, head.data);
	return 0;
}

/* A file of the commit, as `git ls-tree -r -l -z` tells of it (git-ls-tree(1), output format). */
struct listed {
	const char *mode, *path;
	long long size;
};

struct list {
	struct buf text; /* owned */
	struct listed *file;
	size_t count;
};

static void
list_free(struct list *l)
{
	buf_free(&l->text);
	free(l->file);
}

bool
template_is_plain(const char *path)
{
	for (const char *p = path; *p != '\0'; p++)
		if (!isprint((unsigned char)*p) || *p == '\\')
			return false;
	return beneath_name(path);
}

static int
add(struct list *l, char *line, struct fault *f)
{
	char *tab = strchr(line, '\t'), *size;

	if (tab == NULL || (*tab = '\0', size = strrchr(line, ' ')) == NULL)
		return fault_set(f, STATUS_TROUBLE, "git_failed", "git ls-tree: '%.80s' is no entry", line);
	if (strncmp(line, "100", 3) != 0)
		return fault_set(f, STATUS_NO, "context_refused", "%s: is %s, not a file", tab + 1,
		    strncmp(line, "120", 3) == 0 ? "a link" : "another repository");
	if (!template_is_plain(tab + 1))
		return fault_set(f, STATUS_NO, "context_refused", "%s: is no plain name", tab + 1);
	l->file = x_realloc(l->file, l->count + 1, sizeof *l->file);
	l->file[l->count++] = (struct listed) {line, tab + 1, strtoll(size, NULL, 10)};
	return 0;
}

/* Is there a file of that name, or below it? */
static bool
has(const struct list *l, const char *path)
{
	size_t len = strlen(path);

	for (size_t i = 0; i < l->count; i++)
		if (strncmp(l->file[i].path, path, len) == 0 &&
		    (l->file[i].path[len] == '\0' || l->file[i].path[len] == '/'))
			return true;
	return false;
}

/* All files that the archive will have. */
static int
list(struct list *l, const char *commit, const char *recipe, struct fault *f)
{
	const char *const argv[] = {"git", "ls-tree", "-r", "-l", "-z", "--full-tree", commit, DECLARED, recipe, NULL};
	static const char *const declared[] = {DECLARED};

	if (run(argv, NULL, -1, &l->text, "git_failed", GIT_MS, f) == -1)
		return -1;
	for (size_t at = 0, next; at < l->text.len; at = next) {
		next = at + strlen(l->text.data + at) + 1;
		if (add(l, l->text.data + at, f) == -1)
			return -1;
	}
	for (size_t i = 0; i < sizeof declared / sizeof *declared; i++)
		if (!has(l, declared[i]))
			return fault_set(
			    f, STATUS_NO, "context_refused", "%s: the commit has no such thing", declared[i]);
	if (!has(l, recipe))
		return fault_set(f, STATUS_NO, "dockerfile_untracked", "%s: the commit has no such file", recipe);
	return 0;
}

/* Attributes that are nobody's but this checkout's can leave files out of an archive, or change them. */
static int
check_unpacked(const struct list *l, int source, struct fault *f)
{
	for (size_t i = 0; i < l->count; i++) {
		const struct listed *file = &l->file[i];
		struct stat st;

		if (fstatat(source, file->path, &st, AT_SYMLINK_NOFOLLOW) == -1 || !S_ISREG(st.st_mode) ||
		    st.st_size != file->size)
			return fault_set(f, STATUS_NO, "context_refused",
			    "%s: git archive does not give what the commit has (see gitattributes(5))", file->path);
	}
	return 0;
}

/* The commit's files, in a new directory. */
static int
unpack(const struct list *l, const char *commit, const char *recipe, const char *place, struct fault *f)
{
	const char *const argv[] = {"git", "--literal-pathspecs", "-c", "core.autocrlf=false", "archive",
	    "--format=tar", commit, "--", DECLARED, recipe, NULL};
	auto_close int tar = fd_memory("archive"), source = -1;

	if (mkdir(place, 0700) == -1 || (source = open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) == -1)
		return fault_errno(f, STATUS_TROUBLE, "stage_failed", "%s", place);
	if (run(argv, NULL, tar, NULL, "git_failed", GIT_MS, f) == -1 ||
	    unpack_tar(tar, source, geteuid(), getegid(), f) == -1)
		return -1;
	return check_unpacked(l, source, f);
}

static int
copy_recipe(const char *source, const char *recipe, int context, struct fault *f)
{
	auto_free char *from = x_printf("%s/%s", source, recipe);
	auto_close int in = open(from, O_RDONLY | O_CLOEXEC), out = -1;
	auto_buf struct buf text = {0};

	out = openat(context, TEMPLATE_RECIPE, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (in == -1 || out == -1 || fd_read_all(in, &text, OUTPUT_MOST) == -1 ||
	    fd_write(out, text.data, text.len) == -1 || fchmod(out, 0644) == -1)
		return fault_errno(f, STATUS_TROUBLE, "stage_failed", "%s", recipe);
	return 0;
}

static int
make(struct template_stage *t, const char *source, struct fault *f)
{
	/* Relative: make takes a blank in a path for the end of it. */
	static const char *const argv[] = {"make", "-s", "BUILD=../build", "context", NULL};
	auto_buf struct buf said = {0};

	if (run(argv, source, -1, &said, "stage_failed", MAKE_MS, f) == -1)
		return -1;
	t->context = x_printf("%s/build/image/context", t->dir);
	t->fd = open(t->context, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return t->fd != -1 ? 0 : fault_errno(f, STATUS_TROUBLE, "stage_failed", "make context: image/context");
}

static int
stage(struct template_stage *t, const char *recipe, struct fault *f)
{
	__attribute__((cleanup(list_free))) struct list l = {0};
	auto_free char *source = NULL;

	if (check_checkout(t, f) == -1 || list(&l, t->commit, recipe, f) == -1)
		return -1;
	cli_warn("staging commit %s", t->commit);
	t->dir = x_printf("%s/sbx-template-XXXXXX", setting_text("TMPDIR", "/tmp"));
	if (mkdtemp(t->dir) == NULL) {
		fault_fill_errno(f, STATUS_TROUBLE, "stage_failed", "%s", t->dir);
		free(x_steal(t->dir));
		return -1;
	}
	source = x_printf("%s/source", t->dir);
	if (unpack(&l, t->commit, recipe, source, f) == -1 || make(t, source, f) == -1)
		return -1;
	return copy_recipe(source, recipe, t->fd, f);
}

int
template_stage_begin(struct template_stage *t, const char *recipe, struct fault *f)
{
	*t = (struct template_stage) {.fd = -1};
	return stage(t, recipe, f);
}

void
template_stage_end(struct template_stage *t)
{
	struct fault f = {0};

	stop_hold(true);
	if (t->fd != -1)
		close(t->fd);
	if (t->dir != NULL && path_remove(t->dir, &f) == -1)
		cli_warn("%s: is left behind: %s", t->dir, f.message);
	fault_clear(&f);
	free(t->dir);
	free(t->context);
	stop_hold(false);
}
