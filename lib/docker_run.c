/* docker_run - how a command in a sandbox ended, and what is done when that is not known */

#include <signal.h>
#include <string.h>

#include "clock.h"
#include "docker_run.h"
#include "stop.h"

enum {
	CALL_MS = 15000,
	SETTLE_MS = 10000,
	PROBE_GAP_MS = 100,
	OWN_PROCESSES = 2 /* of a sandbox in which no command runs */
};

int
docker_run_state(struct docker_run *run, const struct http_reply *reply, struct fault *f)
{
	json_t *state = NULL;

	/* When the sandbox ends, its commands end with it. */
	run->ended = reply->status == 404;
	if (reply->status == 404)
		return fault_set(f, STATUS_TROUBLE, "sandbox_ended", "%s: the sandbox ended while a command ran in it",
		    run->request->id);
	if (reply->status != 200)
		return docker_refused(&reply->body, reply->status, "exec_unknown", run->request->id, f);
	if ((state = docker_json(reply, f)) == NULL)
		return -1;
	run->ended = json_is_false(json_at(state, "Running"));
	run->result->exit_code = (int)json_int_at(state, "ExitCode", 125);
	json_decref(state);
	return 0;
}

int
docker_run_settle(struct docker_run *run, struct fault *f)
{
	auto_free char *path = x_printf("/exec/%s/json", run->id);
	struct http_request ask = {.method = "GET", .path = path};
	int64_t deadline = clock_deadline(SETTLE_MS);
	int status = 0;

	while (!run->ended && status == 0 && clock_left(deadline) > 0) {
		struct http_reply reply;

		clock_sleep(PROBE_GAP_MS, deadline);
		status = docker_send(run->docker, &ask, &reply, 1, deadline, f);
		if (status == 0)
			status = docker_run_state(run, &reply, f);
		http_free(&reply, 1);
	}
	if (!run->ended)
		fault_fill(f, STATUS_TROUBLE, "exec_unended", "%s: a command that closed its output does not end",
		    run->request->id);
	return run->ended && status == 0 ? 0 : -1;
}

/* Something of the command lives on. The sandbox goes, as it is for one run alone. */
static void
remove_sandbox(struct docker_run *run, struct fault *f)
{
	struct docker_target target = {.id = run->request->id, .quick = true, .running = true};
	struct fault unclear = {0}, first = *f;

	*f = (struct fault) {0};
	stop_hold(true);
	if (docker_end(run->docker, &target, &unclear) == GONE_CONFIRMED)
		fault_fill(f, first.status, "exec_unended", "%s; the command went on, so its sandbox was removed",
		    first.message);
	else
		fault_fill(
		    f, STATUS_DOUBT, "exec_unended", "%s; the command may go on: %s", first.message, unclear.message);
	stop_hold(false);
	fault_clear(&unclear);
}

/*
 * We know no more of how the command ends. Our end of the stream is closed, so sbx-within is ending it; unless the stream outlived
 * the limit, or the command is not seen to end, that will do.
 */
void
docker_run_abandon(struct docker_run *run, struct fault *f)
{
	struct fault unclear = {0};

	stop_hold(true);
	if (strcmp(f->reason, "service_timeout") == 0 ||
	    (!run->ended && docker_run_settle(run, &unclear) == -1 && !run->ended))
		remove_sandbox(run, f);
	stop_hold(false);
	fault_clear(&unclear);
}

/*
 * 137 may mean that the command killed sbx-within itself, as the same user can, and that what it started lives on. Then the
 * container has more than its first process and its sleep.
 */
static int
check_rest(struct docker_run *run, struct fault *f)
{
	auto_free char *path = x_printf("/containers/%s/stats?stream=0&one-shot=1", run->request->id);
	struct http_request ask = {.method = "GET", .path = path};
	struct http_reply reply;
	json_t *stats = NULL;

	/* Where others of ours run as well, a count tells nothing; what those started ends with the sandbox. */
	if (run->result->exit_code != 128 + SIGKILL || run->request->own)
		return 0;
	if (docker_send(run->docker, &ask, &reply, 1, clock_deadline(CALL_MS), f) == 0 && reply.status == 200)
		stats = docker_json(&reply, f);
	if (json_int_at(stats, "pids_stats.current", OWN_PROCESSES) > OWN_PROCESSES) {
		fault_fill(f, STATUS_TROUBLE, "exec_unended", "%s: sbx-within was killed", run->request->id);
		remove_sandbox(run, f);
	}
	json_decref(stats);
	http_free(&reply, 1);
	return fault_is(f) ? -1 : 0;
}

/* The Engine uses 126 and 127 for what it could not start, as sh does. An image without sbx-within is worth its own sentence. */
static int
check_image(struct docker_run *run, struct fault *f)
{
	auto_free char *path = x_printf("/containers/%s/archive?path=" DOCKER_WITHIN, run->request->id);
	struct http_request ask = {.method = "HEAD", .path = path};
	struct http_reply reply;
	int status = 0;

	if (run->result->exit_code != 126 && run->result->exit_code != 127)
		return 0;
	if (docker_send(run->docker, &ask, &reply, 1, clock_deadline(CALL_MS), f) == -1)
		status = -1;
	else if (reply.status == 404)
		status = fault_set(f, STATUS_TROUBLE, "image_unfit",
		    "%s: its image has no " DOCKER_WITHIN ", which commands run under (see sbx-image(7))",
		    run->request->id);
	http_free(&reply, 1);
	return status;
}

int
docker_run_check(struct docker_run *run, struct fault *f)
{
	return check_image(run, f) == 0 ? check_rest(run, f) : -1;
}
