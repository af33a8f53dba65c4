/* fuzz-diagnose - fuzzes lib/diagnose.c lib/diagnose_typescript.c lib/diagnose_webpack.c lib/diagnose_rollup.c lib/diagnose_rolldown.c lib/diagnose_esbuild.c lib/diagnose_python.c lib/logline.c lib/escape.c lib/text.c lib/lexical.c lib/findings.c lib/ci.c lib/ci_github.c lib/ci_junit.c lib/ci_sarif.c */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ci.h"
#include "findings.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
hold(bool promise)
{
	if (!promise)
		abort();
}

/* What is owned has the name that the manifest gives it, and no other way leads there. */
static void
check_one(const json_t *one, const json_t *staged)
{
	const char *file = json_text_at(one, "file"), *message = json_text_at(one, "message");
	bool owned = json_true_at(one, "owned"), known = false;
	const char *path;
	json_t *name;

	hold(json_text_at(one, "tool") != NULL && json_text_at(one, "severity") != NULL);
	hold(message != NULL && *message != '\0' && strlen(message) <= 3000);
	for (; *message != '\0'; message++)
		hold((unsigned char)*message >= 0x20 || *message == '\t' || *message == '\n');
	hold(json_int_at(one, "line", 1) >= 1 && json_int_at(one, "column", 1) >= 1);
	json_object_foreach ((json_t *)staged, path, name)
		known |= file != NULL && strcmp(json_string_value(name), file) == 0;
	hold(owned == known);
	hold(owned || file == NULL || file[0] == '/' || file[1] == ':');
}

/* One log in two pieces says what it says in one. */
static json_t *
look(const uint8_t *data, size_t size, size_t cut, const json_t *staged)
{
	struct findings f = {.root = "/workspace", .cwd = "/workspace/app", .staged = staged, .room = 1 << 20};
	struct diagnose d = findings_begin(&f);

	diagnose_feed(&d, (const char *)data, cut);
	diagnose_feed(&d, (const char *)data + cut, size - cut);
	diagnose_end(&d);
	return findings_end(&f);
}

static size_t
count(const struct buf *b, char c)
{
	size_t n = 0;

	for (size_t i = 0; i < b->len; i++)
		n += b->data[i] == c;
	return n;
}

/* A document has the shape of its format whatever is in it: one line an annotation, valid JSON, no character that XML lacks. */
static void
check_formats(const json_t *list)
{
	static const char *const names[] = {"jsonl", "github", "sarif", "junit"};
	struct ci_report report = {"log", list, NULL};
	char why[JSON_ERROR_TEXT_LENGTH];

	for (size_t i = 0; i < 4; i++) {
		const struct ci_format *format = ci_find(names[i]);
		auto_buf struct buf b = {0};
		json_t *parsed;

		format->begin(&b);
		format->add(&b, &report, true);
		format->end(&b);
		if (i < 2)
			hold(count(&b, '\n') == json_array_size(list) && count(&b, '\r') == 0);
		for (size_t at = 0; i == 3 && at < b.len; at++)
			hold((unsigned char)b.data[at] >= 0x20 || b.data[at] == '\n' || b.data[at] == '\t');
		if (i == 2) {
			parsed = json_parse(b.data, b.len, why);
			hold(parsed != NULL);
			json_decref(parsed);
		}
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	json_t *staged = json_make("{s:s, s:s, s:s}", "app/src/main.js", "src/main.js", "app/src/helper.js",
	    "src/helper.js", "workflows/a.py", "workflows/a.py");
	json_t *whole = look(data, size, 0, staged), *parts = look(data, size, size / 2, staged);
	const json_t *one;
	size_t i;

	hold(json_equal(whole, parts));
	json_array_foreach (whole, i, one)
		check_one(one, staged);
	check_formats(whole);
	json_decref(whole);
	json_decref(parts);
	json_decref(staged);
	return 0;
}
