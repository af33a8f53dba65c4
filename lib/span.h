/* span - where a member stands in JSON text, so that it can be changed and every other byte stays */
#ifndef SPAN_H
#define SPAN_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"

struct span {
	size_t start, end; /* offsets; the end is the first byte behind */
};

struct span_member {
	struct span value;
	struct span whole; /* name, value and the comma that goes with them */
};

/*
 * Find the member NAME of the object whose text is OBJECT, braces included or more around them. The text must be JSON that a
 * parser has accepted. False when there is none.
 */
bool span_find(const char *text, struct span object, const char *name, struct span_member *);

/* Put LEN bytes in the place of those that SPAN names. */
void span_replace(struct buf *, struct span, const char *bytes, size_t len);

#endif
