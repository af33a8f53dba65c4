/* bound - memory and processes, bounded for a whole process tree by control groups of version 1 or 2 */
#ifndef BOUND_H
#define BOUND_H

#include <stdint.h>

#include "fault.h"

enum {
	BOUND_GROUPS = 2
};

struct bound {
	char *group
	    [BOUND_GROUPS]; /* directories, owned: one of version 2, or memory's and pids' of version 1; NULL: none */
};

/*
 * Make groups called NAME that hold at most MEMORY bytes (what tmpfs holds for them included; they get no swap) and PROCESSES
 * tasks. -1 and `limits_unavailable` when this user can't make any: nothing then holds a tree of processes down, since rlimits
 * count each process for itself. Nothing is left after a failure.
 */
int bound_make(struct bound *, const char *name, int64_t memory, int processes, struct fault *);

/* For the child, before it runs: join them. Safe between fork and exec. Returns -1 with errno. */
int bound_join(const struct bound *);

/* How many processes the kernel ended because the memory was used up. */
int64_t bound_killed(const struct bound *);

/* Let nobody new in, and kill who is there. Does not wait for their ends. */
void bound_kill(const struct bound *);

/* End everybody in them, remove and free them. -1 when somebody still is there at DEADLINE. */
int bound_end(struct bound *, int64_t deadline);

/*
 * End everybody in the groups whose names begin with PREFIX, wherever in the hierarchies they are, and remove them: nobody needs
 * to remember where they were made. Returns 0 when there are none any more, -1 when some still are at DEADLINE.
 */
int bound_remove(const char *prefix, int64_t deadline);

#endif
