/* e2b_process - a process in a sandbox of E2B, from its start to its end */
#ifndef E2B_PROCESS_H
#define E2B_PROCESS_H

#include "e2b_sandbox.h"

/* What a process tells on its stream, in order: its start, its output, its end. */
struct e2b_process {
	int64_t pid; /* 0 until it started */
	bool ended;
	bool exited; /* by itself: exit_code is then its own */
	int exit_code;
	char words[80]; /* the service's own, of how it ended */
};

/* Gets a piece of its output, or of its error; returns 0, or -1 with the fault. */
typedef int e2b_output_fn(bool error, const char *bytes, size_t len, void *context, struct fault *);

/*
 * One message of the stream, as envelope_take hands it over with a struct e2b_reader. -1 and a fault: SINK's own,
 * `stream_malformed`, or what the last message tells: `exec_refused`, `sandbox_ended` and others (2).
 */
struct e2b_reader {
	struct e2b_process *process;
	e2b_output_fn *sink; /* NULL: its output goes nowhere */
	void *context;
	bool leave; /* the stream, as soon as the process started, which goes on */
};
int e2b_process_read(bool last, const char *text, size_t len, void *reader, struct fault *);

/*
 * Run ARGS (ends with NULL), with the environment ENV (may be NULL), in the directory CWD (may be NULL), to its end or, where the
 * reader leaves, to its start. The process
 * outlives its stream: after -1 what PROCESS says is all that is known, and it goes on where it is not said to have ended.
 */
int e2b_process_run(struct e2b *, struct e2b_sandbox *, const char *const *args, const json_t *env, const char *cwd,
    int64_t deadline, struct e2b_reader *, struct fault *);

/* Ask it to end, and look until it has: 0, or -1 and a fault. */
int e2b_process_end(struct e2b *, struct e2b_sandbox *, int64_t pid, struct fault *);

/* Does the sandbox's daemon answer? `sandbox_ended` (2) when the service says that there is none. */
int e2b_process_probe(struct e2b *, struct e2b_sandbox *, struct fault *);

#endif
