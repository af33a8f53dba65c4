/* logline - the lines of a log as a reader sees them: without colours, cursor movements and control characters */

#include "logline.h"

static void
emit(struct logline *l)
{
	buf_reserve(&l->text, 0);
	l->each((struct text) {l->text.data, l->text.len}, l->to);
	l->text.len = 0;
	l->escape = ESCAPE_NONE;
	l->returned = false;
}

static void
keep(struct logline *l, const char *bytes, size_t len)
{
	size_t room = LOGLINE_MAX_BYTES - l->text.len;

	buf_add(&l->text, bytes, len < room ? len : room);
}

static bool
is_plain(char c)
{
	return (c < 0 || c >= 0x20 || c == '\t') && c != 0x7f;
}

/* One byte that is not plain, or that is inside an escape sequence. */
static void
step(struct logline *l, char c)
{
	enum escape before = l->escape;

	if (c == '\n') {
		emit(l);
		return;
	}
	if (c == '\r') {
		l->returned = true;
		return;
	}
	l->escape = escape_step(before, c);
	if (before == ESCAPE_NONE && l->escape == ESCAPE_NONE)
		keep(l, "?", 1);
}

void
logline_feed(struct logline *l, const char *bytes, size_t len)
{
	const char *end = bytes + len;

	while (bytes < end) {
		const char *start = bytes;

		if (l->returned && *bytes != '\n')
			emit(l);
		if (l->escape == ESCAPE_NONE)
			while (bytes < end && is_plain(*bytes))
				bytes++;
		if (bytes > start)
			keep(l, start, (size_t)(bytes - start));
		else
			step(l, *bytes++);
	}
}

void
logline_end(struct logline *l)
{
	if (l->text.len > 0 || l->returned)
		emit(l);
	buf_free(&l->text);
}
