/* program - another program, run to its end for what it prints */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "fault.h"

struct program {
	const char *const *argv;
	const char *const *envp; /* besides PATH, which is ours; NULL: nothing */
	const char *cwd;         /* NULL: stay */
	int in;                  /* its standard input; -1: none */
	int out;                 /* a file for its standard output; -1: into memory */
	size_t most;             /* bytes of output that memory takes */
	int64_t deadline;        /* it is ended then, with all that it started */
	bool alone;              /* it starts no others: see struct tree_spec */
	const char *reason;      /* of the fault */
	const char *subject;     /* whose fault it is, in its message */
};

/*
 * Run it. 0 when it exited with 0; OUTPUT, which may be NULL with a file, then holds what it printed. Else -1 and a fault with that
 * reason (2) whose message ends in what it said last on standard error; `stopped` (128+n) when a signal asks to stop.
 */
int program_run(const struct program *, struct buf *output, struct fault *);

#endif
