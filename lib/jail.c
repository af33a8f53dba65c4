/* jail - run a function in a child that can only compute and write to two pipes */

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "jail.h"
#include "x.h"

enum {
	CPU_SECONDS = 60,
	PIPE_BYTES = 1 << 20, /* the child need not stop at each piece that its parent takes */
	FAILED = 2
};

/* What glibc's malloc, write(2) and _exit(2) need; seen with strace, and no more than that. */
static int
allow(scmp_filter_ctx filter, int data, int report)
{
	static const int plain[] = {SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(brk), SCMP_SYS(exit_group)};
	int failed = 0;

	for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
		failed |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, plain[i], 0);
	/* No memory that is executed, and none that is made so later: mprotect(2) is not there. */
	failed |=
	    seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1, SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
	failed |=
	    seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(write), 1, SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)data, 0));
	failed |=
	    seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(write), 1, SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)report, 0));
#ifdef SBX_SANITIZE
	/* AddressSanitizer calls these for its shadow of large allocations, and on the way to _exit(2). */
	failed |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(madvise), 0);
	failed |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(sigaltstack), 0);
#endif
	return failed;
}

static bool
set_limit(int which, uint64_t most)
{
	const struct rlimit limit = {most, most};

	return setrlimit(which, &limit) == 0;
}

#ifdef SBX_SANITIZE
/* The shadow memory of AddressSanitizer is larger than any limit. */
static bool
limit_memory(uint64_t memory)
{
	(void)memory;
	return true;
}
#else
/* On top of the address space that this process has, in pages, from its parent (proc(5)). */
static bool
limit_memory(uint64_t memory)
{
	auto_fclose FILE *statm = fopen("/proc/self/statm", "re");
	unsigned long pages;

	return statm != NULL && fscanf(statm, "%lu", &pages) == 1 &&
	       set_limit(RLIMIT_AS, (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE) + memory);
}
#endif

/* Standard error stays open for what may go wrong here; the filter bars it. */
static void
close_others(int data, int report)
{
	for (unsigned fd = 0; fd <= (unsigned)(data > report ? data : report); fd++)
		if (fd != (unsigned)data && fd != (unsigned)report && fd != STDERR_FILENO)
			close((int)fd);
	close_range((unsigned)(data > report ? data : report) + 1, ~0U, 0);
}

static void
lock(int data, int report, uint64_t memory)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);

	if (filter == NULL || allow(filter, data, report) != 0 ||
	    seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS) != 0)
		errx(FAILED, "jail: the system call filter could not be made");
	if (!limit_memory(memory) || !set_limit(RLIMIT_CPU, CPU_SECONDS) || !set_limit(RLIMIT_CORE, 0))
		err(FAILED, "jail: limits");
	close_others(data, report);
	/* It sets no_new_privs too. */
	if ((errno = -seccomp_load(filter)) != 0)
		err(FAILED, "jail: the system call filter could not be loaded");
}

void
jail_start(struct jail *j, jail_work *work, void *context, uint64_t memory)
{
	pid_t parent = getpid();
	int data[2], report[2];

	if (pipe2(data, O_CLOEXEC) == -1 || pipe2(report, O_CLOEXEC) == -1)
		err(FAILED, "pipe");
	fcntl(data[1], F_SETPIPE_SZ, PIPE_BYTES);
	/* Ignored, as some callers leave it, it would keep the child's end from us. */
	signal(SIGCHLD, SIG_DFL);
	*j = (struct jail) {fork(), data[0], report[0]};
	if (j->pid == -1)
		err(FAILED, "process");
	if (j->pid == 0) {
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) == -1 || getppid() != parent)
			_exit(FAILED);
		lock(data[1], report[1], memory);
		work(data[1], report[1], context);
		_exit(0);
	}
	close(data[1]);
	close(report[1]);
}

void
jail_kill(const struct jail *j)
{
	kill(j->pid, SIGKILL);
}

int
jail_end(struct jail *j)
{
	int status;

	close(j->data);
	close(j->report);
	while (waitpid(j->pid, &status, 0) == -1)
		if (errno != EINTR)
			return -1;
	if (WIFSIGNALED(status))
		return WTERMSIG(status);
	return WEXITSTATUS(status) == 0 ? 0 : -1;
}
