/* diagnose_family - what the readers of single tools' output share; for lib/diagnose*.c alone */
#ifndef DIAGNOSE_FAMILY_H
#define DIAGNOSE_FAMILY_H

#include "diagnose.h"

/*
 * A tool family reads blocks of lines. The first line that begin takes opens its block; more takes the lines after it, and the
 * block is over with the first one that it does not take, which may then begin another. A block's lines are kept from all other
 * families: it may quote source that looks like a diagnostic of theirs.
 */
struct diagnose_family {
	bool (*begin)(struct diagnose *, struct text line);
	bool (*more)(struct diagnose *, struct text line);
};

extern const struct diagnose_family diagnose_python, diagnose_webpack, diagnose_rolldown, diagnose_rollup,
    diagnose_esbuild, diagnose_typescript;

/* Start a new diagnostic; one that is being put together is told first. */
void diagnose_start(struct diagnose *, const char *tool, enum severity);

/* Tell the diagnostic that is being put together, if it has a message. */
void diagnose_tell(struct diagnose *);

/* Its parts. A line of the message is added to those before it; the others replace what was there. */
void diagnose_code(struct diagnose *, struct text);
void diagnose_file(struct diagnose *, struct text);
void diagnose_message(struct diagnose *, struct text);
void diagnose_forget(struct diagnose *); /* the message */

/* A place whose columns count from 0. */
void diagnose_place_from_0(struct diagnose *, struct place);

/* "PATH:LINE:COLUMN: ERROR: message", how esbuild's errors read inside those of others. It is told at once. */
bool diagnose_esbuild_short(struct diagnose *, struct text line);

/* "[UPPER_CASE] message", how Rolldown's begin. */
bool diagnose_is_coded(struct text line);

/* Source that a tool quotes: an indented line, or one behind a gutter of a line number or a bar. */
bool diagnose_is_quoted(struct text line);

/* A line of a stack trace of Node.js. */
bool diagnose_is_stack(struct text line);

#endif
