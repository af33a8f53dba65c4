/* beneath - files below a directory that others fill: no link and no ".." leads out of it */

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "beneath.h"
#include "x.h"

bool
beneath_name(const char *path)
{
	for (const char *part = path;; part++) {
		size_t len = strcspn(part, "/");

		if (len == 0 || (len == 1 && part[0] == '.') || (len == 2 && part[0] == '.' && part[1] == '.'))
			return false;
		part += len;
		if (*part == '\0')
			return true;
	}
}

int
beneath_open(int dir, const char *path, int flags, mode_t mode)
{
	struct open_how how = {.flags = (unsigned)(flags | O_CLOEXEC),
	    .mode = (flags & O_CREAT) != 0 ? mode : 0,
	    .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV};
	int fd;

	/* EAGAIN: somebody renames while we look, and the kernel can't be sure. */
	for (int tries = 0; tries < 100; tries++) {
		fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof how);
		if (fd != -1 || (errno != EAGAIN && errno != EINTR))
			break;
	}
	return fd;
}

static int
open_or_make(int dir, const char *part, uid_t uid, gid_t gid)
{
	bool made = mkdirat(dir, part, 0755) == 0;
	auto_close int fd = -1;

	if (!made && errno != EEXIST)
		return -1;
	fd = beneath_open(dir, part, O_RDONLY | O_DIRECTORY, 0);
	if (fd == -1 || (made && (fchown(fd, uid, gid) == -1 || fchmod(fd, 0755) == -1)))
		return -1;
	return x_steal_fd(&fd);
}

int
beneath_parent(int dir, const char *path, uid_t uid, gid_t gid)
{
	auto_free char *copy = x_strdup(path);
	auto_close int at = fcntl(dir, F_DUPFD_CLOEXEC, 3);
	char *part = copy, *slash;

	while (at != -1 && (slash = strchr(part, '/')) != NULL) {
		int below;

		*slash = '\0';
		below = open_or_make(at, part, uid, gid);
		close(at);
		at = below;
		part = slash + 1;
	}
	return x_steal_fd(&at);
}

const char *
beneath_last(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash == NULL ? path : slash + 1;
}
