/* repair - which task is asked to put right what is wrong with a bundle, or why none is */
#ifndef REPAIR_H
#define REPAIR_H

#include <stdbool.h>

#include "inventory.h"
#include "json.h"

enum {
	REPAIR_ATTEMPTS = 2 /* of a series */
};

struct repair {
	json_t *entry;  /* what is asked, for history_add; NULL: nothing */
	json_t *bundle; /* the seeds' bundle_repair */
	json_t *
	    blocks; /* why something can't be repaired: [{"reason", "message", and where they apply "task_id", "path"}] */
	json_t *recoveries; /* ids of tasks whose own output can be recovered; then nothing is asked in this pass */
};

#define auto_repair __attribute__((cleanup(repair_free)))

/*
 * Find the owner of each of the PROBLEMS (problem_list) and choose one task, given the HISTORY of the series (history_read).
 * All that it makes is the caller's.
 */
void repair_decide(struct repair *, const struct inventory *, const json_t *problems, const json_t *history);

/* Nothing can be asked, for a reason that concerns all. The message is a sentence. */
void repair_refuse(struct repair *, const char *reason, const char *message);

void repair_free(struct repair *);

#endif
