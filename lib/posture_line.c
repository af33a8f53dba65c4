/* posture_line - what the staged bundle of a line asks for when it is previewed */

#include <archive.h>
#include <archive_entry.h>
#include <err.h>
#include <string.h>
#include <unistd.h>

#include "bundle.h"
#include "posture_line.h"

enum {
	BLOCK = 65536,
	DOCUMENT_MOST = 1 << 20
};

/* All of the entry that A is at. */
static int
read_entry(struct archive *a, struct buf *text)
{
	la_ssize_t n;

	while ((n = archive_read_data(a, buf_reserve(text, BLOCK), BLOCK)) > 0 && text->len <= DOCUMENT_MOST)
		text->len += (size_t)n;
	return n == 0 ? 0 : -1;
}

static int
read_file(struct archive *a, int tar, const char *path, struct buf *text)
{
	struct archive_entry *entry;

	if (lseek(tar, 0, SEEK_SET) == -1 || archive_read_open_fd(a, tar, BLOCK) != ARCHIVE_OK)
		return -1;
	while (archive_read_next_header(a, &entry) == ARCHIVE_OK) {
		const char *name = archive_entry_pathname(entry);

		if (name != NULL && strcmp(name, path) == 0 && archive_entry_filetype(entry) == AE_IFREG)
			return read_entry(a, text);
	}
	return -1;
}

/* The app's document NAME, a new reference. */
static json_t *
read_document(int tar, const char *name, const char *reason, struct fault *f)
{
	auto_free char *path = x_printf("app/%s", name);
	struct archive *a = archive_read_new();
	auto_buf struct buf text = {0};
	char why[JSON_ERROR_TEXT_LENGTH];
	json_t *value = NULL;

	if (a == NULL || archive_read_support_format_tar(a) != ARCHIVE_OK)
		errx(STATUS_TROUBLE, "libarchive reads no tar");
	if (read_file(a, tar, path, &text) == -1)
		fault_fill(f, STATUS_NO, reason, "%s: the bundle has no such file of at most 1 MiB", path);
	else if ((value = json_parse_any(text.data, text.len, why)) == NULL)
		fault_fill(f, STATUS_NO, reason, "%s: %s", path, why);
	archive_read_free(a);
	return value;
}

int
posture_line(struct posture *p, const struct line *l, struct fault *f)
{
	auto_close int tar = bundle_tar(l, f);
	json_auto_t *manifest = tar == -1 ? NULL : read_document(tar, "app.json", "app_invalid", f), *contract = NULL;
	const char *name = manifest == NULL ? NULL : posture_contract(manifest, f);

	if (name != NULL)
		contract = read_document(tar, name, "auth_invalid", f);
	return fault_is(f) ? -1 : posture_from(p, manifest, contract, f);
}
