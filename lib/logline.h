/* logline - the lines of a log as a reader sees them: without colours, cursor movements and control characters */
#ifndef LOGLINE_H
#define LOGLINE_H

#include <stdbool.h>

#include "buf.h"
#include "escape.h"
#include "text.h"

enum {
	LOGLINE_MAX_BYTES = 8192 /* of a line; the rest of a longer one is dropped */
};

struct logline {
	struct buf text;
	enum escape escape;
	bool returned; /* the last byte was a carriage return */
	void (*each)(
	    struct text, void *to); /* gets each line; it may hold any bytes but control characters other than tab */
	void *to;
};

/*
 * Feed bytes in pieces of any size. A carriage return ends a line as a newline does. Escape sequences vanish, other control
 * characters become '?'. Memory stays bounded.
 */
void logline_feed(struct logline *, const char *bytes, size_t len);

/* The last line, if it had no newline; frees what was kept. */
void logline_end(struct logline *);

#endif
