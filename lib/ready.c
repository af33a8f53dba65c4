/* ready - when a service is ready: it takes a connection, answers a request, or a command says so */

#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "endpoint.h"
#include "ready.h"
#include "stop.h"
#include "tree.h"
#include "worker.h"

enum {
	PAUSE_LEAST = 10, /* between two commands, at first; then a part of the time waited so far */
	PAUSE_MOST = 250,
	PAUSE_PART = 20,
	TRY_MS = 5000, /* for one command */
	END_MS = 1000
};

/* Where the service will listen: a path may follow in a URL. False for a command, and for what is no such place. */
static bool
place_of(const struct ready *r, struct endpoint *e)
{
	const char *at = r->probe.url != NULL ? r->probe.url : r->probe.tcp;

	if (at == NULL)
		return false;
	if (r->probe.url != NULL) {
		if (strncmp(at, "http://", 7) != 0)
			return false;
		at += 7;
	}
	return endpoint_parse(at, strcspn(at, "/?#"), r->probe.url != NULL ? 80 : 0, e) && endpoint_is_plain(e);
}

bool
ready_check(const struct ready *r)
{
	struct fault ignored = {0};
	struct endpoint e;
	bool good = r->argv != NULL || (place_of(r, &e) && probe_check(&r->probe, &ignored) == 0);

	fault_clear(&ignored);
	return good;
}

bool
ready_in_use(const struct ready *r)
{
	struct fault ignored = {0};
	struct endpoint e;
	char tcp[sizeof e.host + 16];
	bool used;

	if (r->argv != NULL || !place_of(r, &e))
		return false;
	snprintf(tcp, sizeof tcp, strchr(e.host, ':') != NULL ? "[%s]:%d" : "%s:%d", e.host, e.port);
	used = probe_ask(&(struct probe) {.tcp = tcp}, clock_deadline(END_MS), &ignored) == 0 ||
	       strcmp(ignored.reason, "refused") != 0;
	fault_clear(&ignored);
	return used;
}

/* Run the command once. Returns its exit status, or -1 when it was cut short. */
static int
ask_command(const struct ready_job *j, int64_t deadline)
{
	struct tree tree;
	int status = tree_start(
	    &(struct tree_spec) {
	        .argv = j->ready->argv, .envp = j->envp, .cwd = j->cwd, .stdio = {-1, -1, -1}, .alone = true},
	    &tree);

	if (status != 0)
		return status;
	if (tree_wait(&tree, deadline) != TREE_ENDED)
		status = -1;
	stop_hold(true);
	tree_end(&tree, 0, clock_deadline(END_MS));
	stop_hold(false);
	return status == 0 ? tree.status : -1;
}

static int
wait_for_command(const struct ready_job *j, int words)
{
	int64_t began = clock_now(), limit = clock_deadline(TRY_MS), pause;
	int last = -1, status;

	while ((status = ask_command(j, limit < j->deadline ? limit : j->deadline)) != 0) {
		last = status != -1 ? status : last;
		if (clock_now() >= j->deadline || stop_pending())
			break;
		pause = (clock_now() - began) / PAUSE_PART;
		clock_sleep(pause < PAUSE_LEAST ? PAUSE_LEAST : pause > PAUSE_MOST ? PAUSE_MOST : pause, j->deadline);
		limit = clock_deadline(TRY_MS);
	}
	if (status == 0)
		return 0;
	if (last == -1)
		worker_tell(words, "%s did not end in time", j->ready->argv[0]);
	else
		worker_tell(words, "%s ended with status %d", j->ready->argv[0], last);
	return 1;
}

int
ready_work(const void *context, int words)
{
	const struct ready_job *j = context;
	struct probe_tally ignored;
	struct fault f = {0};

	if (j->ready->argv != NULL)
		return wait_for_command(j, words);
	if (probe_wait(&j->ready->probe, j->deadline, &ignored, &f) == 0)
		return 0;
	worker_tell(words, "%s", f.message);
	return 1;
}
