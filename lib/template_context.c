/* template_context - what is sent to be built into a template: plain files and directories, and their digests */

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "beneath.h"
#include "template_context.h"
#include "x.h"

enum {
	PIECE = 65536
};

static int
refuse(struct fault *f, const char *path, const char *why)
{
	return fault_set(f, STATUS_NO, "context_refused", "context: %s: %s", path, why);
}

static int
add(struct context *c, const char *path, const struct stat *st, struct fault *f)
{
	if (!S_ISREG(st->st_mode) && !S_ISDIR(st->st_mode))
		return refuse(f, path, S_ISLNK(st->st_mode) ? "is a link" : "is neither a file nor a directory");
	if (strchr(path, '\\') != NULL)
		return refuse(f, path, "has a backslash in its name");
	/* The room doubles as it is used up. */
	if ((c->count & (c->count - 1)) == 0)
		c->entry = x_realloc(c->entry, c->count > 0 ? 2 * c->count : 1, sizeof *c->entry);
	c->entry[c->count++] = (struct context_entry) {x_strdup(path), *st};
	c->files += S_ISREG(st->st_mode);
	c->bytes += S_ISREG(st->st_mode) ? st->st_size : 0;
	return 0;
}

static int
by_path(const void *a, const void *b)
{
	return strcmp(((const struct context_entry *)a)->path, ((const struct context_entry *)b)->path);
}

int
context_read(struct context *c, const char *place, int dir, struct fault *f)
{
	auto_free char *root = x_strdup(place);
	char *const roots[] = {root, NULL};
	FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	FTSENT *entry;
	int status = 0;

	*c = (struct context) {.dir = dir};
	while (status == 0 && fts != NULL && (errno = 0, entry = fts_read(fts)) != NULL)
		if (entry->fts_info == FTS_ERR || entry->fts_info == FTS_DNR || entry->fts_info == FTS_NS) {
			errno = entry->fts_errno;
			status = fault_errno(f, STATUS_TROUBLE, "context_unreadable", "%s", entry->fts_path);
		} else if (entry->fts_info != FTS_DP && entry->fts_level > 0)
			status = add(c, entry->fts_path + strlen(place) + 1, entry->fts_statp, f);
	if (status == 0 && errno != 0)
		status = fault_errno(f, STATUS_TROUBLE, "context_unreadable", "%s", place);
	if (fts != NULL)
		fts_close(fts);
	if (c->count > 0)
		qsort(c->entry, c->count, sizeof *c->entry, by_path);
	return status;
}

void
context_free(struct context *c)
{
	for (size_t i = 0; i < c->count; i++)
		free(c->entry[i].path);
	free(c->entry);
	*c = (struct context) {0};
}

/* Is PATH what a COPY of SOURCE takes? */
static bool
is_of(const char *path, const char *source)
{
	size_t len = strlen(source);

	return strncmp(path, source, len) == 0 && (path[len] == '\0' || path[len] == '/');
}

/* What the step copies, or NULL for steps that do not copy. */
static const char *
source_of(const json_t *step)
{
	return strcmp(json_text_at(step, "type"), "COPY") == 0
	           ? json_string_value(json_array_get(json_object_get(step, "args"), 0))
	           : NULL;
}

/* Is the entry, a file or a directory, one that some step copies, above such a one, or MORE? */
static bool
is_declared(const struct context_entry *e, const json_t *steps, const char *more)
{
	const json_t *step;
	size_t i;

	json_array_foreach (steps, i, step) {
		const char *source = source_of(step);

		if (source != NULL && (is_of(e->path, source) || (S_ISDIR(e->st.st_mode) && is_of(source, e->path))))
			return true;
	}
	return strcmp(e->path, more) == 0;
}

static bool
has(const struct context *c, const char *path)
{
	for (size_t i = 0; i < c->count; i++)
		if (strcmp(c->entry[i].path, path) == 0)
			return true;
	return false;
}

int
context_check(const struct context *c, const json_t *steps, const char *more, struct fault *f)
{
	const json_t *step;
	size_t i;

	json_array_foreach (steps, i, step) {
		const char *source = source_of(step);

		if (source != NULL && !has(c, source))
			return refuse(f, source, "is to be copied and is not there");
	}
	for (i = 0; i < c->count; i++)
		if (!is_declared(&c->entry[i], steps, more))
			return refuse(f, c->entry[i].path, "is there and nothing copies it");
	return 0;
}

static int
add_content(const struct context *c, const struct context_entry *e, struct digest *d, struct fault *f)
{
	auto_free char *piece = x_alloc(PIECE);
	auto_close int fd = beneath_open(c->dir, e->path, O_RDONLY, 0);
	int64_t left = e->st.st_size;
	ssize_t n = 0;

	if (fd == -1)
		return fault_errno(f, STATUS_TROUBLE, "context_unreadable", "%s", e->path);
	while ((n = read(fd, piece, PIECE)) > 0) {
		digest_add(d, piece, (size_t)n);
		left -= n;
	}
	if (n == -1)
		return fault_errno(f, STATUS_TROUBLE, "context_unreadable", "%s", e->path);
	return left == 0 ? 0
	                 : fault_set(f, STATUS_TROUBLE, "context_changed", "%s: changed while it was read", e->path);
}

static void
finish(struct digest *d, char hex[static DIGEST_TEXT])
{
	uint8_t bytes[DIGEST_BYTES];

	digest_end(d, bytes);
	digest_hex(bytes, hex);
}

int
context_digest(const struct context *c, char hex[static DIGEST_TEXT], struct fault *f)
{
	struct digest d;

	digest_begin(&d);
	for (size_t i = 0; i < c->count; i++) {
		const struct context_entry *e = &c->entry[i];
		uint64_t size = htobe64((uint64_t)e->st.st_size);

		if (!S_ISREG(e->st.st_mode))
			continue;
		digest_add(&d, e->path, strlen(e->path) + 1);
		digest_add(&d, &size, sizeof size);
		if (add_content(c, e, &d, f) == -1)
			return -1;
	}
	finish(&d, hex);
	return 0;
}

int
context_files_hash(
    const struct context *c, const char *source, const char *destination, char hex[static DIGEST_TEXT], struct fault *f)
{
	auto_free char *head = x_printf("COPY %s %s", source, destination);
	struct digest d;

	digest_begin(&d);
	digest_add(&d, head, strlen(head));
	for (size_t i = 0; i < c->count; i++) {
		const struct context_entry *e = &c->entry[i];
		auto_free char *words =
		    x_printf("%s%u%lld", e->path, (unsigned)e->st.st_mode, (long long)e->st.st_size);

		if (!is_of(e->path, source))
			continue;
		digest_add(&d, words, strlen(words));
		if (S_ISREG(e->st.st_mode) && add_content(c, e, &d, f) == -1)
			return -1;
	}
	finish(&d, hex);
	return 0;
}
