/* worker - a process of our own program that does one thing on the side and tells in a few words how it went */
#ifndef WORKER_H
#define WORKER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	WORKER_WORDS =
	    512 /* bytes of what it tells, with the NUL; less than a pipe holds, so that telling never blocks */
};

/*
 * Each has a process group of its own, so a signal from a terminal reaches the one who started it alone; and is asked to end by
 * TERM when that one is no more.
 */
struct worker {
	pid_t pid; /* 0: none, or it ended and was reaped */
	int words; /* where its words come from; -1: none */
	int wait_status;
};

#define WORKER_NONE         \
	{                   \
		.words = -1 \
	}

/*
 * Start one that runs WORK with CONTEXT and exits with what WORK returns. WORK writes its words to the descriptor, if any, and must
 * look for stop_pending: stop_catch was called before. Ends the program when there is no process to be had.
 */
void worker_start(struct worker *, int (*work)(const void *context, int words), const void *context);

/* Tell WORDS, cut to what is allowed. For the work. */
void worker_tell(int words, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What it told, once it ended; or, when it told nothing, that it was ended and by which signal. Control characters become '?'. */
void worker_words(struct worker *, char words[static WORKER_WORDS]);

/* Wait for the only worker that there is to end: 0. -1 at DEADLINE, or when a signal asks to stop. */
int worker_wait(struct worker *, int64_t deadline);

/* Did it end with 0? */
bool worker_succeeded(const struct worker *);

/* Send SIGNAL where it still runs. */
void worker_signal(const struct worker *, int signal);

#endif
