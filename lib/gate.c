/* gate - one process at a time, in the order they came */

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "gate.h"
#include "x.h"

/*
 * Neither flock(2) nor SQLite's own waiting is a queue: whoever comes by at the moment of release goes first, and a busy writer
 * that comes back at once can starve all others. So each one draws a number from the file, under a lock on byte 0, and locks
 * the byte of that number for as long as it lives. It is its turn when it can lock all bytes of lower numbers. The kernel
 * drops the locks of the dead.
 */
enum {
	COUNTER = 0,
	FIRST = 1,
	TICK_MS = 10,
	RETRY_MS = 2000
};

struct alarm {
	timer_t timer;
	struct sigaction action;
	sigset_t mask;
};

static void
interrupt(int number)
{
	(void)number;
}

/* From DEADLINE on, interrupt system calls again and again, since the first time may fall just before one begins. */
static void
alarm_set(struct alarm *a, int64_t deadline)
{
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
	struct itimerspec when = {
	    .it_value = {.tv_sec = deadline / 1000, .tv_nsec = deadline % 1000 * 1000000 + 1},
	    .it_interval = {.tv_nsec = TICK_MS * 1000000},
	};
	struct sigaction action = {.sa_handler = interrupt};
	sigset_t only;

	sigemptyset(&only);
	sigaddset(&only, SIGALRM);
	sigaction(SIGALRM, &action, &a->action);
	sigprocmask(SIG_UNBLOCK, &only, &a->mask);
	if (timer_create(CLOCK_MONOTONIC, &event, &a->timer) == -1)
		err(STATUS_TROUBLE, "timer");
	timer_settime(a->timer, TIMER_ABSTIME, &when, NULL);
}

static void
alarm_clear(const struct alarm *a)
{
	int error = errno;

	timer_delete(a->timer);
	sigprocmask(SIG_SETMASK, &a->mask, NULL);
	sigaction(SIGALRM, &a->action, NULL);
	errno = error;
}

/* Lock LEN bytes at START, waiting until DEADLINE, at which an alarm is set. errno is ETIME when it came first. */
static int
lock(int fd, short type, off_t start, off_t len, int64_t deadline)
{
	struct flock wanted = {.l_type = type, .l_whence = SEEK_SET, .l_start = start, .l_len = len};

	while (fcntl(fd, F_OFD_SETLKW, &wanted) == -1) {
		if (errno != EINTR)
			return -1;
		if (clock_left(deadline) == 0) {
			errno = ETIME;
			return -1;
		}
	}
	return 0;
}

static int
wait_turn(int fd, int64_t deadline)
{
	int64_t mine = FIRST;

	if (lock(fd, F_WRLCK, COUNTER, 1, deadline) == -1)
		return -1;
	if (pread(fd, &mine, sizeof mine, 0) == -1)
		return -1;
	if (mine < FIRST || mine == INT64_MAX)
		mine = FIRST;
	if (lock(fd, F_WRLCK, mine, 1, deadline) == -1)
		return -1;
	if (pwrite(fd, &(int64_t) {mine + 1}, sizeof mine, 0) != sizeof mine)
		return -1;
	if (lock(fd, F_UNLCK, COUNTER, 1, deadline) == -1)
		return -1;
	return mine == FIRST ? 0 : lock(fd, F_RDLCK, FIRST, mine - FIRST, deadline);
}

int
gate_enter(const char *path, int64_t deadline, struct fault *f)
{
	auto_close int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	struct alarm alarm;
	int status;

	if (fd == -1)
		return fault_errno(f, STATUS_TROUBLE, "gate_failed", "%s", path);
	alarm_set(&alarm, deadline);
	status = wait_turn(fd, deadline);
	alarm_clear(&alarm);
	if (status == 0)
		return x_steal_fd(&fd);
	if (errno != ETIME)
		return fault_errno(f, STATUS_TROUBLE, "gate_failed", "%s", path);
	f->retry_after_ms = RETRY_MS;
	return fault_set(f, STATUS_LATER, "gate_busy", "%s: others were at work until our time was up", path);
}
