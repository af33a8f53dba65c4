/* tree - start a program, and end everything that came of it */
#ifndef TREE_H
#define TREE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * A program runs in a session of its own, with the given environment and no descriptor but those named. This process becomes
 * the subreaper, so whatever the program leaves behind, daemons that called setsid included, becomes a child of this
 * process and is found. Where a cgroup v2 can be made, the tree has one as well, which ends it in one write.
 *
 * One tree at a time: tree_end ends every descendant of the calling process.
 */
struct tree_spec {
	const char *const *argv; /* argv[0] is looked up in PATH of envp when it has no slash */
	const char *const *envp; /* the whole environment */
	const char *cwd;         /* NULL: stay */
	int stdio[3];            /* what becomes 0, 1 and 2; -1 is /dev/null */
	bool alone;              /* it starts no others, so that no cgroup is needed: joining one can take 20 ms */
	const int *keep;         /* further descriptors, kept under their numbers; ends with -1; NULL: none */
	const char *group;       /* what its control group is called; NULL: sbx-PID */
	/* Runs in the new process, which still has all our descriptors and rights; -1 and errno: do not start it. NULL: nothing. */
	int (*prepare)(const void *context);
	const void *context;
};

struct tree {
	pid_t pid;    /* also its session and process group */
	bool ended;   /* the program itself; status is then known */
	int ends;     /* readable when some child of ours ended */
	int error;    /* errno when it could not be started */
	char *cgroup; /* owned directory name, or NULL */
	int status;   /* exit status once it ended, 128+n for a signal */
	int signal;   /* the signal that ended it; 0: none did */
};

enum tree_event {
	TREE_ENDED, /* the program itself ended, tree.status says how; its children may live on */
	TREE_DEADLINE,
	TREE_STOPPED,  /* stop_signal() says which */
	TREE_READABLE, /* tree_wait_reading: the descriptor has data or is at its end */
};

/* Returns 0; or the exit status that env(1) would give: 127 not found, 126 not to be run, 125 no process; tree.error says why. */
int tree_start(const struct tree_spec *, struct tree *);

/* Wait for the program, not for its children, until DEADLINE (clock_now) or a stop signal. */
enum tree_event tree_wait(struct tree *, int64_t deadline);

/* The same, and returns also when FD is readable. FD -1 is never. */
enum tree_event tree_wait_reading(struct tree *, int fd, int64_t deadline);

/*
 * End the whole tree: TERM to its session, GRACE_MS to go in peace, then KILL until two looks in a row find nobody. Returns 0
 * when nobody is left, -1 when somebody still is at DEADLINE. Frees what TREE holds; a tree that ended is fine.
 */
int tree_end(struct tree *, int grace_ms, int64_t deadline);

#endif
