/* local_files - files into a local sandbox and out of it */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "beneath.h"
#include "confine.h"
#include "crash.h"
#include "fd.h"
#include "local.h"
#include "unpack.h"
#include "x.h"

static int
open_workspace(const struct cell *c, struct fault *f)
{
	int fd = open(c->workspace, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return fd == -1 ? fault_errno(f, STATUS_TROUBLE, "workspace_failed", "%s", c->workspace) : fd;
}

json_t *
local_put(const struct site *s, const char *id, int tar_fd, const json_t *manifest, struct fault *f)
{
	auto_cell struct cell c = {0};
	auto_close int workspace = -1;
	int64_t files, bytes;
	uid_t user;

	if (s->show != NULL) {
		auto_free char *dir = local_dir(id);

		local_show(s, f, "tar -x -C %s/workspace", dir);
		return NULL;
	}
	if (local_open(s, id, &c, f) == -1 || (workspace = open_workspace(&c, f)) == -1)
		return NULL;
	user = local_user(&c);
	if (unpack_tar(tar_fd, workspace, user, user == geteuid() ? getegid() : (gid_t)user, f) == -1)
		return NULL;
	crash_point("local.put.unpacked");
	if (unpack_verify(c.workspace, manifest, user, &files, &bytes, f) == -1)
		return NULL;
	return json_make("{s:I, s:I, s:b}", "files", (json_int_t)files, "bytes", (json_int_t)bytes, "verified", 1);
}

/* The file below the workspace that is meant: PATH may also be what a command inside would say. NULL: there is none such. */
static const char *
inside(const char *path)
{
	size_t len = strlen(CONFINE_WORKSPACE "/");

	if (strncmp(path, CONFINE_WORKSPACE "/", len) == 0)
		path += len;
	return beneath_name(path) ? path : NULL;
}

static int
copy(int in, int out, const char *path, struct fault *f)
{
	char piece[65536];
	ssize_t n;

	while ((n = read(in, piece, sizeof piece)) > 0)
		if (fd_write(out, piece, (size_t)n) == -1)
			return fault_errno(f, STATUS_TROUBLE, "output_unwritten", "%s", path);
	return n == 0 ? 0 : fault_errno(f, STATUS_TROUBLE, "get_refused", "%s", path);
}

int
local_get(const struct site *s, const char *id, const char *path, int out_fd, struct fault *f)
{
	auto_cell struct cell c = {0};
	auto_close int workspace = -1, fd = -1;
	const char *below = inside(path);
	struct stat st;

	if (below == NULL)
		return fault_set(f, STATUS_NO, "path_invalid",
		    "%s: not in the workspace: a path is relative to it, or begins with " CONFINE_WORKSPACE "/", path);
	if (s->show != NULL) {
		auto_free char *dir = local_dir(id);

		return local_show(s, f, "cat %s/workspace/%s", dir, below);
	}
	if (local_open(s, id, &c, f) == -1 || (workspace = open_workspace(&c, f)) == -1)
		return -1;
	fd = beneath_open(workspace, below, O_RDONLY | O_NONBLOCK, 0);
	if (fd == -1 && (errno == ENOENT || errno == ENOTDIR))
		return fault_set(f, STATUS_NO, "file_not_found", "%s: not in the sandbox", path);
	if (fd == -1 && errno == ELOOP)
		return fault_set(f, STATUS_NO, "not_a_file", "%s: a link, or behind one, and none is followed", path);
	if (fd == -1)
		return fault_errno(f, STATUS_NO, "not_a_file", "%s", path);
	if (fstat(fd, &st) == -1 || !S_ISREG(st.st_mode))
		return fault_set(f, STATUS_NO, "not_a_file", "%s: not a regular file", path);
	return copy(fd, out_fd, path, f);
}
