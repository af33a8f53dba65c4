/* confine - a command in bubblewrap: namespaces of its own, no network, a read-only system, one place to write */
#ifndef CONFINE_H
#define CONFINE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "bound.h"
#include "buf.h"
#include "json.h"
#include "tree.h"

#define CONFINE_WORKSPACE "/workspace"
#define CONFINE_SHELL "/opt/mozaiks"
#define CONFINE_WITHIN "/usr/local/libexec/sbx/sbx-within" /* as in an image: sbx-image(7) */

enum {
	CONFINE_UID = 10001, /* inside, as in the preview image; outside too, when root confines */
	CONFINE_FILES = 5
};

struct confine_request {
	const char *bwrap;     /* the program, a path */
	const char *within;    /* sbx-within, a path: it is process 1 inside, and ends all with itself at the limit */
	const char *workspace; /* a directory: /workspace inside, writable */
	const char *shell;     /* a directory: /opt/mozaiks inside */
	const char *command;   /* for sh -c */
	const char *cwd;       /* inside */
	const json_t *env;     /* object of texts: the whole environment but PATH and HOME, and over these */
	int64_t limit_ms;      /* a little later it ends by itself, whatever became of us */
	const struct bound *bound; /* groups to join */
};

/* What tree_start needs; owns what it points to. */
struct confine {
	const struct confine_request *request;
	char *argv[16];
	char *envp[2];
	int file[CONFINE_FILES + 2]; /* what bubblewrap reads, its options and files of /etc; where it writes; -1 */
	int status[2];               /* the pipe on which it tells what came of it */
	int alive[2];                /* the pipe whose end inside ends with us, and the command with it */
};

/* Fill C and the fields argv, envp, stdio[0], keep, prepare and context of SPEC. The request is borrowed until confine_free. */
void confine_begin(struct confine *, const struct confine_request *, struct tree_spec *);

/* After tree_start: our copies of what only the child needs are closed. */
void confine_started(struct confine *);

/* After it ended: did the command itself ever run? Otherwise bubblewrap could not confine it and said why on standard error. */
bool confine_ran(const struct confine *);

void confine_free(struct confine *);

/* The command for people to read, as a shell would take it; what bubblewrap reads from descriptors is left out. */
void confine_show(const struct confine_request *, struct buf *);

#endif
