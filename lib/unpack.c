/* unpack - a staged tar into a directory that nobody needs to trust, and a look that all of it arrived */

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
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
		return fault_set(f, STATUS_NO, "tar_invalid", "tar: '%s': not a name below the workspace", path);
	if (archive_entry_filetype(entry) == AE_IFDIR)
		return make_directory(dir, path, owner, f);
	if (archive_entry_filetype(entry) == AE_IFREG)
		return unpack_file(a, dir, path, archive_entry_perm(entry), owner, f);
	return fault_set(f, STATUS_NO, "tar_invalid", "tar: '%s': neither a file nor a directory", path);
}

int
unpack_tar(int tar_fd, int dir, uid_t uid, gid_t gid, struct fault *f)
{
	__attribute__((cleanup(archive_free_at))) struct archive *a = archive_read_new();
	const struct owner owner = {uid, gid};
	struct archive_entry *entry;
	int status;

	archive_read_support_format_tar(a);
	if (archive_read_open_fd(a, tar_fd, 65536) != ARCHIVE_OK)
		return fault_set(f, STATUS_NO, "tar_invalid", "tar: %s", archive_error_string(a));
	while ((status = archive_read_next_header(a, &entry)) == ARCHIVE_OK)
		if (unpack_entry(a, entry, dir, &owner, f) == -1)
			return -1;
	if (status != ARCHIVE_EOF)
		return fault_set(f, STATUS_NO, "tar_invalid", "tar: %s", archive_error_string(a));
	return 0;
}

/* The digest and size of what is at PATH, a regular file. */
static int
measure(int dir, const char *path, uint8_t digest[static DIGEST_BYTES], int64_t *size)
{
	auto_close int fd = beneath_open(dir, path, O_RDONLY | O_NONBLOCK, 0);
	char bytes[65536];
	struct digest d;
	struct stat st;
	ssize_t n;

	if (fd == -1 || fstat(fd, &st) == -1 || !S_ISREG(st.st_mode))
		return -1;
	digest_begin(&d);
	for (*size = 0; (n = read(fd, bytes, sizeof bytes)) > 0; *size += n)
		digest_add(&d, bytes, (size_t)n);
	digest_end(&d, digest);
	return n == 0 ? 0 : -1;
}

int
unpack_verify(int dir, const json_t *manifest, int64_t *files, int64_t *bytes, struct fault *f)
{
	const json_t *file, *list = json_at(manifest, "files");
	size_t i;

	*files = *bytes = 0;
	json_array_foreach (list, i, file) {
		uint8_t wanted[DIGEST_BYTES], found[DIGEST_BYTES];
		const char *path = json_text_at(file, "path"), *sha256 = json_text_at(file, "sha256");
		int64_t size;

		if (path == NULL || sha256 == NULL || !digest_parse(sha256, wanted))
			return fault_set(
			    f, STATUS_TROUBLE, "manifest_invalid", "manifest: file %zu: path or sha256 is missing", i);
		if (measure(dir, path, found, &size) == -1 || size != json_int_at(file, "size", -1) ||
		    !digest_equal(wanted, found))
			return fault_set(
			    f, STATUS_TROUBLE, "put_unverified", "%s: is not in the sandbox as it was staged", path);
		(*files)++;
		*bytes += size;
	}
	if (*files == 0)
		return fault_set(f, STATUS_TROUBLE, "manifest_invalid", "manifest: lists no files");
	return 0;
}
