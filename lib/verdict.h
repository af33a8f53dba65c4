/* verdict - the seeds' result of a run, and in words what it proves and what it does not */
#ifndef VERDICT_H
#define VERDICT_H

#include "line.h"

struct verdict_site {
	const char *state; /* $SBX_STATE, where the run's output files are */
	const char *share; /* where the profiles are */
};

/*
 * The work of a line_stage whose context is a struct verdict_site: add `result`, which is the seeds' contract field for field, and
 * `verdict`. Returns 0 when the run is ready, 1 when it is failed, pending or skipped, 3 when its sandbox may still exist.
 */
int verdict_work(struct line *, void *site, struct fault *);

#endif
