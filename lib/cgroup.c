/* cgroup - control groups: which one is ours, and one of version 2 for a process tree */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <linux/magic.h>
#include <unistd.h>

#include "cgroup.h"
#include "fd.h"
#include "x.h"

/* Where version 2 is mounted: alone, or beside version 1. A controller of version 1 has a hierarchy of its own. */
static char *
mount_point(const char *controller)
{
	auto_free char *first = x_printf("/sys/fs/cgroup%s%s", controller ? "/" : "", controller ? controller : "");
	const char *const places[] = {first, controller ? NULL : "/sys/fs/cgroup/unified"};
	struct statfs fs;

	for (size_t i = 0; i < 2 && places[i] != NULL; i++)
		if (statfs(places[i], &fs) == 0 && fs.f_type == (controller ? CGROUP_SUPER_MAGIC : CGROUP2_SUPER_MAGIC))
			return x_strdup(places[i]);
	return NULL;
}

/* Is WORD in the list, which has commas between its words and ends before END? */
static bool
lists(const char *list, const char *end, const char *word)
{
	size_t len = strlen(word);

	for (const char *next; list < end; list = next + 1) {
		if ((next = memchr(list, ',', (size_t)(end - list))) == NULL)
			next = end;
		if ((size_t)(next - list) == len && strncmp(list, word, len) == 0)
			return true;
	}
	return false;
}

/* What follows "ID:CONTROLLERS:" on this process's line of /proc/self/cgroup (cgroups(7)); version 2 lists no controllers. */
static char *
own_path(const char *controller)
{
	auto_close int fd = open("/proc/self/cgroup", O_RDONLY | O_CLOEXEC);
	auto_buf struct buf text = {0};
	char *rest, *line, *list, *path;

	if (fd == -1 || fd_read_all(fd, &text, 65536) == -1)
		return NULL;
	for (rest = text.data; (line = strsep(&rest, "\n")) != NULL;) {
		if ((list = strchr(line, ':')) == NULL || (path = strchr(++list, ':')) == NULL)
			continue;
		if (controller == NULL ? list == path : lists(list, path, controller))
			return x_strdup(path + 1);
	}
	return NULL;
}

char *
cgroup_own(const char *controller)
{
	auto_free char *mount = mount_point(controller), *path = mount != NULL ? own_path(controller) : NULL;
	auto_free char *group = NULL;

	if (path == NULL)
		return NULL;
	group = x_printf("%s%s", mount, path[1] != '\0' ? path : "");
	/* In a container the path may be that of the host, and what is mounted is our own group. */
	return access(group, F_OK) == 0 ? x_steal(group) : x_steal(mount);
}

/*
 * A program that was killed leaves its group, which has its number in its name, and nobody else looks for it. One that still holds
 * processes can't be removed.
 */
static void
remove_abandoned(const char *above)
{
	DIR *list = opendir(above);
	struct dirent *entry;

	while (list != NULL && (entry = readdir(list)) != NULL) {
		auto_free char *group = x_printf("%s/%s", above, entry->d_name);
		int pid, end = 0;

		if (sscanf(entry->d_name, CGROUP_OF_PROGRAM "%n", &pid, &end) == 1 && entry->d_name[end] == '\0' &&
		    kill(pid, 0) == -1 && errno == ESRCH)
			rmdir(group);
	}
	if (list != NULL)
		closedir(list);
}

char *
cgroup_make(const char *name)
{
	auto_free char *own = cgroup_own(NULL);
	auto_free char *group = NULL, *kill_file = NULL;

	if (own == NULL)
		return NULL;
	remove_abandoned(own);
	group = x_printf("%s/%s", own, name);
	if (mkdir(group, 0700) == -1 && errno != EEXIST)
		return NULL;
	kill_file = x_printf("%s/cgroup.kill", group);
	if (access(kill_file, W_OK) == 0)
		return x_steal(group);
	rmdir(group);
	return NULL;
}

int
cgroup_write(const char *group, const char *file, const char *text)
{
	char path[4096];
	auto_close int fd = -1;

	if (snprintf(path, sizeof path, "%s/%s", group, file) >= (int)sizeof path)
		return -1;
	fd = open(path, O_WRONLY | O_CLOEXEC);
	return fd == -1 ? -1 : fd_write(fd, text, strlen(text));
}

int
cgroup_join(const char *group)
{
	return cgroup_write(group, "cgroup.procs", "0");
}

void
cgroup_kill(const char *group)
{
	cgroup_write(group, "cgroup.kill", "1");
}

int
cgroup_remove(const char *group)
{
	return rmdir(group);
}
