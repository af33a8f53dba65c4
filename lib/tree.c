/* tree - start a program, and end everything that came of it */

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cgroup.h"
#include "clock.h"
#include "descend.h"
#include "stop.h"
#include "tree.h"
#include "x.h"

/* Give the new program the three standard descriptors and those to keep, and nothing else. */
static void
set_descriptors(const struct tree_spec *s)
{
	int moved[3];

	for (int i = 0; i < 3; i++) {
		int from = s->stdio[i] == -1 ? open("/dev/null", i == 0 ? O_RDONLY : O_WRONLY) : s->stdio[i];

		/* Out of the way of 0 to 2, which are about to be overwritten. */
		moved[i] = fcntl(from, F_DUPFD_CLOEXEC, 3);
	}
	for (int i = 0; i < 3; i++)
		dup2(moved[i], i);
	close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
	for (const int *fd = s->keep; fd != NULL && *fd != -1; fd++)
		fcntl(*fd, F_SETFD, 0);
}

static void
reset_signals(void)
{
	sigset_t none;

	for (int n = 1; n < SIGRTMIN; n++)
		signal(n, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static _Noreturn void
become(const struct tree_spec *s, const char *group, pid_t parent, int report)
{
	bool ready;
	int error;

	reset_signals();
	setsid();
	if (group != NULL)
		cgroup_join(group);
	ready = s->prepare == NULL || s->prepare(s->context) == 0;
	/*
	 * A backstop for our own sudden death; it reaches this process only, so it is never all we rely on. The kernel forgets it when
	 * the user changes, so it comes after that.
	 */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(125);
	if (ready)
		set_descriptors(s);
	if (ready && (s->cwd == NULL || chdir(s->cwd) == 0)) {
		environ = (char **)s->envp;
		execvp(s->argv[0], (char *const *)s->argv);
	}
	error = errno;
	if (write(report, &error, sizeof error) == -1)
		_exit(125);
	_exit(127);
}

/* The child's errno from before its exec, or 0 when the pipe closed with it. */
static int
exec_error(int pipe_end)
{
	int error;
	ssize_t n;

	do
		n = read(pipe_end, &error, sizeof error);
	while (n == -1 && errno == EINTR);
	return n == (ssize_t)sizeof error ? error : 0;
}

/* The end of any child makes it readable, so that orphans are reaped while the program still runs. */
static int
watch_children(void)
{
	sigset_t set;
	int fd;

	/* Whoever started us may have it ignored, which is inherited, and then nobody's end could be waited for. */
	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	if (sigprocmask(SIG_BLOCK, &set, NULL) == -1 || (fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK)) == -1)
		err(2, "signals");
	return fd;
}

int
tree_start(const struct tree_spec *s, struct tree *t)
{
	pid_t parent = getpid();
	auto_close int report_in = -1;
	char group[32];
	int report[2];

	snprintf(group, sizeof group, CGROUP_OF_PROGRAM, (int)parent);
	*t = (struct tree) {.ends = watch_children()};
	if (pipe2(report, O_CLOEXEC) == -1 || prctl(PR_SET_CHILD_SUBREAPER, 1) == -1)
		err(2, "process");
	report_in = report[0];
	/* A pid of 0..2 for the pipe's end would be overwritten by the child's standard descriptors. */
	if (report[1] < 3)
		report[1] = fcntl(report[1], F_DUPFD_CLOEXEC, 3);
	t->cgroup = s->alone ? NULL : cgroup_make(s->group != NULL ? s->group : group);
	t->pid = fork();
	if (t->pid == 0)
		become(s, t->cgroup, parent, report[1]);
	close(report[1]);
	t->error = t->pid == -1 ? errno : exec_error(report_in);
	if (t->error == 0)
		return 0;
	tree_end(t, 0, clock_deadline(1000));
	return t->error == ENOENT ? 127 : t->error == EACCES || t->error == ENOEXEC ? 126 : 125;
}

static void
note_status(struct tree *t, int wait_status)
{
	t->signal = WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : 0;
	t->status = t->signal != 0 ? 128 + t->signal : WEXITSTATUS(wait_status);
	t->ended = true;
}

/*
 * Reap what ended. Orphans that came to us by way of the subreaper are reaped with the rest, so no zombie is left. Returns whether
 * any child is left: without one a subreaper has no descendant at all.
 */
static bool
reap(struct tree *t)
{
	struct signalfd_siginfo ignored;
	int wait_status;
	pid_t pid;

	while (read(t->ends, &ignored, sizeof ignored) > 0)
		;
	while ((pid = waitpid(-1, &wait_status, WNOHANG)) > 0)
		if (pid == t->pid)
			note_status(t, wait_status);
	return pid == 0;
}

enum tree_event
tree_wait(struct tree *t, int64_t deadline)
{
	return tree_wait_reading(t, -1, deadline);
}

enum tree_event
tree_wait_reading(struct tree *t, int fd, int64_t deadline)
{
	for (;;) {
		struct pollfd wait[] = {{t->ends, POLLIN, 0}, {stop_fd(), POLLIN, 0}, {fd, POLLIN, 0}};
		int n;

		if (stop_pending())
			return TREE_STOPPED;
		if (t->ended)
			return TREE_ENDED;
		n = poll(wait, 3, clock_left(deadline));
		/* First, so that what some other process prints without end does not hide that the program ended. */
		reap(t);
		/* Nor the deadline. */
		if (clock_left(deadline) == 0 && !t->ended)
			return TREE_DEADLINE;
		if (wait[2].revents && n > 0)
			return TREE_READABLE;
	}
}

int
tree_end(struct tree *t, int grace_ms, int64_t deadline)
{
	int64_t grace = clock_deadline(grace_ms);
	int looks = 0, alive = 0;

	if (grace > deadline)
		grace = deadline;
	if (t->pid > 0 && grace_ms > 0)
		kill(-t->pid, SIGTERM);
	while (looks < 2) {
		if (!reap(t)) {
			alive = 0;
			break;
		}
		if (clock_now() >= grace) {
			if (t->cgroup != NULL)
				cgroup_kill(t->cgroup);
			alive = descend_signal(SIGKILL);
		} else
			alive = descend_signal(0);
		looks = alive == 0 ? looks + 1 : 0;
		if (alive > 0 && clock_now() >= deadline)
			break;
		if (alive > 0)
			clock_sleep(5, deadline);
	}
	if (t->cgroup != NULL)
		cgroup_remove(t->cgroup);
	free(t->cgroup);
	if (t->ends != -1)
		close(t->ends);
	t->cgroup = NULL;
	t->ends = -1;
	return alive == 0 ? 0 : -1;
}
