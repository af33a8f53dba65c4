/* exec - one command in a sandbox, and what came of it */
#ifndef EXEC_H
#define EXEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "fault.h"
#include "json.h"

struct exec_request {
	const char *id;
	const char *command; /* for sh -c */
	const char *cwd;     /* NULL: the workspace */
	const json_t *env;   /* object of strings, borrowed; NULL: none */
	int64_t limit_ms;    /* its whole process tree is ended then */
	size_t keep;         /* bytes of the end of each stream that are kept in the result */
	int whole_fd;        /* a file for both streams as they came, at most `most` bytes; -1: none */
	size_t most;
	bool live; /* also copy both streams to our own standard output and error */
	bool own;  /* a fixed command of sbx itself: it may run in a preview's sandbox, where nobody else's may */
	/*
	 * Leave it running: the call returns as soon as its shell started, or says why it could not. Its output goes nowhere, and only
	 * the sandbox's end limits it.
	 */
	bool background;
};

struct exec_result {
	int exit_code; /* 124 at the time limit */
	bool timed_out;
	bool cut; /* less than all of the output is in out and err */
	int64_t duration_ms;
	int64_t out_bytes, err_bytes; /* what the command really wrote */
	struct buf out, err;          /* the tails */
};

/* For providers: a piece of the command's output, or of its error, as it came; then, once, that no more will come. */
int exec_take(
    const struct exec_request *, struct exec_result *, bool error, const char *bytes, size_t len, struct fault *);
void exec_taken(const struct exec_request *, struct exec_result *);

void exec_free(struct exec_result *);

/* The boundary (sbx(7)): may the command run in a sandbox of that purpose? NULL is none of ours. `purpose_refused` (1) if not. */
int exec_check_purpose(const struct exec_request *, const char *purpose, struct fault *);

/* Environment names must be identifiers of C, and the values texts: `env_invalid` (2), before anything is run. ENV may be NULL. */
int exec_check_env(const json_t *env, struct fault *);

#endif
