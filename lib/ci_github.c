/* ci_github - annotations: workflow commands of GitHub Actions ("::error file=app.ts,line=1::message") */

#include <string.h>

#include "ci.h"

/* As the runner reads them back: https://github.com/actions/toolkit, packages/core/src/command.ts */
static void
add_escaped(struct buf *b, const char *text, const char *special)
{
	for (; *text != '\0'; text++)
		if (strchr(special, *text) != NULL)
			buf_printf(b, "%%%02X", (unsigned)(unsigned char)*text);
		else
			buf_add(b, text, 1);
}

static void
add_property(struct buf *b, const char *name, const char *value)
{
	buf_printf(b, "%s=", name);
	add_escaped(b, value, "%\r\n:,");
}

static void
add_number(struct buf *b, const char *name, int64_t value)
{
	if (value > 0)
		buf_printf(b, ",%s=%lld", name, (long long)value);
}

static void
add_one(struct buf *b, const json_t *one)
{
	const char *severity = json_text_at(one, "severity"), *file = json_text_at(one, "file");
	const char *tool = json_text_at(one, "tool"), *code = json_text_at(one, "code");
	const char *message = json_text_at(one, "message");
	auto_buf struct buf title = {0};

	buf_printf(b, "::%s ",
	    severity == NULL || strcmp(severity, "error") == 0 ? "error"
	    : strcmp(severity, "warning") == 0                 ? "warning"
	                                                       : "notice");
	if (file != NULL) {
		add_property(b, "file", file);
		add_number(b, "line", json_int_at(one, "line", 0));
		add_number(b, "col", json_int_at(one, "column", 0));
		buf_text(b, ",");
	}
	buf_printf(&title, "%s%s%s", tool == NULL ? "" : tool, code == NULL ? "" : " ", code == NULL ? "" : code);
	add_property(b, "title", title.data);
	buf_text(b, "::");
	add_escaped(b, message == NULL ? "" : message, "%\r\n");
	buf_text(b, "\n");
}

static void
add(struct buf *b, const struct ci_report *r, bool first)
{
	const json_t *one;
	size_t i;

	(void)first;
	json_array_foreach (r->findings, i, one)
		add_one(b, one);
}

static void
no_text(struct buf *b)
{
	(void)b;
}

const struct ci_format ci_github = {"github", no_text, add, no_text};
