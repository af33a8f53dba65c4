/* judge - what a line tells about its run: whether the build passed, whose fault it was, whether the sandbox is gone */
#ifndef JUDGE_H
#define JUDGE_H

#include <stdbool.h>

#include "json.h"

enum build {
	BUILD_PASSED,
	BUILD_PENDING, /* not carried out, and nothing went wrong */
	BUILD_SKIPPED, /* the strategy is skip */
	BUILD_FAILED
};

struct judgement {
	enum build build;
	bool infrastructure; /* it failed for a reason that says nothing about the bundle */
	bool doubt;          /* the sandbox may still exist */
	bool waits;          /* pending because acceptance failed: it must pass first */
	json_t *reasons;     /* each thing that keeps the run from being ready: [{gate, reason, message}] */
	json_t *errors;      /* sentences, without times or counts of a run, so that failures can be compared */
	json_t *warnings;    /* sentences */
};

/* passed, pending, skipped, failed */
const char *judge_word(enum build);

#define auto_judgement __attribute__((cleanup(judge_free)))

/*
 * Judge the run of LINE. STEPS are those of its profile, which the line's own must match: NULL when the line names no profile,
 * or when it can't be read, and then UNREAD says why. Without steps nothing passes.
 */
void judge_run(struct judgement *, const json_t *line, const json_t *steps, const struct fault *unread);

/* Does the step of that id, one of the array STEPS, have that status? */
bool judge_step_is(const json_t *steps, const char *id, const char *status);

/* One more thing that keeps the run from being ready, though its build stays as judged. Takes the message's reference. */
void judge_reason(struct judgement *, const char *gate, const char *reason, json_t *message);

void judge_free(struct judgement *);

#endif
