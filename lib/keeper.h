/* keeper - looks after one service: runs it, logs what it prints, ends it and all that came of it */
#ifndef KEEPER_H
#define KEEPER_H

#include <stdint.h>

struct keeper_job {
	const char *const *argv;
	const char *const *envp;
	const char *cwd;
	const char *log; /* the file that gets its output (logfile) */
	int stop_signal; /* what asks it to end */
	int64_t stop_ms; /* how long it then has before it is killed */
};

/*
 * Work for worker_start: CONTEXT is a struct keeper_job. Returns the program's exit status, 128+n for a signal, 126 or 127 when it
 * could not be run, as soon as the program ended, unasked or when TERM asked for it. Its words tell which, with the last line that it printed.
 */
int keeper_work(const void *context, int words);

#endif
