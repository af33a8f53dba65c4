/* findings - the diagnostics of logs as JSON: each told once, its file seen from the bundle, no more of them than there is room */

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "findings.h"
#include "lexical.h"
#include "x.h"

enum {
	PIECE = 65536
};

static const char *const severities[] = {
    [SEVERITY_ERROR] = "error", [SEVERITY_WARNING] = "warning", [SEVERITY_NOTE] = "note"};

json_t *
findings_staged(const json_t *manifest, struct fault *f)
{
	const json_t *files = json_object_get(manifest, "files"), *file;
	json_t *staged = json_object();
	size_t i;

	json_array_foreach (files, i, file) {
		const char *path = json_text_at(file, "path");
		json_t *name = json_object_get(file, "bundle_path");

		if (path == NULL || !json_is_string(name) || json_object_set(staged, path, name) == -1)
			files = NULL;
	}
	if (json_is_array(files))
		return staged;
	fault_fill(
	    f, STATUS_TROUBLE, "manifest_invalid", "the bundle's manifest: no files that have path and bundle_path");
	json_decref(staged);
	return NULL;
}

/* The file's path below the root; NULL when it is elsewhere. */
static const char *
inside(struct findings *f, struct text file)
{
	lexical_resolve(&f->path, f->cwd, file);
	return lexical_inside(f->path.data, f->root);
}

/*
 * A path in the bundle, which alone makes it owned; without a manifest the path below the root; else the absolute path, which no
 * bundle's path can be equal to. No part of a path is ever matched alone.
 */
static json_t *
locate(struct findings *f, struct text file, bool *owned)
{
	const char *below;
	json_t *name;

	*owned = false;
	if (f->cwd == NULL || f->root == NULL)
		return json_lossy(file.at, file.len);
	below = inside(f, file);
	name = below == NULL ? NULL : json_object_get(f->staged, below);
	*owned = name != NULL;
	if (name != NULL)
		return json_incref(name);
	if (below == NULL || f->staged != NULL)
		below = f->path.data;
	return json_lossy(below, strlen(below));
}

static bool
is_ours(struct text file, void *to)
{
	struct findings *f = to;
	const char *below;

	if (f->cwd == NULL || f->root == NULL)
		return true;
	below = inside(f, file);
	return below != NULL && (f->staged == NULL || json_object_get(f->staged, below) != NULL);
}

static json_t *
make(struct findings *f, const struct diagnostic *d)
{
	json_t *one = json_make("{s:s}", "tool", d->tool);
	bool owned = false;

	if (d->code.len > 0)
		json_object_set_new(one, "code", json_lossy(d->code.data, d->code.len));
	json_object_set_new(one, "severity", json_string(severities[d->severity]));
	if (d->file.len > 0) {
		struct text file = {d->file.data, d->file.len};

		json_object_set_new(one, "file", locate(f, file, &owned));
		if (d->at.line > 0)
			json_object_set_new(one, "line", json_integer(d->at.line));
		if (d->at.line > 0 && d->at.column > 0)
			json_object_set_new(one, "column", json_integer(d->at.column));
	}
	json_object_set_new(one, "message", json_lossy(d->message.data, d->message.len));
	json_object_set_new(one, "owned", json_boolean(owned));
	return one;
}

/* Warnings have room of their own, so that no number of them keeps an error out. */
static void
found(const struct diagnostic *d, void *to)
{
	struct findings *f = to;
	bool lesser = d->severity != SEVERITY_ERROR;
	size_t room = lesser ? f->room / 4 : f->room;
	auto_buf struct buf text = {0};
	json_t *one;

	if (!lesser && f->passed)
		return;
	if (f->used[lesser] > room) {
		f->left_out++;
		return;
	}
	one = make(f, d);
	json_add_text(&text, one);
	if (json_object_get(f->seen, text.data) == NULL) {
		f->used[lesser] += text.len;
		if (f->used[lesser] > room)
			f->left_out++;
		else {
			json_object_set_new(f->seen, text.data, json_null());
			json_array_append(f->list, one);
		}
	}
	json_decref(one);
}

struct diagnose
findings_begin(struct findings *f)
{
	if (f->list == NULL) {
		f->list = json_array();
		f->seen = json_object();
	}
	return (struct diagnose) {.sink = {found, is_ours, f}};
}

int
findings_read(struct findings *f, int fd)
{
	struct diagnose d = findings_begin(f);
	auto_free char *piece = x_alloc(PIECE);
	ssize_t n;

	while ((n = read(fd, piece, PIECE)) > 0 || (n == -1 && errno == EINTR))
		if (n > 0)
			diagnose_feed(&d, piece, (size_t)n);
	diagnose_end(&d);
	return (int)n;
}

void
findings_look(struct findings *f, const char *bytes, size_t len)
{
	struct diagnose d = findings_begin(f);

	diagnose_feed(&d, bytes, len);
	diagnose_end(&d);
}

json_t *
findings_end(struct findings *f)
{
	json_t *list = f->list != NULL ? x_steal(f->list) : json_array();

	if (f->left_out > 0) {
		auto_free char *message = x_printf("%lld more had no room here", (long long)f->left_out);

		json_array_append_new(list, json_make("{s:s, s:s, s:s, s:s, s:b}", "tool", "sbx-diagnose", "code",
		                                "left_out", "severity", "note", "message", message, "owned", 0));
	}
	json_decref(f->seen);
	f->seen = NULL;
	buf_free(&f->path);
	return list;
}
