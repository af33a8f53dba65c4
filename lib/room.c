/* room - a directory for one sandbox to fill, and how much may be in it */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "id.h"
#include "room.h"
#include "x.h"

static int
mount_room(const char *path, uid_t uid, gid_t gid)
{
	auto_free char *options = x_printf("size=%d,nr_inodes=%d,mode=0755,uid=%u,gid=%u", (int)ROOM_BYTES,
	    (int)ROOM_FILES, (unsigned)uid, (unsigned)gid);

	return mount("sbx", path, "tmpfs", MS_NOSUID | MS_NODEV, options);
}

int
room_make(const char *path, bool mounted, uid_t uid, gid_t gid, struct fault *f)
{
	if (mkdir(path, 0755) == -1)
		return fault_errno(f, STATUS_TROUBLE, "workspace_failed", "%s", path);
	if (chmod(path, 0755) == 0 && (mounted ? mount_room(path, uid, gid) : chown(path, uid, gid)) == 0)
		return 0;
	fault_fill_errno(f, STATUS_TROUBLE, "workspace_failed", "%s", path);
	rmdir(path);
	return -1;
}

bool
room_is_full(const char *path)
{
	char *paths[] = {(char *)path, NULL};
	FTS *walk = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	int64_t bytes = 0, files = 0;
	FTSENT *entry;

	while (walk != NULL && bytes <= ROOM_BYTES && files <= ROOM_FILES && (entry = fts_read(walk)) != NULL) {
		if (entry->fts_info == FTS_DP || entry->fts_statp == NULL)
			continue;
		files++;
		if (entry->fts_info != FTS_NS)
			bytes += (int64_t)entry->fts_statp->st_blocks * 512;
	}
	if (walk != NULL)
		fts_close(walk);
	return bytes > ROOM_BYTES || files > ROOM_FILES;
}

/* Remove a file, a link, an empty directory. */
static bool
remove_entry(int dir, const char *name)
{
	return unlinkat(dir, name, 0) == 0 || unlinkat(dir, name, AT_REMOVEDIR) == 0;
}

/* A directory in DIR, made ours to change, since its owner may have given that up. */
static int
open_directory(int dir, const char *name)
{
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == -1 || !S_ISDIR(st.st_mode) ||
	    fchmodat(dir, name, 0700, 0) == -1)
		return -1;
	return openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

typedef int entry_fn(int dir, const char *name, int top);

static int
each_entry(int dir, entry_fn *see, int top)
{
	DIR *list = fdopendir(dir);
	struct dirent *entry;
	int status = list == NULL ? -1 : 0;

	while (status != -1 && (entry = readdir(list)) != NULL)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			status = see(dirfd(list), entry->d_name, top) == -1 ? -1 : 1;
	if (list != NULL)
		closedir(list);
	else
		close(dir);
	return status;
}

/* To be renamed, a directory must be writable itself. */
static int
move_up(int dir, const char *name, int top)
{
	char unique[ID_RUN + 1];
	auto_close int opened = -1;

	if (remove_entry(dir, name))
		return 0;
	id_hex(unique, ID_RUN);
	opened = open_directory(dir, name);
	return opened == -1 ? -1 : renameat(dir, name, top, unique);
}

static int
flatten(int dir, const char *name, int top)
{
	int opened;

	if (remove_entry(dir, name))
		return 0;
	if ((opened = open_directory(dir, name)) == -1 || each_entry(opened, move_up, top) == -1)
		return -1;
	return unlinkat(dir, name, AT_REMOVEDIR);
}

/*
 * Directories below the first level are moved up to it instead of being gone down into, so that neither how deep they are nor how
 * long their paths get matters.
 */
static int
empty(const char *path)
{
	auto_close int top = open_directory(AT_FDCWD, path);
	int found = top == -1 ? -1 : 1;

	while (found == 1)
		found = each_entry(openat(top, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), flatten, top);
	return found;
}

int
room_remove(const char *path, struct fault *f)
{
	/* Who still looks at it from elsewhere keeps his view; here it is gone. */
	umount2(path, MNT_DETACH | UMOUNT_NOFOLLOW);
	if (access(path, F_OK) == -1 && errno == ENOENT)
		return 0;
	if (empty(path) == -1 || rmdir(path) == -1)
		return fault_errno(f, STATUS_TROUBLE, "remove_failed", "%s", path);
	return 0;
}
