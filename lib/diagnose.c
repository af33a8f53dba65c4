/* diagnose - what compilers and bundlers wrote into a log, as diagnostics: file, line, column, message */

#include <string.h>

#include "diagnose_family.h"

enum {
	CODE_MAX = 64,
	FILE_MAX = 4096,
	MESSAGE_MAX = 1000
};

/* The order decides where a line could be read two ways. */
static const struct diagnose_family *const families[] = {
    &diagnose_python,
    &diagnose_webpack,
    &diagnose_rolldown,
    &diagnose_rollup,
    &diagnose_esbuild,
    &diagnose_typescript,
};

static void
add(struct buf *b, struct text t, size_t most)
{
	size_t len = t.len < most - b->len ? t.len : most - b->len;

	/* Not in the middle of a character. */
	while (len > 0 && len < t.len && ((unsigned char)t.at[len] & 0xc0) == 0x80)
		len--;
	buf_add(b, t.at, len);
}

void
diagnose_tell(struct diagnose *d)
{
	if (d->now.message.len > 0)
		d->sink.found(&d->now, d->sink.to);
	d->now.message.len = 0;
}

void
diagnose_start(struct diagnose *d, const char *tool, enum severity severity)
{
	diagnose_tell(d);
	d->now.tool = tool;
	d->now.severity = severity;
	d->now.code.len = d->now.file.len = 0;
	d->now.at = (struct place) {0};
}

void
diagnose_code(struct diagnose *d, struct text code)
{
	d->now.code.len = 0;
	add(&d->now.code, code, CODE_MAX);
}

/* "<stdin>", "<string>" and their like are no files. */
void
diagnose_file(struct diagnose *d, struct text file)
{
	d->now.file.len = 0;
	if (!text_starts(file, "<") || !text_drop(&file, ">"))
		add(&d->now.file, file, FILE_MAX);
}

void
diagnose_message(struct diagnose *d, struct text line)
{
	if (d->now.message.len > 0)
		add(&d->now.message, text_of("\n"), MESSAGE_MAX);
	add(&d->now.message, line, MESSAGE_MAX);
}

void
diagnose_forget(struct diagnose *d)
{
	d->now.message.len = 0;
}

void
diagnose_place_from_0(struct diagnose *d, struct place p)
{
	d->now.at = (struct place) {p.line, p.column + 1};
}

bool
diagnose_is_quoted(struct text line)
{
	int64_t number;

	if (line.len > 0 && strchr(" \t|>", line.at[0]) != NULL)
		return true;
	if (!text_number(&line, &number))
		return false;
	line = text_trim(line);
	return text_starts(line, ":") || text_starts(line, "|");
}

bool
diagnose_is_stack(struct text line)
{
	return text_starts(line, "    at ");
}

static void
read_line(struct text line, void *to)
{
	struct diagnose *d = to;

	if (d->open != NULL) {
		if (d->open->more(d, line))
			return;
		diagnose_tell(d);
		d->open = NULL;
	}
	if (line.len == 0)
		return;
	for (size_t i = 0; i < sizeof families / sizeof *families; i++)
		if (families[i]->begin(d, line)) {
			d->open = families[i];
			return;
		}
}

void
diagnose_feed(struct diagnose *d, const char *bytes, size_t len)
{
	d->lines.each = read_line;
	d->lines.to = d;
	logline_feed(&d->lines, bytes, len);
}

void
diagnose_end(struct diagnose *d)
{
	d->lines.each = read_line;
	d->lines.to = d;
	logline_end(&d->lines);
	diagnose_tell(d);
	buf_free(&d->now.code);
	buf_free(&d->now.file);
	buf_free(&d->now.message);
}
