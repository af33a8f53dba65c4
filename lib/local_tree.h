/* local_tree - a command's process tree in a local sandbox, its two streams and its limits */
#ifndef LOCAL_TREE_H
#define LOCAL_TREE_H

#include "bound.h"
#include "local.h"
#include "tree.h"

/* Start from {.cell, .request, .result, .deadline}, and .bound where there is one, all borrowed. */
struct local_tree {
	const struct cell *cell;
	const struct exec_request *request;
	struct exec_result *result;
	int64_t deadline;
	const struct bound *bound; /* the groups it is in; NULL: none */
	struct tree tree;
	int stream[2]; /* of its output and its errors, our ends; -1 once they ended */
	int both;      /* an epoll set of the two */
	bool full;     /* the workspace outgrew what it may hold */
};

/* Start what SPEC says, which gets its output streams here. -1 and `exec_failed`. */
int local_tree_start(struct local_tree *, struct tree_spec *, struct fault *);

/*
 * Take its output until it ended, a limit is reached or a signal asks us to stop (`stopped`), and end all that came of it: if some
 * of it can't be ended, `exec_unended` (3). Fills the result but for its duration.
 */
int local_tree_follow(struct local_tree *, struct fault *);

/* Add a sentence of ours to its errors. */
void local_tree_say(struct local_tree *, const char *text);

#endif
