/* tar - the same tar for the same files, always: GNU format, names as bytes, one owner, fixed modes, time 0 */

#include <archive.h>
#include <archive_entry.h>
#include <err.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "tar.h"
#include "x.h"

enum {
	PIECE = 65536 /* small headers and files go to the sink together */
};

struct tar {
	struct archive *archive;
	struct archive_entry *entry;
	tar_sink *sink;
	void *context;
	uint32_t uid, gid;
	bool cut; /* nothing goes to the sink any more */
};

static la_ssize_t
pass(struct archive *archive, void *tar, const void *bytes, size_t len)
{
	struct tar *t = tar;

	(void)archive;
	return t->cut || t->sink(bytes, len, t->context) == 0 ? (la_ssize_t)len : -1;
}

static struct archive *
checked(struct archive *a, int status)
{
	if (status != ARCHIVE_OK)
		errx(2, "tar: %s", archive_error_string(a));
	return a;
}

/* GNU format takes names of any length as they are; pax would ask the locale what they mean. */
struct tar *
tar_new(tar_sink *sink, void *context, uint32_t uid, uint32_t gid)
{
	struct tar *t = x_zalloc(1, sizeof *t);
	struct archive *a = archive_write_new();

	t->archive = a;
	t->entry = archive_entry_new();
	if (t->archive == NULL || t->entry == NULL)
		err(2, "memory");
	t->sink = sink;
	t->context = context;
	t->uid = uid;
	t->gid = gid;
	checked(a, archive_write_set_format_gnutar(a));
	checked(a, archive_write_set_bytes_per_block(a, PIECE));
	checked(a, archive_write_set_bytes_in_last_block(a, 1));
	checked(a, archive_write_open(a, t, NULL, pass, NULL));
	return t;
}

static int
add_header(struct tar *t, const char *path, mode_t mode, size_t len)
{
	struct archive_entry *e = archive_entry_clear(t->entry);

	archive_entry_set_pathname(e, path);
	archive_entry_set_mode(e, mode);
	archive_entry_set_size(e, (la_int64_t)len);
	archive_entry_set_mtime(e, 0, 0);
	archive_entry_set_uid(e, t->uid);
	archive_entry_set_gid(e, t->gid);
	return archive_write_header(t->archive, e) == ARCHIVE_OK ? 0 : -1;
}

int
tar_directory(struct tar *t, const char *path)
{
	return add_header(t, path, S_IFDIR | TAR_DIRECTORY_MODE, 0);
}

int
tar_file(struct tar *t, const char *path, const void *bytes, size_t len)
{
	if (add_header(t, path, S_IFREG | TAR_FILE_MODE, len) == -1)
		return -1;
	return len == 0 || archive_write_data(t->archive, bytes, len) == (la_ssize_t)len ? 0 : -1;
}

int
tar_end(struct tar *t)
{
	return archive_write_close(t->archive) == ARCHIVE_OK ? 0 : -1;
}

void
tar_free(struct tar *t)
{
	if (t == NULL)
		return;
	archive_entry_free(t->entry);
	/* It writes an end here if there was none. */
	t->cut = true;
	archive_write_free(t->archive);
	free(t);
}
