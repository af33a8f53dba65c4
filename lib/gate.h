/* gate - one process at a time, in the order they came */
#ifndef GATE_H
#define GATE_H

#include <stdint.h>

#include "fault.h"

/*
 * Wait at the gate that the file PATH stands for (made, 0600, when missing) until it is our turn. Returns a descriptor: closing it, or
 * dying, lets the next one in; a child that was forked meanwhile holds it too. -1 and a fault: `gate_busy` (75) when DEADLINE came first, `gate_failed` (2). It waits with a timer
 * of its own on SIGALRM, so it is for programs of one thread.
 */
int gate_enter(const char *path, int64_t deadline, struct fault *);

#endif
