/* sbx-within - run a command and end its whole process tree with it, or at a time limit */

#include <err.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "cli.h"
#include "clock.h"
#include "stop.h"
#include "tree.h"

enum {
	LIMIT_REACHED = 124, /* as timeout(1) */
	FAILED = 125,
	GRACE_MS = 1000,
	KILL_MS = 5000
};

static long long limit_s = 86400;
static bool watch;

static const struct cli_option options[] = {
    {'t', "time", "SECONDS", "end the tree after that long (86400)", cli_seconds, &limit_s},
    {'w', "watch", NULL, "end the tree when standard input ends; the command has none then", cli_flag, &watch},
    {0},
};

/* TREE_READABLE: what was watched came to its end, as it does when whoever started us is no more. */
static enum tree_event
wait_for_end(struct tree *t)
{
	int64_t deadline = clock_deadline(limit_s * 1000);
	enum tree_event event;
	char ignored[512];

	do
		event = tree_wait_reading(t, watch ? STDIN_FILENO : -1, deadline);
	while (event == TREE_READABLE && read(STDIN_FILENO, ignored, sizeof ignored) > 0);
	return event;
}

static int
exit_status(enum tree_event event, const struct tree *t)
{
	switch (event) {
	case TREE_ENDED:
		return t->status;
	case TREE_STOPPED:
		return 128 + stop_signal();
	case TREE_READABLE:
		return 128 + SIGHUP;
	default:
		cli_warn("time limit of %lld s reached: the command and all that came of it were ended", limit_s);
		return LIMIT_REACHED;
	}
}

int
main(int argc, char *argv[])
{
	static const struct cli cli = {SBX_TITLE, "COMMAND [ARGUMENT ...]", options, .command = true};
	struct tree_spec spec = {.envp = (const char *const *)environ, .stdio = {-1, 1, 2}};
	struct tree tree;
	int status;

	cli_parse(&cli, &argc, &argv);
	if (argc == 0)
		cli_usage("which command?");

#ifndef SBX_SANITIZE /* whose leak checker traces its own process */
	/* The command runs as the same user: it must not be able to trace us and take its limit away. */
	prctl(PR_SET_DUMPABLE, 0);
#endif
	stop_catch();
	spec.argv = (const char *const *)argv;
	if (!watch)
		spec.stdio[0] = STDIN_FILENO;
	if ((status = tree_start(&spec, &tree)) != 0) {
		warnx("%s: %s", argv[0], strerror(tree.error));
		return status;
	}
	status = exit_status(wait_for_end(&tree), &tree);
	if (tree_end(&tree, status == tree.status ? 0 : GRACE_MS, clock_deadline(KILL_MS)) == -1) {
		warnx("%s: some of its processes could not be ended", argv[0]);
		return FAILED;
	}
	return status;
}
