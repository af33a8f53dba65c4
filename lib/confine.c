/* confine - a command in bubblewrap: namespaces of its own, no network, a read-only system, one place to write */

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/keyctl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "confine.h"
#include "fd.h"
#include "room.h"
#include "x.h"

#define WITHIN "/usr/local/libexec/sbx/sbx-within"
#define STAGE "/tmp"
#define PATH "PATH=" CONFINE_SHELL "/bin:/usr/bin:/usr/sbin"

enum {
	SPARE_S = 5, /* by which the limit inside is longer than ours */
	LONGEST_S = 86400
};

/* What root binds from STAGE, as nobody else can reach the directories it is in. */
static const struct place {
	const char *staged, *inside;
	bool writable;
} places[] = {
    {STAGE "/workspace", CONFINE_WORKSPACE, true},
    {STAGE "/mozaiks", CONFINE_SHELL, false},
    {STAGE "/sbx-within", WITHIN, false},
};

enum {
	PLACES = sizeof places / sizeof *places
};

static const char *
source(const struct confine_request *r, int place)
{
	const char *const sources[PLACES] = {r->workspace, r->shell, r->within};

	return sources[place];
}

static int
bind_place(int fd, const char *target)
{
	char path[32];
	struct stat st;
	int made;

	if (fstat(fd, &st) == -1)
		return -1;
	made = S_ISDIR(st.st_mode) ? mkdir(target, 0755) : mknod(target, S_IFREG | 0644, 0);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	return made == -1 ? -1 : mount(path, target, NULL, MS_BIND | MS_REC, NULL);
}

/*
 * Root's own directories are closed to the user who is to run the command, so they are bound to where that user can reach them,
 * in a mount namespace that ends with the command.
 */
static int
stage(const struct confine_request *r)
{
	int fd[PLACES];

	if (unshare(CLONE_NEWNS) == -1 || mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) == -1)
		return -1;
	/* Held before they may be hidden by what is mounted now. */
	for (int i = 0; i < PLACES; i++)
		if ((fd[i] = open(source(r, i), O_PATH | O_CLOEXEC)) == -1)
			return -1;
	if (mount("sbx", STAGE, "tmpfs", MS_NOSUID | MS_NODEV, "size=64k,mode=0755") == -1)
		return -1;
	for (int i = 0; i < PLACES; i++)
		if (bind_place(fd[i], places[i].staged) == -1)
			return -1;
	return 0;
}

static int
drop_root(void)
{
	return setgroups(0, NULL) == -1 || setresgid(CONFINE_UID, CONFINE_UID, CONFINE_UID) == -1 ||
	               setresuid(CONFINE_UID, CONFINE_UID, CONFINE_UID) == -1
	           ? -1
	           : 0;
}

/* In the child: what bubblewrap does not do for us. */
static int
prepare(const void *context)
{
	const struct confine *c = context;
	const struct rlimit none = {0, 0}, file = {ROOM_BYTES, ROOM_BYTES};

	/* Keys of ours would stay in reach through the session keyring, which namespaces do not cover. */
	syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL);
	umask(022);
	if (setrlimit(RLIMIT_CORE, &none) == -1 || setrlimit(RLIMIT_FSIZE, &file) == -1 ||
	    bound_join(c->request->bound) == -1)
		return -1;
	if (geteuid() != 0)
		return 0;
	return stage(c->request) == -1 || drop_root() == -1 ? -1 : 0;
}

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

static void
add_files(struct buf *b, struct confine *c)
{
	static const struct {
		const char *path, *text;
	} files[CONFINE_FILES - 1] = {
	    {"/etc/passwd", "sandbox:x:10001:10001::/tmp:/bin/sh\n"},
	    {"/etc/group", "sandbox:x:10001:\n"},
	    {"/etc/hosts", "127.0.0.1 localhost\n::1 localhost\n"},
	    {"/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\n"},
	};

	for (int i = 0; i < CONFINE_FILES - 1; i++) {
		auto_free char *number = NULL;

		c->file[i] = fd_memory_with("file", files[i].text, strlen(files[i].text));
		number = x_printf("%d", c->file[i]);
		option(b, "--perms", "0444", "--ro-bind-data", number, files[i].path, NULL);
	}
}

static void
add_places(struct buf *b, const struct confine_request *r)
{
	for (int i = 0; i < PLACES; i++)
		option(b, places[i].writable ? "--bind" : "--ro-bind", geteuid() == 0 ? places[i].staged : source(r, i),
		    places[i].inside, NULL);
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

/* All of it, in the order in which bubblewrap is to do it. */
static void
add_options(struct buf *b, struct confine *c)
{
	auto_free char *status = x_printf("%d", c->status[1]);

	option(b, "--unshare-all", "--unshare-user", "--disable-userns", "--uid", "10001", "--gid", "10001",
	    "--cap-drop", "ALL", "--hostname", "sandbox", "--new-session", "--die-with-parent", "--as-pid-1",
	    "--json-status-fd", status, NULL);
	add_system(b);
	add_files(b, c);
	option(b, "--proc", "/proc", "--dev", "/dev", "--size", "67108864", "--tmpfs", "/dev/shm", "--remount-ro",
	    "/dev", "--perms", "1777", "--size", "268435456", "--tmpfs", "/tmp", NULL);
	add_places(b, c->request);
	option(b, "--remount-ro", "/", "--chdir", c->request->cwd, NULL);
	add_env(b, c->request->env);
}

void
confine_begin(struct confine *c, const struct confine_request *r, struct tree_spec *spec)
{
	int64_t limit_s = (r->limit_ms + 999) / 1000 + SPARE_S;
	auto_buf struct buf options = {0};

	*c = (struct confine) {.request = r, .envp = {x_strdup(PATH)}};
	if (pipe2(c->status, O_CLOEXEC) == -1)
		err(2, "pipe");
	add_options(&options, c);
	c->file[CONFINE_FILES - 1] = fd_memory_with("options", options.data, options.len);
	c->file[CONFINE_FILES] = c->status[1];
	c->file[CONFINE_FILES + 1] = -1;

	c->argv[0] = x_strdup(r->bwrap);
	c->argv[1] = x_strdup("--args");
	c->argv[2] = x_printf("%d", c->file[CONFINE_FILES - 1]);
	c->argv[3] = x_strdup("--");
	c->argv[4] = x_strdup(WITHIN);
	c->argv[5] = x_printf("--time=%lld", (long long)(limit_s < LONGEST_S ? limit_s : LONGEST_S));
	c->argv[6] = x_strdup("--");
	c->argv[7] = x_strdup("sh");
	c->argv[8] = x_strdup("-c");
	c->argv[9] = x_strdup(r->command);

	spec->argv = (const char *const *)c->argv;
	spec->envp = (const char *const *)c->envp;
	spec->keep = c->file;
	spec->prepare = prepare;
	spec->context = c;
}

void
confine_started(struct confine *c)
{
	for (int i = 0; i < CONFINE_FILES; i++) {
		close(c->file[i]);
		c->file[i] = -1;
	}
	close(c->status[1]);
	c->status[1] = -1;
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
}
