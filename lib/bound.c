/* bound - memory and processes, bounded for a whole process tree by control groups of version 1 or 2 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bound.h"
#include "cgroup.h"
#include "clock.h"
#include "fd.h"
#include "x.h"

#define CGROUP_MOUNT "/sys/fs/cgroup"

struct setting {
	const char *file;
	const char *value;
	bool must; /* a kernel without this file can't do it */
};

/* A file of a group as text; "" when it can't be read. */
static void
read_file(const char *group, const char *file, struct buf *text)
{
	auto_free char *path = x_printf("%s/%s", group, file);
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);

	buf_text(text, "");
	if (fd != -1)
		fd_read_all(fd, text, 65536);
}

/* The group NAME below ABOVE, with its settings; NULL and errno. */
static char *
make_group(const char *above, const char *name, const struct setting *settings)
{
	auto_free char *group = x_printf("%s/%s", above, name);
	int error;

	if (mkdir(group, 0755) == -1)
		return NULL;
	for (const struct setting *s = settings; s->file != NULL; s++)
		if (cgroup_write(group, s->file, s->value) == -1 && (s->must || errno != ENOENT)) {
			error = errno;
			rmdir(group);
			errno = error;
			return NULL;
		}
	return x_steal(group);
}

static int
make_version1(struct bound *b, const char *name, const char *memory, const char *processes)
{
	const struct setting memory_settings[] = {
	    {"memory.limit_in_bytes", memory, true}, {"memory.memsw.limit_in_bytes", memory, false}, {0}};
	const struct setting pids_settings[] = {{"pids.max", processes, true}, {0}};
	auto_free char *memory_at = cgroup_own("memory"), *pids_at = cgroup_own("pids");
	int error;

	errno = ENOENT;
	if (memory_at == NULL || pids_at == NULL)
		return -1;
	if ((b->group[0] = make_group(memory_at, name, memory_settings)) == NULL)
		return -1;
	if ((b->group[1] = make_group(pids_at, name, pids_settings)) != NULL)
		return 0;
	error = errno;
	bound_end(b, clock_now());
	errno = error;
	return -1;
}

/* Do groups below this one have the two controllers? Where they don't, they may be switched on while it holds no process itself. */
static bool
distributes(const char *group)
{
	auto_buf struct buf on = {0};

	cgroup_write(group, "cgroup.subtree_control", "+memory +pids");
	read_file(group, "cgroup.subtree_control", &on);
	return strstr(on.data, "memory") != NULL && strstr(on.data, "pids") != NULL;
}

/*
 * A group of version 2 that hands on controllers holds no processes, so ours is made beside the one we are in, or beside one above
 * that. A process may only be moved by who may write to the group above both places.
 */
static int
make_version2(struct bound *b, const char *name, const char *memory, const char *processes)
{
	const struct setting settings[] = {{"memory.max", memory, true}, {"pids.max", processes, true},
	    {"memory.swap.max", "0", false}, {"memory.oom.group", "1", false}, {0}};
	auto_free char *at = cgroup_own(NULL);

	for (; at != NULL && strlen(at) >= strlen(CGROUP_MOUNT); *strrchr(at, '/') = '\0') {
		auto_free char *procs = x_printf("%s/cgroup.procs", at);

		if (access(procs, W_OK) == 0 && distributes(at) &&
		    (b->group[0] = make_group(at, name, settings)) != NULL)
			return 0;
	}
	return -1;
}

int
bound_make(struct bound *b, const char *name, int64_t memory, int processes, struct fault *f)
{
	auto_free char *bytes = x_printf("%lld", (long long)memory), *tasks = x_printf("%d", processes);

	*b = (struct bound) {0};
	if (make_version2(b, name, bytes, tasks) == 0 || make_version1(b, name, bytes, tasks) == 0)
		return 0;
	return fault_set(f, STATUS_TROUBLE, "limits_unavailable",
	    "no control group can be made for memory and processes (%s): run as root, or in a scope of your own with "
	    "systemd-run --user --scope",
	    strerror(errno));
}

int
bound_join(const struct bound *b)
{
	for (int i = 0; i < BOUND_GROUPS && b->group[i] != NULL; i++)
		if (cgroup_join(b->group[i]) == -1)
			return -1;
	return 0;
}

int64_t
bound_killed(const struct bound *b)
{
	auto_buf struct buf events = {0};
	const char *count;

	if (b->group[0] == NULL)
		return 0;
	read_file(b->group[0], b->group[1] == NULL ? "memory.events" : "memory.oom_control", &events);
	count = strstr(events.data, "oom_kill ");
	return count == NULL ? 0 : strtoll(count + strlen("oom_kill "), NULL, 10);
}

/* A number may be somebody else's by now: the process is held while it is checked to be in the group still. */
static void
end_process(pid_t pid, const char *group)
{
	auto_close int held = (int)syscall(SYS_pidfd_open, pid, 0);
	auto_free char *of = x_printf("/proc/%d", (int)pid);
	auto_buf struct buf groups = {0};

	read_file(of, "cgroup", &groups);
	if (held != -1 && strstr(groups.data, strrchr(group, '/')) != NULL)
		syscall(SYS_pidfd_send_signal, held, SIGKILL, NULL, 0);
}

/* End who is in the group now. In version 1 one by one: with no room for new processes the list only gets shorter. */
static void
end_members(const char *group)
{
	auto_buf struct buf members = {0};
	char *rest, *line;

	cgroup_write(group, "pids.max", "0");
	cgroup_kill(group);
	read_file(group, "cgroup.procs", &members);
	for (rest = members.data; (line = strsep(&rest, "\n")) != NULL && *line != '\0';)
		end_process((pid_t)strtol(line, NULL, 10), group);
}

void
bound_kill(const struct bound *b)
{
	for (int i = 0; i < BOUND_GROUPS && b->group[i] != NULL; i++)
		end_members(b->group[i]);
}

static int
remove_group(const char *group, int64_t deadline)
{
	while (cgroup_remove(group) == -1 && errno != ENOENT) {
		if (clock_left(deadline) == 0)
			return -1;
		end_members(group);
		clock_sleep(5, deadline);
	}
	return 0;
}

int
bound_end(struct bound *b, int64_t deadline)
{
	int status = 0;

	for (int i = 0; i < BOUND_GROUPS && b->group[i] != NULL; i++) {
		if (remove_group(b->group[i], deadline) == -1)
			status = -1;
		free(b->group[i]);
	}
	*b = (struct bound) {0};
	return status;
}

static int
search(const char *dir, const char *prefix, int64_t deadline)
{
	DIR *list = opendir(dir);
	struct dirent *entry;
	int status = 0;

	while (list != NULL && (entry = readdir(list)) != NULL) {
		auto_free char *path = x_printf("%s/%s", dir, entry->d_name);

		if (entry->d_type != DT_DIR || entry->d_name[0] == '.')
			continue;
		if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0 ? search(path, prefix, deadline) == -1
		                                                        : remove_group(path, deadline) == -1)
			status = -1;
	}
	if (list != NULL)
		closedir(list);
	return status;
}

int
bound_remove(const char *prefix, int64_t deadline)
{
	static const char *const version1[] = {CGROUP_MOUNT "/unified", CGROUP_MOUNT "/memory", CGROUP_MOUNT "/pids"};
	int status = 0;

	if (access(CGROUP_MOUNT "/cgroup.procs", F_OK) == 0)
		return search(CGROUP_MOUNT, prefix, deadline);
	for (size_t i = 0; i < sizeof version1 / sizeof *version1; i++)
		if (search(version1[i], prefix, deadline) == -1)
			status = -1;
	return status;
}
