/* bundle - the staged bundle that a line names: its tar and its manifest */

#include <fcntl.h>
#include <unistd.h>

#include "bundle.h"
#include "digest.h"
#include "fd.h"
#include "x.h"

enum {
	MANIFEST_MOST = 64 << 20,
	PIECE = 65536
};

int
bundle_tar(const struct line *l, struct fault *f)
{
	const char *path = json_text_at(l->root, "bundle.tar"), *wanted = json_text_at(l->root, "bundle.tar_sha256");
	auto_close int fd = path != NULL ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
	uint8_t digest[DIGEST_BYTES], expected[DIGEST_BYTES];
	auto_free char *piece = x_alloc(PIECE);
	struct digest state;
	ssize_t n;

	if (path == NULL || wanted == NULL || !digest_parse(wanted, expected))
		return fault_set(f, STATUS_TROUBLE, "bundle_missing",
		    "stdin:%lu: no bundle with tar and tar_sha256: sbx-stage comes before", l->number);
	if (fd == -1)
		return fault_errno(f, STATUS_TROUBLE, "bundle_missing", "%s", path);
	digest_begin(&state);
	while ((n = read(fd, piece, PIECE)) > 0)
		digest_add(&state, piece, (size_t)n);
	digest_end(&state, digest);
	if (n == -1)
		return fault_errno(f, STATUS_TROUBLE, "bundle_missing", "%s", path);
	if (!digest_equal(digest, expected))
		return fault_set(
		    f, STATUS_TROUBLE, "bundle_changed", "%s: not what was staged: its SHA-256 is another", path);
	if (lseek(fd, 0, SEEK_SET) == -1)
		return fault_errno(f, STATUS_TROUBLE, "bundle_missing", "%s", path);
	return x_steal_fd(&fd);
}

json_t *
bundle_manifest_at(const char *path, struct fault *f)
{
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	auto_buf struct buf text = {0};
	char why[JSON_ERROR_TEXT_LENGTH];
	json_t *manifest;

	if (fd == -1 || fd_read_all(fd, &text, MANIFEST_MOST) == -1) {
		fault_fill_errno(f, STATUS_TROUBLE, "bundle_missing", "the bundle's manifest %s", path);
		return NULL;
	}
	if ((manifest = json_parse(text.data, text.len, why)) == NULL)
		fault_fill(f, STATUS_TROUBLE, "manifest_invalid", "%s: %s", path, why);
	return manifest;
}

json_t *
bundle_manifest(const struct line *l, struct fault *f)
{
	const char *path = json_text_at(l->root, "bundle.manifest");

	if (path != NULL)
		return bundle_manifest_at(path, f);
	fault_fill(f, STATUS_TROUBLE, "bundle_missing",
	    "stdin:%lu: no bundle with its manifest: sbx-stage comes before", l->number);
	return NULL;
}

json_t *
bundle_files(const json_t *manifest, const char *key, struct fault *f)
{
	const json_t *list = json_object_get(manifest, "files"), *file;
	json_t *files = json_object();
	size_t i;

	json_array_foreach ((json_t *)list, i, file)
		if (json_text_at(file, key) != NULL)
			json_object_set(files, json_text_at(file, key), (json_t *)file);
	if (json_object_size(files) == json_array_size(list))
		return files;
	json_decref(files);
	fault_fill(f, STATUS_TROUBLE, "manifest_invalid",
	    "the bundle's manifest does not give each file a %s of its own", key);
	return NULL;
}
