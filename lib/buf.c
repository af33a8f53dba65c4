/* buf - bytes that grow */

#include <err.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"

void
buf_shell(struct buf *b, const char *text)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._-+@,:=";

	if (*text != '\0' && text[strspn(text, plain)] == '\0') {
		buf_text(b, text);
		return;
	}
	buf_text(b, "'");
	for (; *text != '\0'; text++)
		if (*text == '\'')
			buf_text(b, "'\\''");
		else
			buf_add(b, text, 1);
	buf_text(b, "'");
}

char *
buf_reserve(struct buf *b, size_t len)
{
	size_t need = b->len + len + 1;

	if (need > b->room) {
		b->room = need < 2 * b->room ? 2 * b->room : need < 256 ? 256 : need;
		b->data = x_realloc(b->data, b->room, 1);
	}
	return b->data + b->len;
}

void
buf_add(struct buf *b, const void *bytes, size_t len)
{
	char *end = buf_reserve(b, len);

	if (len > 0)
		memcpy(end, bytes, len);
	b->len += len;
	b->data[b->len] = '\0';
}

void
buf_text(struct buf *b, const char *text)
{
	buf_add(b, text, strlen(text));
}

void
buf_printf(struct buf *b, const char *format, ...)
{
	auto_free char *text = NULL;
	va_list ap;
	int len;

	va_start(ap, format);
	len = vasprintf(&text, format, ap);
	va_end(ap);
	if (len == -1)
		err(2, "memory");
	buf_add(b, text, (size_t)len);
}

void
buf_insert(struct buf *b, size_t at, const void *bytes, size_t len)
{
	buf_reserve(b, len);
	memmove(b->data + at + len, b->data + at, b->len - at);
	memcpy(b->data + at, bytes, len);
	b->len += len;
	b->data[b->len] = '\0';
}

void
buf_free(struct buf *b)
{
	free(b->data);
	*b = (struct buf) {0};
}
