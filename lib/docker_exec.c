/* docker_exec - run one command in a sandbox, to its end or to its start */

#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "crash.h"
#include "docker.h"
#include "docker_body.h"
#include "docker_run.h"
#include "docker_verb.h"
#include "frames.h"

enum {
	CALL_MS = 15000,
	GRACE_MS = 15000, /* beyond its limit, for sbx-within to end a tree and for the Engine to tell */
	PIECE = 65536
};

static int
check(const struct docker *d, const struct exec_request *r, struct fault *f)
{
	struct docker_record known = {0};

	if (exec_check_env(r->env, f) == -1 || docker_recall(d->site, r->id, &known, f) == -1)
		return -1;
	return known.known ? exec_check_purpose(r, known.purpose, f) : 0;
}

/*
 * The command runs under sbx-within, which ends all that came of it: at the limit, and when the stream to us ends, since the
 * Engine itself stops nothing when its client goes away.
 */
static json_t *
body_of(const struct exec_request *r)
{
	auto_free char *seconds = x_printf("%lld", (long long)((r->limit_ms + 999) / 1000));

	if (r->background)
		return json_make("{s:s, s:o, s:[s, s, s]}", "WorkingDir", r->cwd != NULL ? r->cwd : DOCKER_WORKSPACE,
		    "Env", docker_env(r->env), "Cmd", "sh", "-c", r->command);
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

	if (inspected != NULL && exec_check_purpose(r, purpose, f) == 0) {
		if (made->status != 201)
			docker_refused(&made->body, made->status, "exec_refused", r->id, f);
		else if ((command = docker_json(made, f)) != NULL)
			id = json_text_at(command, "Id") != NULL ? x_strdup(json_text_at(command, "Id")) : NULL;
	}
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
	struct docker_run *run = context;

	return exec_take(run->request, run->result, stream == FRAMES_ERR, bytes, len, f);
}

static int
take_stream(struct docker_run *run, struct http *h, struct fault *f)
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

static int
follow(struct docker_run *run, struct fault *f)
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
		status = docker_run_state(run, &state, f);
	http_free(&state, 1);
	http_end(h);
	return status == 0 && !run->ended ? docker_run_settle(run, f) : status;
}

/* The Engine answers such a call once the command started, or with why it could not. */
static int
launch(struct docker_run *run, struct fault *f)
{
	static const char start[] = "{\"Detach\":true,\"Tty\":false}";
	auto_free char *path = x_printf("/exec/%s/start", run->id);
	const struct http_request r = {
	    .method = "POST", .path = path, .type = "application/json", .body = start, .len = sizeof start - 1};
	struct http_reply reply;
	int status = docker_send(run->docker, &r, &reply, 1, clock_deadline(CALL_MS), f);

	crash_point("docker.exec.launched");
	if (status == 0 && reply.status != 200)
		status = docker_refused(&reply.body, reply.status, "exec_refused", run->request->id, f);
	http_free(&reply, 1);
	return status;
}

int
docker_exec(const struct site *s, const struct exec_request *r, struct exec_result *result, struct fault *f)
{
	struct docker d = {.site = s};
	struct docker_run run = {.docker = &d, .request = r, .result = result};
	int64_t began;
	int status;

	*result = (struct exec_result) {0};
	if (check(&d, r, f) == -1 || (run.id = prepare(&d, r, f)) == NULL)
		return -1;
	began = clock_now();
	status = r->background ? launch(&run, f) : follow(&run, f);
	if (status == 0 && !r->background)
		status = docker_run_check(&run, f);
	else if (status == -1 && s->show == NULL)
		docker_run_abandon(&run, f);
	result->duration_ms = clock_now() - began;
	/* 124 may be the command's own: only with the time gone is it sbx-within's word. */
	result->timed_out = result->exit_code == 124 && result->duration_ms >= r->limit_ms;
	exec_taken(r, result);
	free(run.id);
	return status;
}
