/* line - one JSON object on one line is one run: read it, add to it, pass it on (sbx-line(5)) */
#ifndef LINE_H
#define LINE_H

#include <stdbool.h>

#include "buf.h"
#include "fault.h"
#include "json.h"

enum {
	LINE_MAX_BYTES = 1 << 20
};

struct line {
	struct buf text;      /* as it came, and what was added; no newline */
	json_t *root;         /* the same, parsed; borrowed, good until the next line */
	unsigned long number; /* from 1 */
};

struct line_stage {
	const char *members[4]; /* what work adds; a line that has one of them already is refused */
	bool always;            /* also work on lines that carry an error: teardown and record */
	bool silent;            /* the line is not written: work wrote what there is to show */
	/*
	 * Returns 0; or a positive exit status, a negative answer that is no error; or -1 with the fault set, which becomes the
	 * line's `error` unless it has one already. The line is written in each case.
	 */
	int (*work)(struct line *, void *context, struct fault *);
};

/*
 * The loop of every filter: read lines from stdin, let the stage work on each, write each to stdout. Returns the worst exit
 * status met, for main to return. A line that is no line ends the program with 2 and "stdin:NUMBER: why"; so does input
 * without any line, since something before us must have died.
 */
int line_each(const struct line_stage *, void *context);

/*
 * One line's text, without its newline, into L: strict JSON, "sbx":1, an error (if any) with a status. Returns false with the
 * cause in WHY (JSON_ERROR_TEXT_LENGTH bytes) otherwise. What line_each does with each line; here for tests.
 */
bool line_take(struct line *, const char *text, size_t len, char *why);

/* Start a line of our own instead of reading one: {"sbx":1,"run":RUN}. For line_emit. */
void line_start(struct line *, const char *run);

/* Add a member. Takes the reference. The bytes that are there already stay as they are. */
void line_add(struct line *, const char *member, json_t *value);

/* Add `error` from the fault, and tell it on stderr. Does nothing but tell when the line has an error already. */
void line_fail(struct line *, const struct fault *);

/* Write the line and a newline to stdout; the buffer is flushed before stdin is next waited for, and by line_end. */
void line_emit(const struct line *);

/* The run's id; a line without one, or with one that could not be ours, is a fault and gives NULL. Borrowed. */
const char *line_run(const struct line *, struct fault *);

/* The purpose; `app_validation` when absent. A fault and NULL for one we do not know. */
const char *line_purpose(const struct line *, struct fault *);

#endif
