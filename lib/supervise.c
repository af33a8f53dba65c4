/* supervise - starts services one after the other, watches them, ends them all in reverse order when one ends */

#include <err.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "descend.h"
#include "keeper.h"
#include "stop.h"
#include "supervise.h"
#include "worker.h"
#include "x.h"

enum {
	PATIENCE_MS = 5000, /* for a keeper, beyond the time that its service has to end */
	LEFT_MS = 5000      /* for what was left by one that was killed */
};

struct running {
	struct worker keeper;
	bool told; /* its end */
};

struct supervisor {
	const struct services *services;
	const char *logs;
	void (*say)(const char *, const char *, bool);
	struct running *running;
	size_t started;
	struct worker looker; /* that waits for the last one to be ready */
	int ends;             /* readable when some child ended */
	struct fault *fault;
};

static void
say(const struct supervisor *s, size_t i, bool trouble, const char *words)
{
	s->say(s->services->service[i].name, words, trouble);
}

static void
watch_children(struct supervisor *s)
{
	sigset_t set;

	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	if (sigprocmask(SIG_BLOCK, &set, NULL) == -1 ||
	    (s->ends = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK)) == -1 || prctl(PR_SET_CHILD_SUBREAPER, 1) == -1)
		err(2, "signals");
}

static void
note_end(struct worker *w, pid_t pid, int wait_status)
{
	if (w->pid != pid)
		return;
	w->pid = 0;
	w->wait_status = wait_status;
}

/* What is left by a keeper that was killed comes to us as well, and is reaped with the rest. */
static void
reap(struct supervisor *s)
{
	struct signalfd_siginfo ignored;
	int wait_status;
	pid_t pid;

	while (read(s->ends, &ignored, sizeof ignored) > 0)
		;
	while ((pid = waitpid(-1, &wait_status, WNOHANG)) > 0) {
		note_end(&s->looker, pid, wait_status);
		for (size_t i = 0; i < s->started; i++)
			note_end(&s->running[i].keeper, pid, wait_status);
	}
}

/* Wait until some child ended, a signal asks to stop, or DEADLINE. */
static void
wait_for_news(struct supervisor *s, int64_t deadline)
{
	struct pollfd wait[] = {{s->ends, POLLIN, 0}, {stop_fd(), POLLIN, 0}};

	if (!stop_pending())
		poll(wait, 2, clock_left(deadline));
	reap(s);
}

/* Has a service ended? The fault tells which and how. */
static bool
one_ended(struct supervisor *s)
{
	for (size_t i = 0; i < s->started; i++) {
		struct running *r = &s->running[i];
		char words[WORKER_WORDS];

		if (r->keeper.pid != 0)
			continue;
		r->told = true;
		worker_words(&r->keeper, words);
		fault_fill(s->fault, STATUS_NO, "service_ended", "%s: %s", s->services->service[i].name, words);
		return true;
	}
	return false;
}

static void
start(struct supervisor *s, size_t i)
{
	const struct service *one = &s->services->service[i];
	auto_free char *log = x_printf("%s/%s.log", s->logs, one->name);
	const struct keeper_job job = {.argv = one->argv,
	    .envp = one->envp,
	    .cwd = one->cwd,
	    .log = log,
	    .stop_signal = one->stop_signal,
	    .stop_ms = one->stop_ms};

	worker_start(&s->running[i].keeper, keeper_work, &job);
	s->started = i + 1;
}

/* From the fork on the worker has a copy of the job, so that it may lie on our stack. */
static void
look(struct supervisor *s, size_t i, int64_t deadline)
{
	const struct service *one = &s->services->service[i];
	const struct ready_job job = {&one->ready, one->envp, one->cwd, deadline};

	worker_start(&s->looker, ready_work, &job);
}

static int
looker_said(struct supervisor *s, size_t i)
{
	const struct service *one = &s->services->service[i];
	char words[WORKER_WORDS];

	worker_words(&s->looker, words);
	if (worker_succeeded(&s->looker))
		return 0;
	return fault_set(s->fault, STATUS_NO, "service_not_ready", "%s: was not ready %lld s after its start: %s",
	    one->name, (long long)(one->ready_ms / 1000), words);
}

/* Returns 1 when it is ready, 0 when a signal asks to stop, -1 and a fault. */
static int
bring_up(struct supervisor *s, size_t i)
{
	const struct service *one = &s->services->service[i];
	int64_t begin = clock_now(), deadline = begin + one->ready_ms;
	char words[64];

	if (ready_in_use(&one->ready))
		return fault_set(s->fault, STATUS_NO, "address_in_use",
		    "%s: somebody else is at %s, and it was not started", one->name,
		    one->ready.probe.tcp != NULL ? one->ready.probe.tcp : one->ready.probe.url);
	start(s, i);
	look(s, i, deadline);
	while (s->looker.pid != 0 && clock_now() < deadline + PATIENCE_MS) {
		wait_for_news(s, deadline + PATIENCE_MS);
		if (stop_pending())
			return 0;
		if (one_ended(s))
			return -1;
	}
	if (looker_said(s, i) == -1)
		return -1;
	snprintf(words, sizeof words, "ready after %lld ms", (long long)(clock_now() - begin));
	say(s, i, false, words);
	return 1;
}

static int
serve(struct supervisor *s)
{
	for (size_t i = 0; i < s->services->count; i++) {
		int answer = bring_up(s, i);

		if (answer != 1)
			return answer;
	}
	while (!stop_pending() && !one_ended(s))
		wait_for_news(s, INT64_MAX);
	return stop_pending() ? 0 : -1;
}

/* A worker that was asked to end and does not has lost its own way of ending things; what it leaves behind is killed later on. */
static void
await(struct supervisor *s, const struct worker *w, int64_t deadline)
{
	while (w->pid != 0 && clock_now() < deadline)
		wait_for_news(s, deadline);
	worker_signal(w, SIGKILL);
	deadline = clock_deadline(PATIENCE_MS);
	while (w->pid != 0 && clock_now() < deadline)
		wait_for_news(s, deadline);
}

static void
end_one(struct supervisor *s, size_t i)
{
	struct running *r = &s->running[i];
	char words[WORKER_WORDS];

	worker_signal(&r->keeper, SIGTERM);
	await(s, &r->keeper, clock_deadline(s->services->service[i].stop_ms + PATIENCE_MS));
	if (r->told)
		return;
	worker_words(&r->keeper, words);
	say(s, i, *words != '\0', *words ? words : "ended");
}

/* Kill what the keepers left, if anything: two looks in a row must find nobody. */
static int
end_rest(struct supervisor *s)
{
	int64_t deadline = clock_deadline(LEFT_MS);

	for (int looks = 0; looks < 2;) {
		reap(s);
		looks = descend_signal(SIGKILL) == 0 ? looks + 1 : 0;
		if (looks == 0 && clock_now() >= deadline)
			return fault_set(s->fault, STATUS_DOUBT, "service_left", "some processes could not be ended");
		if (looks == 0)
			clock_sleep(5, deadline);
	}
	return 0;
}

static int
end_all(struct supervisor *s)
{
	stop_hold(true);
	worker_signal(&s->looker, SIGTERM);
	await(s, &s->looker, clock_deadline(PATIENCE_MS));
	for (size_t i = s->started; i-- > 0;)
		end_one(s, i);
	return end_rest(s);
}

int
supervise(const struct services *services, const char *logs, void (*say_to)(const char *, const char *, bool),
    struct fault *f)
{
	struct fault left = {0};
	struct supervisor s = {.services = services, .logs = logs, .say = say_to, .looker = WORKER_NONE, .fault = f};
	int status;

	s.running = x_zalloc(services->count, sizeof *s.running);
	watch_children(&s);
	status = serve(&s);
	s.fault = &left;
	if (end_all(&s) == -1) {
		fault_clear(f);
		*f = left;
		status = -1;
	}
	close(s.ends);
	free(s.running);
	return status;
}
