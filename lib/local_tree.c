/* local_tree - a command's process tree in a local sandbox, its two streams and its limits */

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "clock.h"
#include "crash.h"
#include "local_find.h"
#include "local_tree.h"
#include "room.h"
#include "stop.h"
#include "x.h"

enum {
	END_MS = 15000,
	DRAIN_MS = 1000,
	LOOK_MS = 250, /* at the size of the workspace */
	LOOK_SHARE = 20,
	PIECE = 65536,
	LIMIT_REACHED = 124
};

static void
close_end(int *fd)
{
	if (*fd != -1)
		close(*fd);
	*fd = -1;
}

static void
open_stream(struct local_tree *t, int i, int *theirs)
{
	struct epoll_event event = {.events = EPOLLIN};
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) == -1 || fcntl(ends[0], F_SETFL, O_NONBLOCK) == -1 ||
	    epoll_ctl(t->both, EPOLL_CTL_ADD, ends[0], &event) == -1)
		err(2, "pipe");
	t->stream[i] = ends[0];
	*theirs = ends[1];
}

static void
close_streams(struct local_tree *t)
{
	close_end(&t->stream[0]);
	close_end(&t->stream[1]);
	close_end(&t->both);
}

int
local_tree_start(struct local_tree *t, struct tree_spec *spec, struct fault *f)
{
	int status;

	if ((t->both = epoll_create1(EPOLL_CLOEXEC)) == -1)
		err(2, "epoll");
	open_stream(t, 0, &spec->stdio[1]);
	open_stream(t, 1, &spec->stdio[2]);
	status = tree_start(spec, &t->tree);
	close(spec->stdio[1]);
	close(spec->stdio[2]);
	if (status == 0)
		return 0;
	close_streams(t);
	errno = t->tree.error;
	if (!local_is_confined(t->cell))
		return fault_errno(f, STATUS_TROUBLE, "exec_failed", "%s", spec->argv[0]);
	return fault_set(
	    f, STATUS_TROUBLE, "confinement_failed", "walls can't be made: %s: " LOCAL_ADVICE, strerror(errno));
}

/* Take a piece of each stream. Returns -1 and a fault when it can't be handed on. */
static int
take(struct local_tree *t, struct fault *f)
{
	auto_free char *piece = x_alloc(PIECE);

	for (int i = 0; i < 2; i++) {
		ssize_t n = t->stream[i] == -1 ? -1 : read(t->stream[i], piece, PIECE);

		if (n > 0 && exec_take(t->request, t->result, i == 1, piece, (size_t)n, f) == -1)
			return -1;
		if (n == 0)
			close_end(&t->stream[i]);
	}
	return 0;
}

/* A workspace that is mounted is held to its size by the kernel; the others are looked at. */
static void
look_at_size(struct local_tree *t, int64_t *next)
{
	int64_t began = clock_now();

	if (geteuid() == 0 || !local_is_confined(t->cell) || began < *next)
		return;
	t->full = room_is_full(t->cell->workspace);
	*next = clock_now() + LOOK_MS + LOOK_SHARE * (clock_now() - began);
}

/* Endless output must not keep us from looking at the time. */
static int
wait_for_end(struct local_tree *t, struct fault *f)
{
	int64_t look = 0;

	while (clock_left(t->deadline) > 0 && !t->full) {
		int64_t wake = clock_deadline(LOOK_MS);
		enum tree_event event = tree_wait_reading(&t->tree, t->both, wake < t->deadline ? wake : t->deadline);

		if (event == TREE_ENDED)
			return 0;
		if (event == TREE_STOPPED)
			return stop_fault(f);
		if (event == TREE_READABLE && take(t, f) == -1)
			return -1;
		look_at_size(t, &look);
	}
	t->result->timed_out = !t->full;
	return 0;
}

/* Nobody is left to write, so the streams end with what is in them. */
static void
drain(struct local_tree *t, struct fault *f)
{
	int64_t deadline = clock_deadline(DRAIN_MS);
	struct epoll_event event;

	while ((t->stream[0] != -1 || t->stream[1] != -1) && clock_left(deadline) > 0)
		if (epoll_wait(t->both, &event, 1, clock_left(deadline)) == -1 || take(t, f) == -1)
			return;
}

int
local_tree_follow(struct local_tree *t, struct fault *f)
{
	int status;

	crash_point("local.exec.started");
	status = wait_for_end(t, f);
	stop_hold(true);
	/* First, as it also ends what multiplies faster than it can be looked at. */
	if (t->bound != NULL)
		bound_kill(t->bound);
	if (tree_end(&t->tree, 0, clock_deadline(END_MS)) == -1)
		status = fault_set(f, STATUS_DOUBT, "exec_unended",
		    "sandbox %s: some of what ran in it could not be ended", json_text_at(t->cell->about, "id"));
	drain(t, f);
	stop_hold(false);
	close_streams(t);
	t->result->exit_code = t->result->timed_out ? LIMIT_REACHED : t->full ? 128 + SIGKILL : t->tree.status;
	if (t->full)
		local_tree_say(t, "sbx: the workspace outgrew what it may hold, and the command was ended\n");
	return status;
}

void
local_tree_say(struct local_tree *t, const char *text)
{
	struct fault unwritten = {0};

	exec_take(t->request, t->result, true, text, strlen(text), &unwritten);
	fault_clear(&unwritten);
}
