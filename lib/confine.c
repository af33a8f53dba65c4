/* confine - a command in bubblewrap: namespaces of its own, no network, a read-only system, one place to write */

#include <err.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "confine.h"
#include "confine_child.h"
#include "fd.h"
#include "x.h"

#define PATH "PATH=" CONFINE_SHELL "/bin:/usr/bin:/usr/sbin"

enum {
	SPARE_S = 5, /* by which the limit inside is longer than ours */
	LONGEST_S = 86400
};

/* bubblewrap takes options from a descriptor, each with a NUL behind it: so they are in nobody's list of processes. */
static void
option(struct buf *b, const char *first, ...)
{
	va_list rest;

	va_start(rest, first);
	for (const char *word = first; word != NULL; word = va_arg(rest, const char *))
		buf_add(b, word, strlen(word) + 1);
	va_end(rest);
}

/* What of the system a command may see. Where /bin and its like are links into /usr, they are links inside as well. */
static void
add_system(struct buf *b)
{
	static const char *const usr[] = {"/usr/bin", "/usr/sbin", "/usr/lib", "/usr/lib32", "/usr/lib64",
	    "/usr/libx32", "/usr/libexec", "/usr/share", "/etc/alternatives", "/etc/ld.so.cache"};
	static const char *const top[] = {"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"};

	for (size_t i = 0; i < sizeof usr / sizeof *usr; i++)
		option(b, "--ro-bind-try", usr[i], usr[i], NULL);
	for (size_t i = 0; i < sizeof top / sizeof *top; i++) {
		char target[4096];
		ssize_t len = readlink(top[i], target, sizeof target - 1);

		if (len > 0) {
			target[len] = '\0';
			option(b, "--symlink", target, top[i], NULL);
		} else
			option(b, "--ro-bind-try", top[i], top[i], NULL);
	}
}

/* What bubblewrap reads from a descriptor of its own. */
static void
add_file(struct buf *b, struct confine *c, int i, const char *path, const char *text)
{
	auto_free char *number = NULL;

	c->file[i] = fd_memory_with("file", text, strlen(text));
	number = x_printf("%d", c->file[i]);
	option(b, "--perms", "0444", "--ro-bind-data", number, path, NULL);
}

static void
add_descriptors(struct buf *b, struct confine *c)
{
	auto_free char *status = x_printf("%d", c->status[1]);

	option(b, "--json-status-fd", status, NULL);
	add_file(b, c, 1, "/etc/passwd", "sandbox:x:10001:10001::/tmp:/bin/sh\n");
	add_file(b, c, 2, "/etc/group", "sandbox:x:10001:\n");
	add_file(b, c, 3, "/etc/hosts", "127.0.0.1 localhost\n::1 localhost\n");
	add_file(b, c, 4, "/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\n");
}

static void
add_places(struct buf *b, const struct confine_request *r, bool staged)
{
	struct confine_place places[CONFINE_PLACES];

	confine_places(r, staged, places);
	for (int i = 0; i < CONFINE_PLACES; i++)
		option(b, places[i].writable ? "--bind" : "--ro-bind", places[i].from, places[i].inside, NULL);
	/* So that files of the workspace find what the shell has. */
	option(b, "--symlink", "opt/mozaiks/web_shell/node_modules", "/node_modules", NULL);
}

static void
add_env(struct buf *b, const json_t *env)
{
	const char *name;
	json_t *value;

	option(b, "--setenv", "HOME", "/tmp", NULL);
	json_object_foreach ((json_t *)env, name, value)
		option(b, "--setenv", name, json_string_value(value), NULL);
}

/* In the order in which bubblewrap is to do it. C is NULL when there are no descriptors, only words to show. */
static void
add_options(struct buf *b, const struct confine_request *r, struct confine *c)
{
	option(b, "--unshare-all", "--unshare-user", "--disable-userns", "--uid", "10001", "--gid", "10001",
	    "--cap-drop", "ALL", "--hostname", "sandbox", "--new-session", "--die-with-parent", "--as-pid-1", NULL);
	add_system(b);
	if (c != NULL)
		add_descriptors(b, c);
	option(b, "--proc", "/proc", "--dev", "/dev", "--size", "67108864", "--tmpfs", "/dev/shm", "--remount-ro",
	    "/dev", "--perms", "1777", "--size", "268435456", "--tmpfs", "/tmp", NULL);
	add_places(b, r, c != NULL && geteuid() == 0);
	option(b, "--remount-ro", "/", "--chdir", r->cwd, NULL);
	add_env(b, r->env);
}

static void
set_command(struct confine *c)
{
	int64_t limit_s = (c->request->limit_ms + 999) / 1000 + SPARE_S;
	char *const words[] = {x_strdup(c->request->bwrap), x_strdup("--args"), x_printf("%d", c->file[0]),
	    x_strdup("--"), x_strdup(CONFINE_WITHIN), x_strdup("--watch"),
	    x_printf("--time=%lld", (long long)(limit_s < LONGEST_S ? limit_s : LONGEST_S)), x_strdup("--"),
	    x_strdup("sh"), x_strdup("-c"), x_strdup(c->request->command)};

	_Static_assert(sizeof words < sizeof c->argv, "room for the words and a NULL");
	memcpy(c->argv, words, sizeof words);
}

void
confine_begin(struct confine *c, const struct confine_request *r, struct tree_spec *spec)
{
	auto_buf struct buf options = {0};

	*c = (struct confine) {.request = r, .envp = {x_strdup(PATH)}};
	if (pipe2(c->status, O_CLOEXEC) == -1 || pipe2(c->alive, O_CLOEXEC) == -1)
		err(2, "pipe");
	add_options(&options, r, c);
	c->file[0] = fd_memory_with("options", options.data, options.len);
	c->file[CONFINE_FILES] = c->status[1];
	c->file[CONFINE_FILES + 1] = -1;
	set_command(c);

	spec->argv = (const char *const *)c->argv;
	spec->envp = (const char *const *)c->envp;
	spec->stdio[0] = c->alive[0];
	spec->keep = c->file;
	spec->prepare = confine_prepare;
	spec->context = r;
}

void
confine_started(struct confine *c)
{
	for (int i = 0; i < CONFINE_FILES; i++) {
		close(c->file[i]);
		c->file[i] = -1;
	}
	close(c->status[1]);
	close(c->alive[0]);
}

/* bubblewrap tells the exit status only of a command that it could start (bwrap(1), --json-status-fd). */
bool
confine_ran(const struct confine *c)
{
	auto_buf struct buf told = {0};

	return fd_read_all(c->status[0], &told, 65536) == 0 && told.len > 0 &&
	       strstr(told.data, "\"exit-code\"") != NULL;
}

void
confine_free(struct confine *c)
{
	for (size_t i = 0; i < sizeof c->argv / sizeof *c->argv; i++)
		free(c->argv[i]);
	free(c->envp[0]);
	close(c->status[0]);
	close(c->alive[1]);
}

void
confine_show(const struct confine_request *r, struct buf *text)
{
	auto_buf struct buf words = {0};

	option(&words, r->bwrap, NULL);
	add_options(&words, r, NULL);
	option(&words, "--", "sh", "-c", r->command, NULL);
	for (size_t at = 0; at < words.len; at += strlen(words.data + at) + 1) {
		if (at > 0)
			buf_text(text, " ");
		buf_shell(text, words.data + at);
	}
}
