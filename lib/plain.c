/* plain - text that others wrote, made safe to show on one line */

#include <err.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

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

/* The length of the escape sequence at P, which starts with ESC. One that is cut reaches to the end. */
static size_t
escape_length(const char *p, size_t left)
{
	size_t n = 2;

	if (left < 2)
		return left;
	if (p[1] == ']') {
		while (n < left && p[n] != '\a' && !(p[n] == '\\' && p[n - 1] == '\033'))
			n++;
		return n < left ? n + 1 : left;
	}
	if (p[1] != '[')
		return n;
	while (n < left && between(p[n], 0x20, 0x3f))
		n++;
	return n < left ? n + 1 : left;
}

/* How many bytes at P are no text: an escape sequence, or a control character, those of C1 included. */
static size_t
unprintable_length(const char *p, size_t left)
{
	if (*p == '\033')
		return escape_length(p, left);
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
	size_t start = b->len, skip;
	bool space = false;

	for (size_t i = 0; i < len && b->len <= start + most; i += skip) {
		skip = unprintable_length(text + i, len - i);
		if (is_space(text[i])) {
			space = b->len > start;
			skip = 1;
		} else if (skip == 0) {
			if (space)
				buf_add(b, " ", 1);
			buf_add(b, text + i, 1);
			space = false;
			skip = 1;
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
