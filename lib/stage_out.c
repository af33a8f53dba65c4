/* stage_out - what staging leaves in a run's directory: the tar and the manifest, both whole or neither */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "crash.h"
#include "fd.h"
#include "json.h"
#include "name.h"
#include "path.h"
#include "stage_out.h"
#include "tar.h"
#include "x.h"

enum {
	/* Bytes of tar around the contents of an entry: headers, those for a long name, padding. */
	AROUND = 4 * 512 + 2 * NAME_MOST,
};

int
stage_out_begin(struct stage_out *o, const char *dir, const struct profile *profile, struct fault *f)
{
	*o = (struct stage_out) {.profile = profile, .fault = f, .fd = -1};
	o->most = profile->limits.total_bytes + (profile->limits.entries + 1) * AROUND;
	o->tar = x_printf("%s/bundle.tar", dir);
	o->manifest = x_printf("%s/manifest.json", dir);
	digest_begin(&o->digest);
	buf_text(&o->before, "");
	o->fd = path_begin(o->tar, &o->temp, f);
	crash_point("stage.tar.begun");
	return o->fd == -1 ? -1 : 0;
}

int
stage_out_tar(const void *bytes, size_t len, void *out)
{
	struct stage_out *o = out;

	o->tar_bytes += len;
	if (o->tar_bytes > o->most)
		return fault_set(
		    o->fault, STATUS_TROUBLE, "parser_died", "%s: no bundle makes a tar that large", o->tar);
	digest_add(&o->digest, bytes, len);
	if (fd_write(o->fd, bytes, len) == -1)
		return fault_errno(o->fault, STATUS_TROUBLE, "write_failed", "%s", o->temp);
	return 0;
}

/* Is this a file that may follow those before it? Fills path. */
static bool
is_possible(struct stage_out *o, const char *name, size_t len, uint64_t size)
{
	const struct limits *most = &o->profile->limits;

	o->path.len = 0;
	profile_place(o->profile, name, len, false, &o->path);
	return name_check(name, len) == RULE_NONE && strcmp(o->before.data, o->path.data) < 0 &&
	       size <= most->entry_bytes && size <= most->total_bytes - o->total_bytes && o->files < most->entries;
}

int
stage_out_file(
    struct stage_out *o, const char *name, size_t len, uint64_t size, const uint8_t digest[static DIGEST_BYTES])
{
	char hex[DIGEST_TEXT];
	json_auto_t *row = NULL;
	struct buf path;

	if (!is_possible(o, name, len, size))
		return fault_set(o->fault, STATUS_TROUBLE, "parser_died",
		    "%s: the parser tells of a file that no bundle can have", o->tar);
	digest_hex(digest, hex);
	row = json_make("{s:s, s:s%, s:I, s:s, s:i}", "path", o->path.data, "bundle_path", name, len, "size",
	    (json_int_t)size, "sha256", hex, "mode", TAR_FILE_MODE);
	buf_text(&o->rows, o->files > 0 ? "," : "");
	json_add_text(&o->rows, row);
	o->files++;
	o->total_bytes += size;
	path = o->before;
	o->before = o->path;
	o->path = path;
	return 0;
}

/* Not synced: after a power cut the run is over, and with it what these files are for. */
static int
place(struct stage_out *o, const char *temp, const char *path)
{
	if (rename(temp, path) == 0)
		return 0;
	fault_fill_errno(o->fault, STATUS_TROUBLE, "write_failed", "%s", path);
	unlink(temp);
	return -1;
}

static int
write_manifest(struct stage_out *o)
{
	auto_buf struct buf text = {0};
	auto_free char *temp = NULL;
	auto_close int fd = path_begin(o->manifest, &temp, o->fault);

	if (fd == -1)
		return -1;
	buf_text(&text, "{\"sbx_manifest\":1,\"files\":[");
	buf_add(&text, o->rows.data, o->rows.len);
	buf_printf(&text, "],\"owner\":{\"uid\":%u,\"gid\":%u}}\n", o->profile->uid, o->profile->gid);
	if (fd_write(fd, text.data, text.len) == 0)
		return place(o, temp, o->manifest);
	fault_fill_errno(o->fault, STATUS_TROUBLE, "write_failed", "%s", temp);
	unlink(temp);
	return -1;
}

void
stage_out_digest(struct stage_out *o, uint8_t digest[static DIGEST_BYTES])
{
	digest_end(&o->digest, digest);
}

int
stage_out_commit(struct stage_out *o)
{
	auto_free char *temp = NULL;

	crash_point("stage.tar.written");
	if (write_manifest(o) == -1)
		return -1;
	crash_point("stage.manifest.placed");
	temp = x_steal(o->temp);
	if (place(o, temp, o->tar) == 0) {
		crash_point("stage.tar.placed");
		return 0;
	}
	unlink(o->manifest);
	return -1;
}

void
stage_out_free(struct stage_out *o)
{
	if (o->temp != NULL)
		unlink(o->temp);
	x_close_at(&o->fd);
	free(o->temp);
	free(o->tar);
	free(o->manifest);
	buf_free(&o->rows);
	buf_free(&o->path);
	buf_free(&o->before);
}
