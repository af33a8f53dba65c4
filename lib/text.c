/* text - a look at a stretch of bytes: compare, cut, read numbers, never beyond its end */

#include <string.h>

#include "text.h"

enum {
	DIGITS_MAX = 9 /* of a line or a column that anybody means */
};

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

struct text
text_of(const char *string)
{
	return (struct text) {string, strlen(string)};
}

struct text
text_trim(struct text t)
{
	while (t.len > 0 && is_blank(t.at[0])) {
		t.at++;
		t.len--;
	}
	while (t.len > 0 && is_blank(t.at[t.len - 1]))
		t.len--;
	return t;
}

bool
text_is(struct text t, const char *whole)
{
	return t.len == strlen(whole) && text_starts(t, whole);
}

bool
text_starts(struct text t, const char *prefix)
{
	size_t len = strlen(prefix);

	return t.len >= len && memcmp(t.at, prefix, len) == 0;
}

/* The first PART of LEN bytes in T, or NULL. Spaces are everywhere, so its first other byte is what is looked for. */
static const char *
find(struct text t, const char *part, size_t len)
{
	size_t pivot = strspn(part, " ") % len;
	const char *at = t.at + pivot;

	if (t.len < len)
		return NULL;
	for (const char *end = t.at + t.len - len + pivot + 1;
	     (at = memchr(at, part[pivot], (size_t)(end - at))) != NULL; at++)
		if (memcmp(at - pivot, part, len) == 0)
			return at - pivot;
	return NULL;
}

bool
text_has(struct text t, const char *part)
{
	return find(t, part, strlen(part)) != NULL;
}

bool
text_skip(struct text *t, const char *prefix)
{
	size_t len = strlen(prefix);

	if (!text_starts(*t, prefix))
		return false;
	t->at += len;
	t->len -= len;
	return true;
}

bool
text_drop(struct text *t, const char *suffix)
{
	size_t len = strlen(suffix);

	if (t->len < len || memcmp(t->at + t->len - len, suffix, len) != 0)
		return false;
	t->len -= len;
	return true;
}

/* WHOLE cut at AT, where the mark of that length stands. */
static void
cut(struct text whole, const char *at, size_t mark, struct text *left, struct text *right)
{
	size_t before = (size_t)(at - whole.at);

	*left = (struct text) {whole.at, before};
	*right = (struct text) {at + mark, whole.len - before - mark};
}

bool
text_split(struct text whole, const char *mark, struct text *left, struct text *right)
{
	size_t len = strlen(mark);
	const char *at = find(whole, mark, len);

	if (at == NULL)
		return false;
	cut(whole, at, len, left, right);
	return true;
}

bool
text_split_last(struct text whole, const char *mark, struct text *left, struct text *right)
{
	size_t len = strlen(mark);

	for (size_t end = whole.len; end >= len; end--)
		if (memcmp(whole.at + end - len, mark, len) == 0) {
			cut(whole, whole.at + end - len, len, left, right);
			return true;
		}
	return false;
}

bool
text_number(struct text *t, int64_t *number)
{
	size_t digits = 0;

	*number = 0;
	for (; digits < t->len && digits <= DIGITS_MAX && is_digit(t->at[digits]); digits++)
		*number = 10 * *number + (t->at[digits] - '0');
	if (digits == 0 || digits > DIGITS_MAX)
		return false;
	t->at += digits;
	t->len -= digits;
	return true;
}

/* The same, off the end. */
static bool
drop_number(struct text *t, int64_t *number)
{
	struct text digits = {t->at + t->len, 0};

	while (digits.len < t->len && digits.len <= DIGITS_MAX && is_digit(digits.at[-1])) {
		digits.at--;
		digits.len++;
	}
	t->len -= digits.len;
	return text_number(&digits, number);
}

bool
text_place(struct text *t, const char *open, const char *separator, const char *close, struct place *p)
{
	struct place found;
	struct text rest = *t;

	if (!text_drop(&rest, close) || !drop_number(&rest, &found.column) || !text_drop(&rest, separator) ||
	    !drop_number(&rest, &found.line) || !text_drop(&rest, open))
		return false;
	*t = rest;
	*p = found;
	return true;
}
