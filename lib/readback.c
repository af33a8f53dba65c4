/* readback - what arrived in a workspace, read back as a tar and held against the manifest */

#include <string.h>

#include "digest.h"
#include "readback.h"
#include "untar.h"

enum {
	PIECE = 65536
};

static int
unverified(const struct readback *e, struct fault *f, const char *path, const char *what)
{
	return fault_set(f, STATUS_TROUBLE, "put_unverified", "%s/%s: %s", e->workspace, path, what);
}

int
readback_expect(struct readback *e, const json_t *manifest, struct fault *f)
{
	const json_t *files = json_object_get(manifest, "files"), *file;
	size_t i;

	e->files = json_object();
	e->uid = json_int_at(manifest, "owner.uid", -1);
	e->gid = json_int_at(manifest, "owner.gid", -1);
	json_array_foreach ((json_t *)files, i, file) {
		const char *path = json_text_at(file, "path");

		if (path == NULL || json_text_at(file, "sha256") == NULL)
			return fault_set(
			    f, STATUS_TROUBLE, "manifest_invalid", "manifest: file %zu has no path or no sha256", i);
		json_object_set(e->files, path, (json_t *)file);
	}
	if (!json_is_array(files) || e->uid == -1 || e->gid == -1)
		return fault_set(f, STATUS_TROUBLE, "manifest_invalid", "manifest: has no files or no owner");
	return 0;
}

static int
check_content(const struct readback *e, struct untar *u, const json_t *file, const char *path, struct fault *f)
{
	uint8_t got[DIGEST_BYTES], wanted[DIGEST_BYTES];
	char piece[PIECE];
	struct digest digest;
	ssize_t n;

	digest_begin(&digest);
	while ((n = untar_read(u, piece, sizeof piece, f)) > 0)
		digest_add(&digest, piece, (size_t)n);
	if (n == -1)
		return -1;
	digest_end(&digest, got);
	if (!digest_parse(json_text_at(file, "sha256"), wanted) || !digest_equal(got, wanted))
		return unverified(e, f, path, "its content is not what was sent");
	return 0;
}

/* Directories are not in the manifest; what is in them is. */
static int
check_entry(struct readback *e, struct untar *u, struct archive_entry *entry, struct fault *f)
{
	const char *path = untar_path(entry, f);
	bool directory = archive_entry_filetype(entry) == AE_IFDIR;
	const json_t *file;

	if (path == NULL)
		return -1;
	if (directory && *path == '\0' && !e->owned)
		return 0;
	if (e->owned && (archive_entry_uid(entry) != e->uid || archive_entry_gid(entry) != e->gid))
		return unverified(e, f, path, "belongs to somebody else than it should");
	if (directory)
		return archive_entry_perm(entry) == 0755 ? 0
		                                         : unverified(e, f, path, "has another mode than it should");
	if (archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry) != NULL ||
	    (file = json_object_get(e->files, path)) == NULL)
		return unverified(e, f, path, "is there and should not be");
	if (archive_entry_size(entry) != json_int_at(file, "size", -1) ||
	    archive_entry_perm(entry) != (__LA_MODE_T)json_int_at(file, "mode", -1))
		return unverified(e, f, path, "has another size or mode than it should");
	if (check_content(e, u, file, path, f) == -1)
		return -1;
	e->count++;
	e->bytes += archive_entry_size(entry);
	json_object_del(e->files, path);
	return 0;
}

int
readback_check(struct readback *e, struct http *h, struct fault *f)
{
	struct untar *u = untar_begin(h);
	struct archive_entry *entry;
	int status = 0;

	while (status == 0 && (entry = untar_next(u, f)) != NULL)
		status = check_entry(e, u, entry, f);
	untar_end(u);
	if (fault_is(f))
		return -1;
	if (json_object_size(e->files) > 0)
		return unverified(e, f, json_object_iter_key(json_object_iter(e->files)), "is missing");
	return 0;
}

json_t *
readback_member(const struct readback *e)
{
	return json_make(
	    "{s:I, s:I, s:b}", "files", (json_int_t)e->count, "bytes", (json_int_t)e->bytes, "verified", 1);
}

void
readback_free(struct readback *e)
{
	json_decref(e->files);
	e->files = NULL;
}
