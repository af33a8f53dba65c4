/* jail - what a jailed child can't do kills it, and what it has is two pipes */

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "fd.h"
#include "jail.h"
#include "x.h"

#define check(condition, what) ((condition) ? (void)0 : fail(#condition, what, __LINE__))

enum {
	MEMORY = 64 << 20,
	WAIT_MS = 20000
};

static _Noreturn void
fail(const char *condition, const char *what, int line)
{
	fprintf(stderr, "jail.c:%d: %s: not so: %s\n", line, what, condition);
	exit(1);
}

static void
try_open(void)
{
	open("/etc/passwd", O_RDONLY);
}

static void
try_socket(void)
{
	socket(AF_INET, SOCK_STREAM, 0);
}

static void
try_dup(void)
{
	if (dup(0) == -1)
		_exit(0);
}

static void
try_fork(void)
{
	fork();
}

static void
try_exec(void)
{
	execl("/bin/true", "true", (char *)NULL);
}

static void
try_signal(void)
{
	kill(getppid(), 0);
}

static void
try_read(void)
{
	char c;

	if (read(0, &c, 1) == 1)
		_exit(0);
}

static void
try_stderr(void)
{
	fd_write(STDERR_FILENO, "x", 1);
}

static void
try_code(void)
{
	mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void
try_unlink(void)
{
	unlink("/nonexistent");
}

static const struct {
	const char *what;
	void (*attempt)(void);
} attempts[] = {
    {"open", try_open},
    {"socket", try_socket},
    {"dup", try_dup},
    {"fork", try_fork},
    {"exec", try_exec},
    {"signal", try_signal},
    {"read", try_read},
    {"standard error", try_stderr},
    {"memory that is executed", try_code},
    {"unlink", try_unlink},
};

static void
attempt(int data, int report, void *context)
{
	void (*const *f)(void) = context;

	(void)data;
	(*f)();
	/* Only who is still alive writes this. */
	fd_write(report, "alive", 5);
}

static void
escapes_die(void)
{
	for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++) {
		void (*f)(void) = attempts[i].attempt;
		struct jail j;
		char c;

		jail_start(&j, attempt, &f, MEMORY);
		check(read(j.report, &c, 1) == 0, attempts[i].what);
		check(jail_end(&j) == SIGSYS, attempts[i].what);
	}
}

static void
answer(int data, int report, void *context)
{
	fd_write(data, context, 4);
	fd_write(report, "told", 4);
}

static void
work_comes_through(void)
{
	char given[] = "data", got[5] = "", told[5] = "";
	struct jail j;

	jail_start(&j, answer, given, MEMORY);
	check(read(j.data, got, 4) == 4 && strcmp(got, "data") == 0, "data");
	check(read(j.report, told, 4) == 4 && strcmp(told, "told") == 0, "report");
	check(jail_end(&j) == 0, "end");
}

/* Writes until the pipe is full, so that it can be looked at. */
static void
linger(int data, int report, void *context)
{
	static char piece[65536];

	(void)report, (void)context;
	while (fd_write(data, piece, sizeof piece) == 0)
		;
}

static bool
status_has(pid_t pid, const char *line)
{
	auto_free char *path = x_printf("/proc/%d/status", (int)pid);
	auto_close int fd = open(path, O_RDONLY);
	auto_buf struct buf text = {0};

	return fd != -1 && fd_read_all(fd, &text, 65536) == 0 && strstr(text.data, line) != NULL;
}

static int
count_descriptors(pid_t pid)
{
	auto_free char *path = x_printf("/proc/%d/fd", (int)pid);
	DIR *dir = opendir(path);
	struct dirent *entry;
	int n = 0;

	check(dir != NULL, path);
	while ((entry = readdir(dir)) != NULL)
		n += entry->d_name[0] != '.';
	closedir(dir);
	return n;
}

static void
the_kernel_says_so(void)
{
	int64_t deadline = clock_deadline(WAIT_MS);
	struct jail j;
	char c;

	jail_start(&j, linger, NULL, MEMORY);
	check(read(j.data, &c, 1) == 1, "lingers");
	while (!status_has(j.pid, "Seccomp:\t2\n") && clock_left(deadline) > 0)
		clock_sleep(1, deadline);
	check(status_has(j.pid, "Seccomp:\t2\n"), "seccomp");
	check(status_has(j.pid, "NoNewPrivs:\t1\n"), "no new privileges");
	check(count_descriptors(j.pid) == 3, "two pipes, and standard error, which it can't use");
	jail_kill(&j);
	check(jail_end(&j) == SIGKILL, "killed");
}

#ifndef SBX_SANITIZE
static void
devour(int data, int report, void *context)
{
	void *volatile much = malloc(2 * (size_t)MEMORY);

	(void)data, (void)context;
	if (much == NULL)
		fd_write(report, "none", 4);
}

static void
memory_is_bounded(void)
{
	char told[5] = "";
	struct jail j;

	jail_start(&j, devour, NULL, MEMORY);
	check(read(j.report, told, 4) == 4 && strcmp(told, "none") == 0, "memory");
	check(jail_end(&j) == 0, "memory");
}
#endif

int
main(void)
{
	work_comes_through();
	escapes_die();
	the_kernel_says_so();
#ifndef SBX_SANITIZE
	memory_is_bounded();
#endif
	return 0;
}
