/* result - the seeds' result of a build, field for field */
#ifndef RESULT_H
#define RESULT_H

#include "judge.h"
#include "line.h"
#include "scrub.h"

/*
 * The member `result` of the line as sbx-verdict(1) has it, a new reference. DIR is where the run's output files are; of the
 * output no more is taken than a line has room for. REPAIR is bundle_repair, or NULL when no build failure went to repair.
 */
json_t *result_make(
    const struct line *, const struct judgement *, const char *dir, const struct scrub *, json_t *repair);

#endif
