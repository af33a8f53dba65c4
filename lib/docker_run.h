/* docker_run - how a command in a sandbox ended, and what is done when that is not known */
#ifndef DOCKER_RUN_H
#define DOCKER_RUN_H

#include "docker.h"

struct docker_run {
	struct docker *docker;
	const struct exec_request *request;
	struct exec_result *result;
	char *id;   /* the Engine's, of the command */
	bool ended; /* the Engine said so */
};

/* Take what the Engine says about the command: how it ended, or that it has not. `sandbox_ended` (2) when both are gone. */
int docker_run_state(struct docker_run *, const struct http_reply *, struct fault *);

/* Ask until the command ended, for ten seconds at most: the stream may end a moment before the Engine knows. */
int docker_run_settle(struct docker_run *, struct fault *);

/* After a fault: see to it that the command ends, by removing the sandbox if need be. The fault then tells that as well. */
void docker_run_abandon(struct docker_run *, struct fault *);

/*
 * Is the exit status what it seems to be? `image_unfit` when the image has no sbx-within; `exec_unended` when the command killed it
 * and went on, and then the sandbox is removed.
 */
int docker_run_check(struct docker_run *, struct fault *);

#endif
