/* unpack - a staged tar into a directory that nobody needs to trust, and a look that all of it arrived */

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "beneath.h"
#include "digest.h"
#include "unpack.h"
#include "x.h"

struct owner {
	uid_t uid;
	gid_t gid;
};

static void
archive_free_at(struct archive **a)
{
	archive_read_free(*a);
}

static int
make_directory(int dir, const char *path, const struct owner *owner, struct fault *f)
{
	auto_free char *inside = x_printf("%s/.", path);
	auto_close int made = beneath_parent(dir, inside, owner->uid, owner->gid);

	if (made == -1)
		return fault_errno(f, STATUS_TROUBLE, "unpack_failed", "%s", path);
	return 0;
}

/* A new file each time: one that is there may be open to others. */
static int
make_file(int dir, const char *path, const struct owner *owner)
{
	auto_close int parent = beneath_parent(dir, path, owner->uid, owner->gid), fd = -1;

	if (parent == -1 || (unlinkat(parent, beneath_last(path), 0) == -1 && errno != ENOENT))
		return -1;
	fd = beneath_open(parent, beneath_last(path), O_WRONLY | O_CREAT | O_EXCL, 0600);
	return x_steal_fd(&fd);
}

static int
unpack_file(struct archive *a, int dir, const char *path, mode_t mode, const struct owner *owner, struct fault *f)
{
	auto_close int fd = make_file(dir, path, owner);

	if (fd == -1)
		return fault_errno(f, STATUS_TROUBLE, "unpack_failed", "%s", path);
	if (archive_read_data_into_fd(a, fd) != ARCHIVE_OK)
		return fault_set(f, STATUS_TROUBLE, "unpack_failed", "%s: %s", path, archive_error_string(a));
	if (fchown(fd, owner->uid, owner->gid) == -1 || fchmod(fd, mode & 0777) == -1)
		return fault_errno(f, STATUS_TROUBLE, "unpack_failed", "%s", path);
	return 0;
}

static int
unpack_entry(struct archive *a, struct archive_entry *entry, int dir, const struct owner *owner, struct fault *f)
{
	auto_free char *path = x_strdup(archive_entry_pathname(entry));
	size_t len = strlen(path);

	if (len > 0 && path[len - 1] == '/')
		path[len - 1] = '\0';
	if (!beneath_name(path) || archive_entry_hardlink(entry) != NULL)
		return fault_set(f, STATUS_NO, "tar_malformed", "tar: '%s': not a name below the workspace", path);
	if (archive_entry_filetype(entry) == AE_IFDIR)
		return make_directory(dir, path, owner, f);
	if (archive_entry_filetype(entry) == AE_IFREG)
		return unpack_file(a, dir, path, archive_entry_perm(entry), owner, f);
	return fault_set(f, STATUS_NO, "tar_malformed", "tar: '%s': neither a file nor a directory", path);
}

int
unpack_tar(int tar_fd, int dir, uid_t uid, gid_t gid, struct fault *f)
{
	__attribute__((cleanup(archive_free_at))) struct archive *a = archive_read_new();
	const struct owner owner = {uid, gid};
	struct archive_entry *entry;
	int status;

	archive_read_support_format_tar(a);
	if (lseek(tar_fd, 0, SEEK_SET) == -1 || archive_read_open_fd(a, tar_fd, 65536) != ARCHIVE_OK)
		return fault_set(f, STATUS_NO, "tar_malformed", "tar: %s", archive_error_string(a));
	while ((status = archive_read_next_header(a, &entry)) == ARCHIVE_OK)
		if (unpack_entry(a, entry, dir, &owner, f) == -1)
			return -1;
	if (status != ARCHIVE_EOF)
		return fault_set(f, STATUS_NO, "tar_malformed", "tar: %s", archive_error_string(a));
	return 0;
}

static int
unverified(struct fault *f, const char *path, const char *what)
{
	return fault_set(f, STATUS_TROUBLE, "put_unverified", "workspace: %s: %s", path, what);
}

static int
check_content(int fd, const json_t *file, const char *path, struct fault *f)
{
	uint8_t wanted[DIGEST_BYTES], got[DIGEST_BYTES];
	char piece[65536];
	struct digest d;
	ssize_t n;

	digest_begin(&d);
	while ((n = read(fd, piece, sizeof piece)) > 0)
		digest_add(&d, piece, (size_t)n);
	digest_end(&d, got);
	if (n == -1 || !digest_parse(json_text_at(file, "sha256"), wanted) || !digest_equal(got, wanted))
		return unverified(f, path, "its content is not what was sent");
	return 0;
}

static int
check_file(int dir, const json_t *file, uid_t uid, int64_t *bytes, struct fault *f)
{
	const char *path = json_text_at(file, "path");
	auto_close int fd = beneath_open(dir, path, O_RDONLY | O_NONBLOCK, 0);
	struct stat st;

	if (fd == -1 || fstat(fd, &st) == -1 || !S_ISREG(st.st_mode))
		return unverified(f, path, "is missing");
	if (st.st_uid != uid)
		return unverified(f, path, "belongs to somebody else than it should");
	if (st.st_size != json_int_at(file, "size", -1) || (st.st_mode & 07777) != json_int_at(file, "mode", -1))
		return unverified(f, path, "has another size or mode than it should");
	*bytes += st.st_size;
	return check_content(fd, file, path, f);
}

/* Whatever is there beside directories must be expected. */
static int
check_others(const char *place, const json_t *expected, struct fault *f)
{
	char *places[] = {(char *)place, NULL};
	FTS *walk = fts_open(places, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	size_t above = strlen(place) + 1;
	FTSENT *entry;
	int status = walk == NULL ? unverified(f, ".", "can't be read") : 0;

	while (status == 0 && (entry = fts_read(walk)) != NULL)
		if (entry->fts_info != FTS_D && entry->fts_info != FTS_DP &&
		    json_object_get(expected, entry->fts_path + above) == NULL)
			status = unverified(f, entry->fts_path + above, "is there and should not be");
	if (walk != NULL)
		fts_close(walk);
	return status;
}

int
unpack_verify(const char *place, const json_t *manifest, uid_t uid, int64_t *files, int64_t *bytes, struct fault *f)
{
	auto_close int dir = open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const json_t *file, *list = json_object_get(manifest, "files");
	json_auto_t *expected = json_object();
	size_t i;

	*files = *bytes = 0;
	if (!json_is_array(list))
		return fault_set(f, STATUS_TROUBLE, "manifest_invalid", "manifest: has no files");
	json_array_foreach (list, i, file) {
		if (json_text_at(file, "path") == NULL || json_text_at(file, "sha256") == NULL)
			return fault_set(
			    f, STATUS_TROUBLE, "manifest_invalid", "manifest: file %zu has no path or no sha256", i);
		if (check_file(dir, file, uid, bytes, f) == -1)
			return -1;
		json_object_set_new(expected, json_text_at(file, "path"), json_true());
		(*files)++;
	}
	return check_others(place, expected, f);
}
