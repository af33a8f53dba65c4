/* verdict - the seeds' result of a run, what it proves and what it does not, and what comes next */
#ifndef VERDICT_H
#define VERDICT_H

#include "inventory.h"
#include "line.h"
#include "scrub.h"
#include "store.h"

struct verdict_site {
	const char *state; /* $SBX_STATE, where the run's output files are */
	const char *share; /* where the profiles are */
	struct scrub scrub;
	const struct inventory *inventory; /* NULL: none was given, or it could not be used and UNUSABLE says why */
	struct fault unusable;
	const char *place;   /* for store_open */
	struct store *store; /* opened when it is first needed; the caller closes it */
};

/*
 * The work of a line_stage whose context is a struct verdict_site: add `result`, which is the seeds' contract field for field,
 * and `verdict`. Returns 0 when the run is ready, 1 when it is failed, pending or skipped, 3 when its sandbox may still exist.
 */
int verdict_work(struct line *, void *site, struct fault *);

#endif
