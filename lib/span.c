/* span - where a member stands in JSON text, so that it can be changed and every other byte stays */

#include <string.h>

#include "json.h"
#include "span.h"

static const char *
skip_space(const char *p)
{
	return p + strspn(p, " \t\r\n");
}

static const char *
skip_string(const char *p)
{
	for (p++; *p != '"'; p++)
		if (*p == '\\')
			p++;
	return p + 1;
}

static const char *
skip_value(const char *p)
{
	int depth = 0;

	do {
		if (*p == '"') {
			p = skip_string(p);
		} else if (*p == '{' || *p == '[') {
			depth++;
			p++;
		} else if (*p == '}' || *p == ']') {
			depth--;
			p++;
		} else if (depth > 0) {
			p++;
		} else {
			p += strcspn(p, ",]} \t\r\n");
		}
	} while (depth > 0);
	return p;
}

/* A name may be written with escapes, so it is read as a parser would. */
static bool
is_name(const char *start, const char *end, const char *name)
{
	json_t *read = json_loadb(start, (size_t)(end - start), JSON_DECODE_ANY, NULL);
	bool same = read != NULL && strcmp(json_string_value(read), name) == 0;

	json_decref(read);
	return same;
}

bool
span_find(const char *text, struct span object, const char *name, struct span_member *m)
{
	const char *p = skip_space(text + object.start) + 1, *comma = NULL;

	for (;;) {
		const char *start = skip_space(p), *end, *value;

		if (*start != '"')
			return false;
		end = skip_string(start);
		value = skip_space(skip_space(end) + 1);
		p = skip_value(value);
		m->value = (struct span) {(size_t)(value - text), (size_t)(p - text)};
		m->whole = (struct span) {(size_t)((comma != NULL ? comma : start) - text), m->value.end};
		p = skip_space(p);
		if (*p == ',' && comma == NULL)
			m->whole.end = (size_t)(skip_space(p + 1) - text);
		if (is_name(start, end, name))
			return true;
		if (*p != ',')
			return false;
		comma = p++;
	}
}

void
span_replace(struct buf *b, struct span s, const char *bytes, size_t len)
{
	memmove(b->data + s.start, b->data + s.end, b->len - s.end);
	b->len -= s.end - s.start;
	buf_insert(b, s.start, bytes, len);
}
