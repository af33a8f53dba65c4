/* instance - the one supervisor that there may be: a file with its process, and whether that still is the same process */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.h"
#include "fd.h"
#include "instance.h"
#include "stop.h"

enum {
	LOOK_MS = 20, /* between two looks at a lock, which can't be polled */
	FIELDS_BEFORE_START = 19
};

/* Field 22 of /proc/PID/stat (proc(5)); the name, which is the second, may hold anything, also ") ". -1: no such process. */
static long long
start_of(pid_t pid)
{
	char path[32], stat[1024], *field;
	auto_close int fd = -1;
	ssize_t n;

	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd == -1 || (n = read(fd, stat, sizeof stat - 1)) <= 0)
		return -1;
	stat[n] = '\0';
	field = strrchr(stat, ')');
	for (int i = 0; field != NULL && i <= FIELDS_BEFORE_START; i++)
		field = strchr(field + 1, ' ');
	return field == NULL ? -1 : strtoll(field, NULL, 10);
}

/* A descriptor of the process that FILE names, if it still is that one; -1: it is no more. */
static int
process_of(int fd)
{
	char text[64] = "";
	long long start;
	int pid, process;

	if (pread(fd, text, sizeof text - 1, 0) <= 0 || sscanf(text, "%d %lld", &pid, &start) != 2 || pid <= 0)
		return -1;
	process = (int)syscall(SYS_pidfd_open, pid, 0);
	/* Looked at behind the opening: whoever had this start time then is the one that is held. */
	if (process == -1 || start_of(pid) == start)
		return process;
	close(process);
	return -1;
}

/* Is what the descriptor holds still what is at PATH? */
static bool
is_at(int fd, const char *path)
{
	struct stat held, there;

	return fstat(fd, &held) == 0 && stat(path, &there) == 0 && held.st_ino == there.st_ino &&
	       held.st_dev == there.st_dev;
}

/* Open FILE and lock it. -1 with errno; EWOULDBLOCK: somebody has it locked. */
static int
lock(const char *file, int flags)
{
	for (;;) {
		auto_close int fd = open(file, O_RDWR | O_NOFOLLOW | O_CLOEXEC | flags, 0600);

		if (fd == -1 || flock(fd, LOCK_EX | LOCK_NB) == -1)
			return -1;
		/* Between the two its owner may have removed it. */
		if (is_at(fd, file))
			return x_steal_fd(&fd);
	}
}

static int
refuse(const char *file, struct fault *f)
{
	auto_close int fd = open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	auto_close int process = fd == -1 ? -1 : process_of(fd);

	if (process == -1)
		return fault_set(f, STATUS_NO, "already_running",
		    "%s: the supervisor in it was killed, and its services are still being ended", file);
	return fault_set(f, STATUS_NO, "already_running", "%s: a supervisor runs already", file);
}

int
instance_claim(const char *file, struct fault *f)
{
	auto_close int fd = lock(file, O_CREAT);
	char text[64];
	int len = snprintf(text, sizeof text, "%d %lld\n", (int)getpid(), start_of(getpid()));

	if (fd == -1 && errno == EWOULDBLOCK)
		return refuse(file, f);
	if (fd != -1 && ftruncate(fd, 0) == 0 && fd_write(fd, text, (size_t)len) == 0)
		return x_steal_fd(&fd);
	fault_errno(f, STATUS_TROUBLE, "state_unwritable", "%s", file);
	if (fd != -1)
		unlink(file);
	return -1;
}

void
instance_release(int fd, const char *file)
{
	unlink(file);
	close(fd);
}

bool
instance_runs(const char *file)
{
	auto_close int fd = open(file, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	auto_close int process = fd == -1 ? -1 : process_of(fd);

	return process != -1;
}

/* Until the lock is free: whoever gets it may remove the file, as nobody else is there any more. */
static int
wait_for_lock(const char *file, int64_t deadline, struct fault *f)
{
	int fd;

	while ((fd = lock(file, 0)) == -1 && errno == EWOULDBLOCK) {
		if (stop_pending())
			return fault_set(f, 128 + stop_signal(), "stopped", "stopped by signal %d", stop_signal());
		if (clock_now() >= deadline)
			return fault_set(f, STATUS_DOUBT, "still_stopping",
			    "%s: its process was asked to end, and something of it still runs", file);
		clock_sleep(LOOK_MS, deadline);
	}
	if (fd != -1)
		instance_release(fd, file);
	else if (errno != ENOENT)
		return fault_errno(f, STATUS_TROUBLE, "state_unreadable", "%s", file);
	return 0;
}

int
instance_stop(const char *file, int64_t deadline, struct fault *f)
{
	auto_close int fd = open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	auto_close int process = fd == -1 ? -1 : process_of(fd);

	if (process != -1)
		syscall(SYS_pidfd_send_signal, process, SIGTERM, NULL, 0);
	return wait_for_lock(file, deadline, f);
}
