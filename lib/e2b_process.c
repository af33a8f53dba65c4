/* e2b_process - a process in a sandbox of E2B, from its start to its end */

#include <string.h>

#include "clock.h"
#include "crash.h"
#include "e2b_process.h"
#include "envelope.h"

enum {
	PING_S = 10,        /* how often the daemon is to say that the stream is alive */
	SILENCE_MS = 35000, /* three of them missed */
	PROBE_MS = 15000,
	END_MS = 8000,
	LOOK_GAP_MS = 200,
	PIECE = 65536
};

static json_t *
body_of(const char *const *args, const json_t *env, const char *cwd)
{
	json_t *words = json_array(), *process;
	const char *command = *args;

	for (args++; *args != NULL; args++)
		json_array_append_new(words, json_string(*args));
	process = json_make("{s:s, s:o}", "cmd", command, "args", words);
	if (json_object_size(env) > 0)
		json_object_set(process, "envs", (json_t *)env);
	if (cwd != NULL)
		json_object_set_new(process, "cwd", json_string(cwd));
	/* Without "stdin":false a command that reads would wait for ever. */
	return json_make("{s:o, s:b}", "process", process, "stdin", 0);
}

/* Shown with a printf that makes the message's head, which no argument could hold. */
static struct http *
begin(struct e2b *e, struct e2b_sandbox *s, const struct buf *json, int64_t deadline, struct buf *message,
    struct fault *f)
{
	struct http_request start = {.method = "POST",
	    .path = "/process.Process/Start",
	    .type = "application/connect+json",
	    .idle_ms = SILENCE_MS};

	s->headers[3] = (struct http_header) {"Connect-Protocol-Version", "1", NULL};
	s->headers[4] = (struct http_header) {"Keepalive-Ping-Interval", "10", NULL};
	envelope_add(message, json->data, json->len);
	start.body = message->data;
	start.len = message->len;
	if (e->site->show != NULL) {
		const unsigned char *head = (const unsigned char *)message->data;

		fprintf(e->site->show, "printf '\\%03o\\%03o\\%03o\\%03o\\%03o%%s' '", head[0], head[1], head[2],
		    head[3], head[4]);
		for (const char *p = json->data; *p != '\0'; p++)
			fprintf(e->site->show, *p == '\'' ? "'\\''" : "%c", *p);
		fprintf(e->site->show, "' | ");
		start.body = "@-";
	}
	return e2b_begin(e, s, &start, 1, deadline, f);
}

static bool
has_left(const struct e2b_reader *r)
{
	return r->leave && r->process->pid != 0;
}

static int
follow(struct http *h, const char *id, struct e2b_reader *r, struct fault *f)
{
	auto_free char *piece = x_alloc(PIECE);
	struct envelope stream = {0};
	struct http_reply head = {0};
	ssize_t n = -1;
	int status = 0;

	if (http_next(h, &head, f) == -1)
		return -1;
	if (head.status != 200) {
		if (http_rest(h, &head.body, PIECE, f) == 0)
			e2b_refused(&head, "exec_refused", id, f);
		http_free(&head, 1);
		return -1;
	}
	while (status == 0 && !has_left(r) && (n = http_read(h, piece, PIECE, f)) > 0) {
		status = envelope_take(&stream, piece, (size_t)n, e2b_process_read, r, f);
		crash_point("e2b.exec.streaming");
	}
	if (n == -1)
		status = -1;
	else if (status == 0 && !has_left(r))
		status = envelope_end(&stream, f);
	envelope_free(&stream);
	return status;
}

int
e2b_process_run(struct e2b *e, struct e2b_sandbox *s, const char *const *args, const json_t *env, const char *cwd,
    int64_t deadline, struct e2b_reader *r, struct fault *f)
{
	json_auto_t *body = body_of(args, env, cwd);
	auto_buf struct buf json = {0}, message = {0};
	struct http *h;
	int status;

	json_add_text(&json, body);
	h = begin(e, s, &json, deadline, &message, f);
	crash_point("e2b.exec.asked");
	status = h == NULL ? -1 : follow(h, s->id, r, f);
	http_end(h);
	return status;
}

int
e2b_process_probe(struct e2b *e, struct e2b_sandbox *s, struct fault *f)
{
	struct http_request health = {.method = "GET", .path = "/health"};
	struct http *h = e2b_begin(e, s, &health, 1, clock_deadline(PROBE_MS), f);
	struct http_reply reply = {0};
	int status = http_collect(h, &reply, 1, f);

	http_end(h);
	if (status == 0 && reply.status == 502)
		status = fault_set(
		    f, STATUS_TROUBLE, "sandbox_ended", "%s: the sandbox ended while a command ran in it", s->id);
	else if (status == 0 && reply.status != 204)
		status = e2b_refused(&reply, "probe_failed", s->id, f);
	http_free(&reply, 1);
	return status;
}

/* 1: it is among the daemon's processes; 0: not; -1: unknown, with a fault. */
static int
is_listed(const struct http_reply *reply, int64_t pid, const char *id, struct fault *f)
{
	json_auto_t *answer = NULL;
	json_t *one;
	size_t i;

	/* Whatever ran in a sandbox ended with it. */
	if (reply->status == 502)
		return 0;
	if (reply->status != 200)
		return e2b_refused(reply, "exec_unknown", id, f);
	if ((answer = e2b_json(reply, f)) == NULL)
		return -1;
	json_array_foreach (json_object_get(answer, "processes"), i, one)
		if (json_int_at(one, "pid", 0) == pid)
			return 1;
	return 0;
}

int
e2b_process_end(struct e2b *e, struct e2b_sandbox *s, int64_t pid, struct fault *f)
{
	auto_free char *signal = x_printf("{\"process\":{\"pid\":%lld},\"signal\":\"SIGNAL_SIGTERM\"}", (long long)pid);
	struct http_request r[] = {{.method = "POST",
	                               .path = "/process.Process/SendSignal",
	                               .type = "application/json",
	                               .body = signal,
	                               .len = strlen(signal),
	                               .may_fail = true},
	    {.method = "POST",
	        .path = "/process.Process/List",
	        .type = "application/json",
	        .body = "{}",
	        .len = 2,
	        .may_fail = true}};
	int64_t deadline = clock_deadline(END_MS);
	int there = 1;

	s->headers[3].name = NULL;
	while (there == 1 && clock_left(deadline) > 0) {
		struct http_reply reply[2] = {{0}};
		struct http *h = e2b_begin(e, s, r, 2, deadline, f);

		there = http_collect(h, reply, 2, f) == 0 ? is_listed(&reply[1], pid, s->id, f) : -1;
		http_end(h);
		http_free(reply, 2);
		if (there == 1)
			clock_sleep(LOOK_GAP_MS, deadline);
	}
	if (there == 1)
		fault_fill(f, STATUS_TROUBLE, "exec_unended", "%s: its command does not end", s->id);
	return there == 0 ? 0 : -1;
}
