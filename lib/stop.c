/* stop - signals that ask a program to end, noted instead of obeyed at once */

#include <err.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "stop.h"

static int fd = -1;
static int noted;
static int held; /* how many hold */

void
stop_catch(void)
{
	static const int which[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction old;
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof which / sizeof *which; i++)
		if (sigaction(which[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaddset(&set, which[i]);
	if (sigprocmask(SIG_BLOCK, &set, NULL) == -1 || (fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK)) == -1)
		err(2, "signals");
}

int
stop_signal(void)
{
	struct signalfd_siginfo info;

	while (fd != -1 && read(fd, &info, sizeof info) == (ssize_t)sizeof info) {
		if (noted)
			_exit(128 + (int)info.ssi_signo);
		noted = (int)info.ssi_signo;
	}
	return noted;
}

void
stop_hold(bool hold)
{
	held += hold ? 1 : -1;
}

int
stop_pending(void)
{
	int signal = stop_signal();

	return held ? 0 : signal;
}

int
stop_fd(void)
{
	return fd;
}
