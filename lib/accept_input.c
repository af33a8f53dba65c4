/* accept_input - what the acceptance rules get to see of a staged bundle: one JSON document (sbx-accept(1)) */

#include <archive.h>
#include <archive_entry.h>
#include <err.h>
#include <string.h>

#include "accept_input.h"
#include "fd.h"

enum {
	BLOCK = 65536
};

/* What is composed, and what is left of the bounds. */
struct input {
	struct archive *tar;
	json_t *left; /* owned: the manifest's files that did not come yet */
	int out;
	size_t texts, values; /* bytes and values that may still be given */
	struct buf content, text;
	struct fault *fault;
};

static int
changed(const struct input *in, const char *path, const char *what)
{
	return fault_set(in->fault, STATUS_TROUBLE, "bundle_changed", "%s: %s", path, what);
}

/* Its content, or as much of it as is given at most and one byte more. */
static int
read_content(struct input *in, const char *path)
{
	in->content.len = 0;
	while (in->content.len <= ACCEPT_TEXT_MOST) {
		la_ssize_t n = archive_read_data(in->tar, buf_reserve(&in->content, BLOCK), BLOCK);

		if (n < 0)
			return changed(in, path, "the staged tar can't be read");
		if (n == 0)
			break;
		in->content.len += (size_t)n;
	}
	return 0;
}

static void
set_text(struct input *in, json_t *file)
{
	const struct buf *content = &in->content;

	if (memchr(content->data, '\0', content->len) != NULL)
		return;
	if (content->len > ACCEPT_TEXT_MOST)
		json_object_set_new(file, "withheld", json_string("is larger than 4 MiB"));
	else if (content->len > in->texts)
		json_object_set_new(file, "withheld", json_string("comes after the first 16 MiB of text"));
	else {
		in->texts -= content->len;
		json_object_set_new(file, "text", json_lossy(content->data, content->len));
	}
}

/* At most as many values as the text has: one more than it has commas and brackets. */
static size_t
count_values(const struct buf *content)
{
	size_t count = 1;

	for (size_t i = 0; i < content->len; i++)
		count += content->data[i] == ',' || content->data[i] == '[' || content->data[i] == '{';
	return count;
}

static json_t *
parse_document(struct input *in)
{
	size_t values = count_values(&in->content);
	char why[JSON_ERROR_TEXT_LENGTH];
	json_t *value;

	if (in->content.len > ACCEPT_JSON_MOST)
		return json_make("{s:s}", "withheld", "is larger than 1 MiB");
	if (values > in->values)
		return json_make("{s:s}", "withheld", "comes after the first 200000 values of documents");
	in->values -= values;
	value = json_parse_any(in->content.data, in->content.len, why);
	if (value != NULL)
		return json_make("{s:o}", "value", value);
	return json_make("{s:o}", "malformed", json_lossy(why, strlen(why)));
}

static bool
is_document(const char *path)
{
	size_t len = strlen(path);

	return len > 5 && strcmp(path + len - 5, ".json") == 0;
}

static int
flush(struct input *in)
{
	int status = fd_write(in->out, in->text.data, in->text.len);

	in->text.len = 0;
	return status == 0 ? 0 : fault_errno(in->fault, STATUS_TROUBLE, "write_failed", "the rules' input");
}

static int
add_file(struct input *in, const char *path, const json_t *entry)
{
	json_auto_t *file = json_make("{s:O, s:O, s:O}", "path", json_object_get(entry, "bundle_path"), "size",
	    json_object_get(entry, "size"), "sha256", json_object_get(entry, "sha256"));
	json_auto_t *key = json_string(path);

	if (read_content(in, path) == -1)
		return -1;
	set_text(in, file);
	if (is_document(path))
		json_object_set_new(file, "json", parse_document(in));
	json_add_text(&in->text, key);
	buf_text(&in->text, ":");
	json_add_text(&in->text, file);
	json_object_del(in->left, path);
	buf_text(&in->text, json_object_size(in->left) > 0 ? "," : "");
	return flush(in);
}

/* Directories are not in the manifest; what is in them is. */
static int
add_entry(struct input *in, struct archive_entry *entry)
{
	const char *path = archive_entry_pathname(entry);
	const json_t *file = path != NULL ? json_object_get(in->left, path) : NULL;

	if (archive_entry_filetype(entry) == AE_IFDIR)
		return 0;
	if (archive_entry_filetype(entry) != AE_IFREG || file == NULL)
		return changed(in, path != NULL ? path : "?", "is in the staged tar and not in the manifest");
	if (archive_entry_size(entry) != json_int_at(file, "size", -1) || json_text_at(file, "bundle_path") == NULL ||
	    json_text_at(file, "sha256") == NULL)
		return changed(in, path, "is not what the manifest says");
	return add_file(in, path, file);
}

static int
add_entries(struct input *in, int tar)
{
	int code = archive_read_open_fd(in->tar, tar, BLOCK);
	struct archive_entry *entry;

	while (code == ARCHIVE_OK && (code = archive_read_next_header(in->tar, &entry)) == ARCHIVE_OK)
		if (add_entry(in, entry) == -1)
			return -1;
	if (code != ARCHIVE_EOF)
		return changed(in, "the staged tar", "can't be read");
	if (json_object_size(in->left) > 0)
		return changed(in, json_object_iter_key(json_object_iter(in->left)),
		    "is in the manifest and not in the staged tar");
	return 0;
}

int
accept_input(int tar, const json_t *files, const struct profile *p, int out, struct fault *f)
{
	struct input in = {.tar = archive_read_new(),
	    .left = json_copy((json_t *)files),
	    .out = out,
	    .texts = ACCEPT_TEXTS_MOST,
	    .values = ACCEPT_VALUES_MOST,
	    .fault = f};
	json_auto_t *profile = json_make("{s:s, s:b, s:s}", "name", p->name, "canonical", p->canonical, "prefix",
	    p->app_prefix != NULL ? p->app_prefix : "");
	int status;

	if (in.tar == NULL || archive_read_support_format_tar(in.tar) != ARCHIVE_OK)
		errx(STATUS_TROUBLE, "libarchive reads no tar");
	buf_text(&in.text, "{\"profile\":");
	json_add_text(&in.text, profile);
	buf_text(&in.text, ",\"files\":{");
	status = add_entries(&in, tar);
	buf_text(&in.text, "}}");
	if (status == 0)
		status = flush(&in);
	archive_read_free(in.tar);
	json_decref(in.left);
	buf_free(&in.content);
	buf_free(&in.text);
	return status;
}
