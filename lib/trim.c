/* trim - how much of a build's output evidence keeps (the seeds' APP_VALIDATION_BUILD_OUTPUT_MAX_CHARS) */

#include <err.h>
#include <string.h>

#include "span.h"
#include "trim.h"

/* The last MOST characters of UTF-8 text; the text itself when it has no more. */
static const char *
last_characters(const char *text, int64_t most)
{
	const char *p = text + strlen(text);

	while (p > text && most > 0)
		if (((unsigned char)*--p & 0xc0) != 0x80)
			most--;
	return p;
}

static struct span_member
find_in_result(const struct buf *text, const char *name)
{
	struct span_member result, member;

	if (!span_find(text->data, (struct span) {0, text->len}, "result", &result) ||
	    !span_find(text->data, result.value, name, &member))
		errx(STATUS_TROUBLE, "result.%s is not where it was read", name);
	return member;
}

static void
keep(struct buf *text, const char *characters, bool is_marked)
{
	static const char mark[] = ",\"build_output_truncated\":true";
	json_auto_t *string = json_string(characters);
	auto_buf struct buf value = {0};

	json_add_text(&value, string);
	span_replace(text, find_in_result(text, "build_output").value, value.data, value.len);
	if (is_marked)
		span_replace(text, find_in_result(text, "build_output_truncated").value, "true", strlen("true"));
	else
		buf_insert(text, find_in_result(text, "build_output").value.end, mark, strlen(mark));
}

void
trim_output(struct line *l, int64_t most)
{
	const json_t *output = json_at(l->root, "result.build_output");
	const char *whole = json_string_value(output), *kept;
	char why[JSON_ERROR_TEXT_LENGTH];
	auto_buf struct buf text = {0};
	json_t *old = l->root;

	if (output == NULL)
		return;
	kept = whole == NULL || most <= 0 ? NULL : last_characters(whole, most);
	if (kept != NULL && kept == whole)
		return;
	buf_add(&text, l->text.data, l->text.len);
	if (kept == NULL)
		span_replace(&text, find_in_result(&text, "build_output").whole, "", 0);
	else
		keep(&text, kept, json_at(l->root, "result.build_output_truncated") != NULL);
	if (!line_take(l, text.data, text.len, why))
		errx(STATUS_TROUBLE, "result.build_output: %s", why);
	json_decref(old);
}
