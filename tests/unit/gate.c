/* gate - writers come in one at a time and in the order they came, whoever dies meanwhile */

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "gate.h"
#include "x.h"

#define check(condition) ((condition) ? (void)0 : fail(#condition, __LINE__))

enum {
	WAIT_MS = 20000,
	CHILDREN = 12
};

static const char *path;

static _Noreturn void
fail(const char *condition, int line)
{
	fprintf(stderr, "gate.c:%d: not so: %s\n", line, condition);
	exit(1);
}

/* Until the number that the next comer would draw is NEXT, so until all before it are in the queue. */
static void
wait_drawn(int64_t next)
{
	int64_t deadline = clock_deadline(WAIT_MS), drawn = 0;
	auto_close int fd = open(path, O_RDONLY);

	while (drawn != next && clock_left(deadline) > 0) {
		check(pread(fd, &drawn, sizeof drawn, 0) == sizeof drawn);
		clock_sleep(1, deadline);
	}
	check(drawn == next);
}

/* A child that goes through the gate and then writes its letter. HELD is ours, which a fork would hold open. */
static pid_t
start(char letter, int out, int held, int64_t wait_ms)
{
	pid_t child = fork();
	struct fault f = {0};
	int gate;

	if (child != 0)
		return child;
	close(held);
	gate = gate_enter(path, clock_deadline(wait_ms), &f);
	if (gate == -1)
		_exit(f.status);
	_exit(write(out, &letter, 1) == 1 ? 0 : 1);
}

static int
status_of(pid_t child)
{
	int status;

	check(waitpid(child, &status, 0) == child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void
they_come_in_the_order_they_came(void)
{
	struct fault f = {0};
	pid_t child[CHILDREN];
	char seen[CHILDREN + 1] = "";
	int gate = gate_enter(path, clock_deadline(WAIT_MS), &f), out[2];

	check(gate != -1 && pipe(out) == 0);
	for (int i = 0; i < CHILDREN; i++) {
		child[i] = start((char)('a' + i), out[1], gate, i == 7 ? 1 : WAIT_MS);
		wait_drawn(3 + i);
	}
	kill(child[2], SIGKILL);
	check(status_of(child[2]) == 128 + SIGKILL);
	check(status_of(child[7]) == STATUS_LATER);
	check(fcntl(out[0], F_SETFL, O_NONBLOCK) == 0 && read(out[0], seen, 1) == -1);
	close(gate);
	for (int i = 0; i < CHILDREN; i++)
		if (i != 2 && i != 7)
			check(status_of(child[i]) == 0);
	check(read(out[0], seen, CHILDREN) == CHILDREN - 2);
	check(strcmp(seen, "abdefgijkl") == 0);
}

/* One that comes back at once, again and again, has each time to wait for those that are there. */
static void
nobody_starves(void)
{
	struct fault f = {0};
	int gate = gate_enter(path, clock_deadline(WAIT_MS), &f), out[2];
	pid_t child;

	check(gate != -1 && pipe(out) == 0);
	child = start('x', out[1], gate, WAIT_MS);
	wait_drawn(3 + CHILDREN + 1);
	close(gate);
	gate = gate_enter(path, clock_deadline(WAIT_MS), &f);
	check(gate != -1 && read(out[0], &(char) {0}, 1) == 1);
	check(status_of(child) == 0);
	close(gate);
}

static void
signals_are_as_before(void)
{
	struct sigaction now;
	struct fault f = {0};
	int gate;

	signal(SIGALRM, SIG_IGN);
	gate = gate_enter(path, clock_deadline(WAIT_MS), &f);
	check(gate != -1 && sigaction(SIGALRM, NULL, &now) == 0 && now.sa_handler == SIG_IGN);
	check(gate_enter(path, clock_deadline(1), &f) == -1 && f.status == STATUS_LATER && f.retry_after_ms > 0);
	close(gate);
}

int
main(void)
{
	char dir[] = "/tmp/gate.XXXXXX";
	auto_free char *file = NULL;

	check(mkdtemp(dir) != NULL);
	path = file = x_printf("%s/gate", dir);
	they_come_in_the_order_they_came();
	nobody_starves();
	signals_are_as_before();
	check(unlink(path) == 0 && rmdir(dir) == 0);
	return 0;
}
