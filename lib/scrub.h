/* scrub - sentences of programs without the places of one run, so that they can be shown, kept and compared */
#ifndef SCRUB_H
#define SCRUB_H

#include "buf.h"

/* Directories of this host whose names mean nothing to others, or change with each run. Either may be NULL. */
struct scrub {
	const char *state; /* $SBX_STATE */
	const char *temp;  /* $TMPDIR, beside /tmp and /var/tmp */
};

/*
 * Append TEXT as one plain line (plain_add) of at most MOST bytes, in which each path into those directories is <temp> and what
 * follows the part that a run chose.
 */
void scrub_add(struct buf *, const struct scrub *, const char *text, size_t most);

#endif
