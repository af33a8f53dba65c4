/* check - runs the fixed steps of a profile in a sandbox */
#ifndef CHECK_H
#define CHECK_H

#include <stdint.h>

#include "line.h"

struct check_site {
	const char *state;  /* $SBX_STATE, where the steps' output goes */
	const char *share;  /* where the profiles are */
	const char *socket; /* an option's, or NULL */
	int64_t limit_ms;   /* for each step; the profile's is kept when it is lower */
};

/*
 * The work of a line_stage whose context is a struct check_site: run the smoke of the line's profile, if it has one, and unless
 * that failed its steps in its sandbox, in order, up to the first that does not pass, and add `smoke` and `steps`. Returns 0 when
 * none failed, and 1 when one did or took too long. -1 and a fault when the line is not ready for checks, a signal came, or the
 * provider failed; what was run by then is in both.
 */
int check_work(struct line *, void *site, struct fault *);

#endif
