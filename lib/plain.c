/* plain - text that others wrote, made safe to show on one line */

#include <err.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "escape.h"
#include "plain.h"

enum {
	SENTENCE = 1500
};

static const char ellipsis[] = "\xe2\x80\xa6";

static bool
between(char c, int least, int most)
{
	return (unsigned char)c >= least && (unsigned char)c <= most;
}

/* How many bytes at P are a control character, those of C1 included. */
static size_t
control_length(const char *p, size_t left)
{
	if (between(*p, 0, 0x1f) || *p == 0x7f)
		return 1;
	return left >= 2 && *p == '\xc2' && between(p[1], 0x80, 0x9f) ? 2 : 0;
}

static bool
is_space(char c)
{
	return c == ' ' || between(c, '\t', '\r');
}

static void
cut(struct buf *b, size_t start, size_t most)
{
	size_t end = start + most - (sizeof ellipsis - 1);

	while (end > start && between(b->data[end], 0x80, 0xbf))
		end--;
	b->len = end;
	buf_text(b, ellipsis);
}

void
plain_add(struct buf *b, const char *text, size_t len, size_t most)
{
	enum escape escape = ESCAPE_NONE, before;
	size_t start = b->len, skip;
	bool space = false;

	for (size_t i = 0; i < len && b->len <= start + most; i += skip) {
		before = escape;
		escape = escape_step(before, text[i]);
		skip = 1;
		if (before != ESCAPE_NONE || escape != ESCAPE_NONE)
			continue;
		if (is_space(text[i])) {
			space = b->len > start;
		} else if (control_length(text + i, len - i) > 0) {
			skip = control_length(text + i, len - i);
		} else {
			if (space)
				buf_add(b, " ", 1);
			buf_add(b, text + i, 1);
			space = false;
		}
	}
	if (b->len > start + most)
		cut(b, start, most);
}

json_t *
plain_sentence(const char *format, ...)
{
	auto_buf struct buf plain = {0};
	auto_free char *text = NULL;
	va_list ap;

	va_start(ap, format);
	if (vasprintf(&text, format, ap) == -1)
		err(2, "memory");
	va_end(ap);
	plain_add(&plain, text, strlen(text), SENTENCE);
	return json_lossy(plain.data, plain.len);
}
