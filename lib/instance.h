/* instance - the one supervisor that there may be: a file with its process, and whether that still is the same process */
#ifndef INSTANCE_H
#define INSTANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "fault.h"

/*
 * The file holds the process's number and its start time (proc(5), stat, field 22), so that a number which went to another process is
 * not taken for it. It is locked as long as its process, or one that this one forked to look after a service, runs.
 */

/*
 * Make this process the one of FILE; what an earlier one left there, which is no more, is replaced. Returns the descriptor that holds
 * the lock, or -1 and a fault: `already_running` (1), `state_unwritable` (2).
 */
int instance_claim(const char *file, struct fault *);

/* Give it back, and FILE with it. */
void instance_release(int fd, const char *file);

/* Does the one of FILE run? It is not disturbed, as it would be by whoever tried its lock. */
bool instance_runs(const char *file);

/*
 * Ask the one of FILE to end, and wait until DEADLINE for it and all that it looks after to be gone. One that is gone already is fine,
 * and its file is removed. -1 and a fault: `still_stopping` (3), `stopped` (128+n, by a signal to us), `state_unreadable` (2).
 */
int instance_stop(const char *file, int64_t deadline, struct fault *);

#endif
