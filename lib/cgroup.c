/* cgroup - a control group (version 2) of a process tree's own */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <linux/magic.h>
#include <unistd.h>

#include "cgroup.h"
#include "fd.h"
#include "x.h"

/* Where version 2 is mounted: alone, or beside version 1. */
static const char *
mount_point(void)
{
	static const char *const places[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};
	struct statfs fs;

	for (size_t i = 0; i < sizeof places / sizeof *places; i++)
		if (statfs(places[i], &fs) == 0 && fs.f_type == CGROUP2_SUPER_MAGIC)
			return places[i];
	return NULL;
}

/* Our own group: the line "0::/PATH" of /proc/self/cgroup (cgroups(7)). */
static char *
own_group(void)
{
	auto_close int fd = open("/proc/self/cgroup", O_RDONLY | O_CLOEXEC);
	auto_buf struct buf text = {0};
	char *line, *end;

	if (fd == -1 || fd_read_all(fd, &text, 65536) == -1)
		return NULL;
	for (line = text.data; strncmp(line, "0::/", 4) != 0; line++)
		if ((line = strchr(line, '\n')) == NULL)
			return NULL;
	if ((end = strchr(line, '\n')) != NULL)
		*end = '\0';
	return x_strdup(line + 3);
}

char *
cgroup_make(void)
{
	const char *mount = mount_point();
	auto_free char *own = mount != NULL ? own_group() : NULL;
	auto_free char *group = NULL, *kill_file = NULL;

	if (own == NULL)
		return NULL;
	group = x_printf("%s%s/sbx-%d", mount, own[1] ? own : "", (int)getpid());
	if (mkdir(group, 0700) == -1 && errno != EEXIST)
		return NULL;
	kill_file = x_printf("%s/cgroup.kill", group);
	if (access(kill_file, W_OK) == 0)
		return x_steal(group);
	rmdir(group);
	return NULL;
}

static int
write_file(const char *group, const char *name, const char *text)
{
	char path[4096];
	auto_close int fd = -1;

	if (snprintf(path, sizeof path, "%s/%s", group, name) >= (int)sizeof path)
		return -1;
	fd = open(path, O_WRONLY | O_CLOEXEC);
	return fd == -1 ? -1 : fd_write(fd, text, strlen(text));
}

int
cgroup_join(const char *group)
{
	return write_file(group, "cgroup.procs", "0");
}

void
cgroup_kill(const char *group)
{
	write_file(group, "cgroup.kill", "1");
}

int
cgroup_remove(const char *group)
{
	return rmdir(group);
}
