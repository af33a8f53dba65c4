/* ready - when a service is ready: it takes a connection, answers a request, or a command says so */
#ifndef READY_H
#define READY_H

#include <stdbool.h>
#include <stdint.h>

#include "probe.h"

struct ready {
	const char *const *argv; /* the command, which says so with 0; NULL: it is asked by PROBE */
	struct probe probe;
};

struct ready_job {
	const struct ready *ready;
	const char *const *envp; /* of the command */
	const char *cwd;
	int64_t deadline;
};

/* Can this be asked, and is it about this machine itself? */
bool ready_check(const struct ready *);

/* Does somebody already listen where the service will? Of a command that is not known. */
bool ready_in_use(const struct ready *);

/*
 * Work for worker_start: CONTEXT is a struct ready_job. Looks again and again, and returns 0 as soon as it is so, 1 at the deadline; then
 * its words tell what the last look found.
 */
int ready_work(const void *context, int words);

#endif
