/* untar - read a tar as it arrives over HTTP */

#include <err.h>
#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "untar.h"
#include "x.h"

enum {
	PIECE = 65536
};

struct untar {
	struct archive *archive;
	struct http *http;
	struct fault *fault; /* of the call that is reading */
	struct fault none;   /* for reads that nobody waits for */
	char piece[PIECE];
};

static la_ssize_t
read_piece(struct archive *a, void *context, const void **bytes)
{
	struct untar *u = context;
	ssize_t n = http_read(u->http, u->piece, sizeof u->piece, u->fault);

	if (n == -1)
		archive_set_error(a, EIO, "%s", u->fault->message);
	*bytes = u->piece;
	return n;
}

static void
malformed(struct untar *u, struct fault *f)
{
	const char *why = archive_error_string(u->archive);

	fault_fill(f, STATUS_TROUBLE, "tar_malformed", "the Engine's tar: %s", why != NULL ? why : "not readable");
}

struct untar *
untar_begin(struct http *http)
{
	struct untar *u = x_zalloc(1, sizeof *u);

	/* Names are UTF-8 in either kind of header; libarchive converts them to the locale's charset. */
	setlocale(LC_CTYPE, "C.UTF-8");
	u->http = http;
	u->archive = archive_read_new();
	if (u->archive == NULL || archive_read_support_format_tar(u->archive) != ARCHIVE_OK)
		errx(STATUS_TROUBLE, "libarchive reads no tar");
	return u;
}

struct archive_entry *
untar_next(struct untar *u, struct fault *f)
{
	struct archive_entry *entry;
	int code = ARCHIVE_OK;

	u->fault = f;
	/* Opening reads, so it waits until there is a fault to fill. */
	if (archive_format(u->archive) == 0)
		code = archive_read_open(u->archive, u, NULL, read_piece, NULL);
	if (code == ARCHIVE_OK)
		code = archive_read_next_header(u->archive, &entry);
	if (code == ARCHIVE_OK)
		return entry;
	if (code != ARCHIVE_EOF)
		malformed(u, f);
	return NULL;
}

const char *
untar_path(struct archive_entry *entry, struct fault *f)
{
	const char *path = archive_entry_pathname(entry);

	if (path == NULL) {
		fault_fill(f, STATUS_TROUBLE, "tar_malformed", "the Engine's tar: a name in it is not UTF-8");
		return NULL;
	}
	path += strcspn(path, "/");
	return path + (*path == '/');
}

ssize_t
untar_read(struct untar *u, void *bytes, size_t len, struct fault *f)
{
	la_ssize_t n;

	u->fault = f;
	n = archive_read_data(u->archive, bytes, len);
	if (n < 0) {
		malformed(u, f);
		return -1;
	}
	return n;
}

void
untar_end(struct untar *u)
{
	u->fault = &u->none;
	archive_read_free(u->archive);
	fault_clear(&u->none);
	free(u);
}
