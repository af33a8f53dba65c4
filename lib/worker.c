/* worker - a process of our own program that does one thing on the side and tells in a few words how it went */

#include <ctype.h>
#include <err.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "stop.h"
#include "worker.h"

static _Noreturn void
work_on(int (*work)(const void *, int), const void *context, int words, pid_t parent)
{
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(1);
	_exit(work(context, words));
}

void
worker_start(struct worker *w, int (*work)(const void *, int), const void *context)
{
	pid_t parent = getpid();
	int ends[2];

	*w = (struct worker)WORKER_NONE;
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) == -1)
		err(2, "pipe");
	if ((w->pid = fork()) == -1)
		err(2, "process");
	if (w->pid == 0) {
		close(ends[0]);
		work_on(work, context, ends[1], parent);
	}
	close(ends[1]);
	w->words = ends[0];
}

void
worker_tell(int to, const char *format, ...)
{
	char words[WORKER_WORDS];
	va_list ap;

	va_start(ap, format);
	vsnprintf(words, sizeof words, format, ap);
	va_end(ap);
	if (write(to, words, strlen(words)) == -1)
		warn("pipe");
}

void
worker_words(struct worker *w, char words[static WORKER_WORDS])
{
	ssize_t n = w->words == -1 ? 0 : read(w->words, words, WORKER_WORDS - 1);

	words[n > 0 ? n : 0] = '\0';
	for (char *c = words; *c != '\0'; c++)
		if (iscntrl((unsigned char)*c))
			*c = '?';
	if (*words == '\0' && WIFSIGNALED(w->wait_status))
		snprintf(words, WORKER_WORDS, "whoever looked after it was ended by signal %d (%s)",
		    WTERMSIG(w->wait_status), strsignal(WTERMSIG(w->wait_status)));
	if (w->words != -1)
		close(w->words);
	w->words = -1;
}

int
worker_wait(struct worker *w, int64_t deadline)
{
	/* The other end of the pipe is closed by its end alone; words that lie in it are no news. */
	struct pollfd wait[] = {{w->words, 0, 0}, {stop_fd(), POLLIN, 0}};

	do {
		if (stop_pending() || clock_now() >= deadline)
			return -1;
		poll(wait, 2, clock_left(deadline));
	} while (!(wait[0].revents & POLLHUP));
	if (waitpid(w->pid, &w->wait_status, 0) == w->pid)
		w->pid = 0;
	return 0;
}

bool
worker_succeeded(const struct worker *w)
{
	return w->pid == 0 && WIFEXITED(w->wait_status) && WEXITSTATUS(w->wait_status) == 0;
}

void
worker_signal(const struct worker *w, int signal)
{
	if (w->pid > 0)
		kill(w->pid, signal);
}
