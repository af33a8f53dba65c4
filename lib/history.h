/* history - what was asked of the tasks behind a build, what came of it, and how its runs failed (store) */
#ifndef HISTORY_H
#define HISTORY_H

#include <stdbool.h>

#include "json.h"
#include "store.h"

/*
 * The runs of one build are a series and share its history. All functions but history_settle work inside store_change, return
 * 0, or -1 with the fault.
 */

/*
 * What was asked so far: a new array of {"request_id", "task_id", "attempt", "fingerprint", "status"}, oldest first. What
 * waited for an answer is interrupted by this, as the next run has begun without it; what RUN itself asked is forgotten, since
 * its verdict is being made anew.
 */
int history_read(struct store *, const char *series, const char *run, json_t **entries, struct fault *);

/* One more entry of that form. */
int history_add(struct store *, const char *series, const char *run, const json_t *entry, struct fault *);

/* RUN failed with those digests. *SAME: so did the failed run before it. */
int history_fail(struct store *, const char *series, const char *run, const char *bundle, const char *outcome,
    bool *same, struct fault *);

/* The build is ready: what comes after it begins anew. */
int history_forget(struct store *, const char *series, struct fault *);

/*
 * The request of that id got its answer, and OUTCOME is `responded` or `rejected`. -1 and a fault with status 1 when it does
 * not wait for one (`request_unknown`, `request_settled`) unless it has that outcome already.
 */
int history_settle(struct store *, const char *request, const char *outcome, struct fault *);

#endif
