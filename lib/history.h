/* history - what was asked of the tasks behind a build, what came of it, and how its runs failed (store) */
#ifndef HISTORY_H
#define HISTORY_H

#include <stdbool.h>

#include "json.h"
#include "store.h"

/*
 * The runs of one build are a series and share its history. All functions work inside store_change and return 0, or -1 with the
 * fault.
 */

/*
 * What was asked so far: a new array of {"request_id", "task_id", "attempt", "fingerprint", "status"}, oldest first. What
 * waited for an answer is interrupted by this, as the next run has begun without it; what RUN itself asked is forgotten, since
 * its verdict is being made anew.
 */
int history_read(struct store *, const char *series, const char *run, json_t **entries, struct fault *);

/* One more entry of that form. SCOPE is for who judges its answer; NULL: nobody can. */
int history_add(
    struct store *, const char *series, const char *run, const json_t *entry, const char *scope, struct fault *);

/* RUN failed with those digests. *SAME: so did the failed run before it. */
int history_fail(struct store *, const char *series, const char *run, const char *bundle, const char *outcome,
    bool *same, struct fault *);

/* The build is ready: what comes after it begins anew. */
int history_forget(struct store *, const char *series, struct fault *);

struct asked {
	char *task;
	char *status; /* selected: it waits for its answer */
	char *scope;  /* NULL: it was not known, or nobody waits any more */
	char *answer; /* what history_settle was given; NULL: nothing yet */
};

#define auto_asked __attribute__((cleanup(history_asked_free)))

/* The request of that id; -1 and a fault with status 1, `request_unknown`, when there is none. */
int history_find(struct store *, const char *request, struct asked *, struct fault *);

/* It got its answer, which is known by ANSWER, and OUTCOME is `responded` or `rejected`. */
int history_settle(struct store *, const char *request, const char *outcome, const char *answer, struct fault *);

void history_asked_free(struct asked *);

#endif
