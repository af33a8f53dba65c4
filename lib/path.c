/* path - directories of our own, and files that are there whole or not at all */

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fd.h"
#include "path.h"
#include "x.h"

static void
make_all(const char *dir)
{
	auto_free char *part = x_strdup(dir);

	for (char *slash = part + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
		*slash = '\0';
		if (mkdir(part, 0755) == -1 && errno != EEXIST)
			err(2, "%s", part);
		*slash = '/';
	}
	if (mkdir(part, 0700) == -1 && errno != EEXIST)
		err(2, "%s", part);
}

void
path_make_private(const char *dir)
{
	struct stat st;

	if (stat(dir, &st) == -1) {
		make_all(dir);
		if (stat(dir, &st) == -1)
			err(2, "%s", dir);
	}
	if (!S_ISDIR(st.st_mode))
		errx(2, "%s: not a directory", dir);
	if (st.st_uid != geteuid() || (st.st_mode & 0022))
		errx(2, "%s: must belong to user %u alone: chown it, or chmod go-w", dir, (unsigned)geteuid());
}

char *
path_program(const char *list, const char *name)
{
	auto_free char *copy = x_strdup(list == NULL ? "" : list);
	char *rest = copy, *dir;

	while ((dir = strsep(&rest, ":")) != NULL) {
		auto_free char *file = x_printf("%s/%s", dir, name);
		struct stat st;

		if (dir[0] == '/' && stat(file, &st) == 0 && S_ISREG(st.st_mode) && access(file, X_OK) == 0)
			return x_steal(file);
	}
	return NULL;
}

char *
path_run(const char *state, const char *run)
{
	char *dir = x_printf("%s/runs/%s", state, run);

	path_make_private(dir);
	return dir;
}

int
path_begin(const char *path, char **temp, struct fault *f)
{
	auto_free char *name = x_printf("%s.XXXXXX", path);
	int fd = mkostemp(name, O_CLOEXEC);

	if (fd == -1)
		return fault_errno(f, STATUS_TROUBLE, "write_failed", "%s", name);
	*temp = x_steal(name);
	return fd;
}

static int
sync_directory_of(const char *path)
{
	auto_free char *dir = x_strdup(path);
	auto_close int fd = -1;
	char *slash = strrchr(dir, '/');

	if (slash == NULL)
		strcpy(dir, ".");
	else
		slash[slash == dir] = '\0';
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd == -1 ? -1 : fsync(fd);
}

int
path_commit(int fd, const char *temp, const char *path, struct fault *f)
{
	if (fsync(fd) == 0 && rename(temp, path) == 0)
		return sync_directory_of(path) == 0 ? 0 : fault_errno(f, STATUS_DOUBT, "write_unconfirmed", "%s", path);
	fault_errno(f, STATUS_TROUBLE, "write_failed", "%s", path);
	unlink(temp);
	return -1;
}

int
path_write(const char *path, const void *bytes, size_t len, struct fault *f)
{
	auto_free char *temp = NULL;
	auto_close int fd = path_begin(path, &temp, f);

	if (fd == -1)
		return -1;
	if (fd_write(fd, bytes, len) == -1) {
		fault_errno(f, STATUS_TROUBLE, "write_failed", "%s", path);
		unlink(temp);
		return -1;
	}
	return path_commit(fd, temp, path, f);
}

static int
remove_entry(const FTSENT *entry)
{
	switch (entry->fts_info) {
	case FTS_D:
		return 0;
	case FTS_DP:
		return rmdir(entry->fts_accpath);
	case FTS_DNR:
	case FTS_ERR:
		errno = entry->fts_errno;
		return -1;
	default:
		return unlink(entry->fts_accpath);
	}
}

int
path_remove(const char *dir, struct fault *f)
{
	char *paths[] = {(char *)dir, NULL};
	int status = 0;
	FTSENT *entry;
	FTS *walk;

	if (access(dir, F_OK) == -1 && errno == ENOENT)
		return 0;
	if ((walk = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL)) == NULL)
		return fault_errno(f, STATUS_TROUBLE, "remove_failed", "%s", dir);
	while ((entry = fts_read(walk)) != NULL)
		if (remove_entry(entry) == -1)
			status = fault_errno(f, STATUS_TROUBLE, "remove_failed", "%s", entry->fts_path);
	fts_close(walk);
	return status;
}
