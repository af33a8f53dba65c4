/* keeper - looks after one service: runs it, logs what it prints, ends it and all that came of it */

#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "clock.h"
#include "keeper.h"
#include "logfile.h"
#include "logline.h"
#include "stop.h"
#include "tree.h"
#include "worker.h"
#include "x.h"

enum {
	PIECE = 65536,
	LAST_LINE = 240, /* bytes of it that are told */
	KILL_MS = 3000
};

struct keeper {
	const struct keeper_job *job;
	struct tree tree;
	struct logfile log;
	struct logline lines;
	int out; /* what the service prints; -1: it closed that */
	char last[LAST_LINE + 1];
};

static void
note_line(struct text line, void *to)
{
	struct keeper *k = to;
	struct text words = text_trim(line);

	if (words.len == 0)
		return;
	words.len = words.len < LAST_LINE ? words.len : LAST_LINE;
	memcpy(k->last, words.at, words.len);
	k->last[words.len] = '\0';
}

/* Take what is there. False: nothing is, for now or for good. */
static bool
take_output(struct keeper *k)
{
	char bytes[PIECE];
	ssize_t n = k->out == -1 ? -1 : read(k->out, bytes, sizeof bytes);

	if (n == 0) {
		close(k->out);
		k->out = -1;
	}
	if (n <= 0)
		return false;
	logfile_write(&k->log, bytes, (size_t)n);
	logline_feed(&k->lines, bytes, (size_t)n);
	return true;
}

/* Wait for the program or the signal that asks for its end, taking its output all the while. */
static enum tree_event
wait_until(struct keeper *k, int64_t deadline)
{
	enum tree_event event;

	while ((event = tree_wait_reading(&k->tree, k->out, deadline)) == TREE_READABLE)
		take_output(k);
	return event;
}

static int
start(struct keeper *k, int words)
{
	const struct keeper_job *j = k->job;
	int ends[2], status;

	if (pipe2(ends, O_CLOEXEC) == -1)
		err(2, "pipe");
	k->out = ends[0];
	fcntl(k->out, F_SETFL, O_NONBLOCK);
	status = tree_start(
	    &(struct tree_spec) {.argv = j->argv, .envp = j->envp, .cwd = j->cwd, .stdio = {-1, ends[1], ends[1]}},
	    &k->tree);
	close(ends[1]);
	if (status != 0)
		worker_tell(words, "could not be started: %s: %s", access(j->cwd, X_OK) == -1 ? j->cwd : j->argv[0],
		    strerror(k->tree.error));
	return status;
}

/* In peace if it can be. What it left behind, it left unasked, and that is killed at once. Returns whether it went in peace. */
static bool
ask_to_end(struct keeper *k)
{
	/* From here on its end is being seen to: another signal, as from the end of our starter, would only keep us from it. */
	prctl(PR_SET_PDEATHSIG, 0);
	stop_hold(true);
	kill(-k->tree.pid, k->job->stop_signal);
	return wait_until(k, clock_deadline(k->job->stop_ms)) == TREE_ENDED;
}

static void
tell_end(const struct keeper *k, int words)
{
	const char *said = *k->last ? ": " : "";

	if (k->tree.signal != 0)
		worker_tell(
		    words, "was ended by signal %d (%s)%s%s", k->tree.signal, strsignal(k->tree.signal), said, k->last);
	else
		worker_tell(words, "ended with status %d%s%s", k->tree.status, said, k->last);
}

static int
run(struct keeper *k, int words)
{
	bool asked, peace = true, gone;
	int status = start(k, words);

	if (status != 0)
		return status;
	asked = wait_until(k, INT64_MAX) == TREE_STOPPED;
	if (asked)
		peace = ask_to_end(k);
	gone = tree_end(&k->tree, 0, clock_deadline(KILL_MS)) == 0;
	while (take_output(k))
		;
	logline_end(&k->lines);
	if (!gone)
		worker_tell(words, "could not be ended: some of its processes are left");
	else if (!peace)
		worker_tell(words, "was asked to end and still ran %lld s later, so it was killed",
		    (long long)(k->job->stop_ms / 1000));
	else if (!asked)
		tell_end(k, words);
	return k->tree.status;
}

int
keeper_work(const void *context, int words)
{
	struct keeper k = {.job = context, .out = -1, .lines = {.each = note_line}};
	int status;

	k.lines.to = &k;
	logfile_open(&k.log, k.job->log);
	status = run(&k, words);
	logfile_close(&k.log);
	return status;
}
