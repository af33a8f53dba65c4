/* text - a look at a stretch of bytes: compare, cut, read numbers, never beyond its end */
#ifndef TEXT_H
#define TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Borrowed bytes, not ended by a NUL. */
struct text {
	const char *at;
	size_t len;
};

/* A place in a file, as a tool wrote it down. Zero: it did not. */
struct place {
	int64_t line, column;
};

struct text text_of(const char *string);
struct text text_trim(struct text);

bool text_is(struct text, const char *whole);
bool text_starts(struct text, const char *prefix);
bool text_has(struct text, const char *part);

/* Take PREFIX off the front, or SUFFIX off the end, where it is there. */
bool text_skip(struct text *, const char *prefix);
bool text_drop(struct text *, const char *suffix);

/* Cut WHOLE around the first or last MARK. False, with nothing changed, where there is none. */
bool text_split(struct text whole, const char *mark, struct text *left, struct text *right);
bool text_split_last(struct text whole, const char *mark, struct text *left, struct text *right);

/* Take a number of one to nine digits off the front. */
bool text_number(struct text *, int64_t *number);

/* Take OPEN, a line, SEPARATOR, a column and CLOSE off the end, as in "(3,7)" or ":3:7". */
bool text_place(struct text *, const char *open, const char *separator, const char *close, struct place *);

#endif
