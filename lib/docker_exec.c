/* docker_exec - run one command in a sandbox, to its end */

#include <string.h>

#include "clock.h"
#include "crash.h"
#include "docker.h"
#include "docker_body.h"
#include "frames.h"
#include "stop.h"

enum {
	CALL_MS = 15000,
	GRACE_MS = 15000, /* beyond its limit, for sbx-within to end a tree and for the Engine to tell */
	SETTLE_MS = 10000,
	PROBE_GAP_MS = 100,
	PIECE = 65536
};

struct run {
	struct docker *docker;
	const struct exec_request *request;
	struct exec_result *result;
	char *id;   /* the Engine's, of the command */
	bool ended; /* the Engine said so */
};

static int
check(const struct docker *d, const struct exec_request *r, struct fault *f)
{
	struct docker_record known = {0};

	if (exec_check_env(r->env, f) == -1 || docker_recall(d->site, r->id, &known, f) == -1)
		return -1;
	if (known.known && strcmp(known.purpose, "app_validation") != 0)
		return fault_set(f, STATUS_NO, "purpose_refused",
		    "%s: no commands are run in a sandbox of purpose %s (see sbx(7))", r->id, known.purpose);
	return 0;
}

/*
 * The command runs under sbx-within, which ends all that came of it: at the limit, and when the stream to us ends, since the
 * Engine itself stops nothing when its client goes away.
 */
static json_t *
body_of(const struct exec_request *r)
{
	auto_free char *seconds = x_printf("%lld", (long long)((r->limit_ms + 999) / 1000));

	return json_make("{s:b, s:b, s:b, s:s, s:o, s:[s, s, s, s, s, s, s, s]}", "AttachStdin", 1, "AttachStdout", 1,
	    "AttachStderr", 1, "WorkingDir", r->cwd != NULL ? r->cwd : DOCKER_WORKSPACE, "Env", docker_env(r->env),
	    "Cmd", DOCKER_WITHIN, "--watch", "--time", seconds, "--", "sh", "-c", r->command);
}

/* The container must be ours and for commands; then the id of the new command, or NULL. */
static char *
id_of(struct docker *d, const struct exec_request *r, const struct http_reply *inspect, const struct http_reply *made,
    struct fault *f)
{
	json_t *inspected = docker_known(d, r->id, inspect, f), *command = NULL;
	const char *purpose = json_string_value(json_object_get(json_at(inspected, "Config.Labels"), "sbx.purpose"));
	char *id = NULL;

	if (inspected != NULL && (purpose == NULL || strcmp(purpose, "app_validation") != 0))
		fault_fill(f, STATUS_NO, "purpose_refused",
		    "%s: no commands are run in a sandbox of purpose %s (see sbx(7))", r->id,
		    purpose != NULL ? purpose : "unknown");
	else if (inspected != NULL && made->status != 201)
		docker_refused(&made->body, made->status, "exec_refused", r->id, f);
	else if (inspected != NULL && (command = docker_json(made, f)) != NULL)
		id = json_text_at(command, "Id") != NULL ? x_strdup(json_text_at(command, "Id")) : NULL;
	if (id == NULL)
		fault_fill(f, STATUS_TROUBLE, "engine_reply_invalid", "%s: the Engine gave its command no id", r->id);
	json_decref(inspected);
	json_decref(command);
	return id;
}

static char *
prepare(struct docker *d, const struct exec_request *r, struct fault *f)
{
	auto_free char *look = x_printf("/containers/%s/json", r->id);
	auto_free char *make = x_printf("/containers/%s/exec", r->id);
	auto_buf struct buf text = {0};
	json_t *body = body_of(r);
	struct http_reply reply[2];
	char *id = NULL;

	json_add_text(&text, body);
	json_decref(body);
	if (docker_send(d,
	        (const struct http_request[]) {{.method = "GET", .path = look},
	            {.method = "POST", .path = make, .type = "application/json", .body = text.data, .len = text.len}},
	        reply, 2, clock_deadline(CALL_MS), f) == 0)
		id = id_of(d, r, &reply[0], &reply[1], f);
	else if (d->site->show != NULL)
		id = x_strdup("COMMAND_ID");
	http_free(reply, 2);
	docker_doubt(d, r->id, f);
	return id;
}

static int
take(int stream, const char *bytes, size_t len, void *context, struct fault *f)
{
	struct run *run = context;

	return exec_take(run->request, run->result, stream == FRAMES_ERR, bytes, len, f);
}

static int
take_stream(struct run *run, struct http *h, struct fault *f)
{
	auto_free char *piece = x_alloc(PIECE);
	struct frames frames = {0};
	struct http_reply head;
	ssize_t n;

	if (http_next(h, &head, f) == -1)
		return -1;
	if (head.status != 200) {
		http_rest(h, &head.body, PIECE, f);
		docker_refused(&head.body, head.status, "exec_refused", run->request->id, f);
		http_free(&head, 1);
		return -1;
	}
	while ((n = http_read(h, piece, PIECE, f)) > 0)
		if (frames_take(&frames, piece, (size_t)n, take, run, f) == -1)
			return -1;
	return n == -1 ? -1 : frames_end(&frames, f);
}

/* What the Engine says about the command: how it ended, or that it has not. */
static int
take_state(struct run *run, const struct http_reply *reply, struct fault *f)
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

/* Ask until the command ended or SETTLE_MS are over: the stream may end a moment before the Engine knows. */
static int
settle(struct run *run, struct fault *f)
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
			status = take_state(run, &reply, f);
		http_free(&reply, 1);
	}
	return run->ended && status == 0 ? 0 : -1;
}

static int
follow(struct run *run, struct fault *f)
{
	static const char start[] = "{\"Detach\":false,\"Tty\":false}";
	auto_free char *start_path = x_printf("/exec/%s/start", run->id);
	auto_free char *state_path = x_printf("/exec/%s/json", run->id);
	const struct http_request r[] = {
	    {.method = "POST", .path = start_path, .type = "application/json", .body = start, .len = sizeof start - 1},
	    {.method = "GET", .path = state_path}};
	struct http *h = docker_begin(run->docker, r, 2, clock_deadline(run->request->limit_ms + GRACE_MS), f);
	struct http_reply state = {0};
	int status;

	crash_point("docker.exec.started");
	status = h == NULL ? -1 : take_stream(run, h, f);
	if (status == 0 && (status = http_collect(h, &state, 1, f)) == 0)
		status = take_state(run, &state, f);
	http_free(&state, 1);
	http_end(h);
	return status == 0 && !run->ended ? settle(run, f) : status;
}

/*
 * We know no more of the command's end. Our end of the stream is closed, so sbx-within is ending it; if it is not seen to, the
 * sandbox goes, as it is for one run alone.
 */
static void
abandon(struct run *run, struct fault *f)
{
	struct docker_target target = {.id = run->request->id, .quick = true, .running = true};
	struct fault unclear = {0}, first = *f;

	stop_hold(true);
	if (!run->ended && settle(run, &unclear) == -1 && !run->ended) {
		fault_clear(&unclear);
		*f = (struct fault) {0};
		if (docker_end(run->docker, &target, &unclear) == GONE_CONFIRMED)
			fault_fill(f, first.status, first.reason, "%s; the command went on, so its sandbox was removed",
			    first.message);
		else
			fault_fill(f, STATUS_DOUBT, "exec_unended", "%s; the command may go on: %s", first.message,
			    unclear.message);
	}
	stop_hold(false);
	fault_clear(&unclear);
}

/* The Engine uses 126 and 127 for what it could not start, as sh does. An image without sbx-within is worth its own sentence. */
static int
check_image(struct run *run, struct fault *f)
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
docker_exec(const struct site *s, const struct exec_request *r, struct exec_result *result, struct fault *f)
{
	struct docker d = {.site = s};
	struct run run = {.docker = &d, .request = r, .result = result};
	int64_t began;
	int status = -1;

	*result = (struct exec_result) {0};
	if (check(&d, r, f) == -1 || (run.id = prepare(&d, r, f)) == NULL)
		return -1;
	began = clock_now();
	status = follow(&run, f);
	if (status == 0)
		status = check_image(&run, f);
	else if (s->show == NULL)
		abandon(&run, f);
	result->duration_ms = clock_now() - began;
	/* 124 may be the command's own: only with the time gone is it sbx-within's word. */
	result->timed_out = result->exit_code == 124 && result->duration_ms >= r->limit_ms;
	exec_taken(r, result);
	x_free_at(&run.id);
	return status;
}
