/* docker_call - calls of the Engine API: one version that both sides speak, one Engine that is named, sentences for refusals */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "docker.h"

/*
 * Engine 20.10 speaks at most 1.41, 29 at least 1.44, and what we use is alike in both. Which of the two it will be costs no call
 * of its own: the older is tried, and what it is refused with names the newest.
 */
static const int versions[] = {41, 44};

static void
speak(struct docker *d, int minor)
{
	snprintf(d->base, sizeof d->base, "http://localhost/v1.%d", minor);
	d->server = (struct http_server) {.socket = d->site->socket, .base = d->base};
}

/* Nobody at the socket: say what to do about it. */
static void
unreachable(const struct docker *d, struct fault *f)
{
	if (strcmp(f->reason, "service_refused") != 0)
		return;
	fault_clear(f);
	fault_fill(f, STATUS_TROUBLE, "engine_unreachable",
	    "%s: no Docker Engine answers there: start one, or name its socket with --socket or SBX_DOCKER_SOCKET",
	    d->site->socket);
}

int
docker_refused(const struct buf *body, int status, const char *reason, const char *subject, struct fault *f)
{
	char why[JSON_ERROR_TEXT_LENGTH];
	json_t *answer = json_parse_any(body->data, body->len, why);
	const char *message = json_text_at(answer, "message");

	fault_fill(f, STATUS_TROUBLE, reason, "%s: the Engine says: %s (%d)", subject,
	    message != NULL ? message : "nothing", status);
	json_decref(answer);
	return -1;
}

json_t *
docker_json(const struct http_reply *reply, struct fault *f)
{
	char why[JSON_ERROR_TEXT_LENGTH];
	json_t *value = json_parse_any(reply->body.data, reply->body.len, why);

	if (value == NULL)
		fault_fill(f, STATUS_TROUBLE, "engine_reply_invalid", "the Engine's answer is no JSON: %s", why);
	return value;
}

/* The Engine's own id, from /info. */
static int
note_engine(struct docker *d, const struct http_reply *reply, struct fault *f)
{
	json_t *info = reply->status == 200 ? docker_json(reply, f) : NULL;
	const char *id = json_text_at(info, "ID");

	if (reply->status != 200)
		docker_refused(&reply->body, reply->status, "engine_unidentified", d->site->socket, f);
	else if (info != NULL && (id == NULL || *id == '\0'))
		fault_fill(
		    f, STATUS_TROUBLE, "engine_unidentified", "%s: the Engine does not tell its id", d->site->socket);
	else if (info != NULL)
		snprintf(d->engine, sizeof d->engine, "%s", id);
	d->cpus = json_int_at(info, "NCPU", 0);
	json_decref(info);
	return fault_is(f) ? -1 : 0;
}

/* 0: it speaks our version; 1: the other one must be tried; -1 and a fault. */
static int
note_version(struct docker *d, const struct http_reply *reply, struct fault *f)
{
	int newest = 0;

	if (reply->status == 200)
		return 0;
	sscanf(reply->header, "1.%d", &newest);
	if (reply->status == 400 && newest >= versions[1] && strstr(d->base, "/v1.41") != NULL) {
		speak(d, versions[1]);
		return 1;
	}
	return docker_refused(&reply->body, reply->status, "engine_unsupported", d->site->socket, f);
}

/* Read what stands ahead of the caller's replies. As note_version. */
static int
take_prelude(struct docker *d, struct http *h, bool version, bool engine, struct fault *f)
{
	struct http_reply reply = {0};
	int status = 0;

	if (version) {
		status = http_collect(h, &reply, 1, f);
		if (status == 0)
			status = note_version(d, &reply, f);
		http_free(&reply, 1);
	}
	if (status == 0 && engine) {
		status = http_collect(h, &reply, 1, f);
		if (status == 0)
			status = note_engine(d, &reply, f);
		http_free(&reply, 1);
	}
	return status;
}

struct http *
docker_begin(struct docker *d, const struct http_request *r, size_t count, int64_t deadline, struct fault *f)
{
	static const struct http_request ping = {.method = "GET", .path = "/_ping", .header = "Api-Version"};
	static const struct http_request info = {.method = "GET", .path = "/info"};
	auto_free struct http_request *whole = x_zalloc(count + 2, sizeof *whole);
	bool version = d->base[0] == '\0', engine = d->identify && d->engine[0] == '\0';
	size_t ahead = 0;
	struct http *h;
	int status;

	if (version) {
		speak(d, versions[0]);
		whole[ahead++] = ping;
	}
	if (engine)
		whole[ahead++] = info;
	memcpy(whole + ahead, r, count * sizeof *r);
	if (d->site->show != NULL) {
		http_show(&d->server, whole, ahead + count, d->site->show);
		fault_fill(f, STATUS_YES, "dry", "only shown");
		return NULL;
	}
	do {
		h = http_begin(&d->server, whole, ahead + count, deadline, f);
		status = h == NULL ? -1 : take_prelude(d, h, version, engine, f);
		if (status == 0) {
			cli_explain(
			    "%s: speaking to %s at %s", d->site->socket, *d->engine ? d->engine : "an Engine", d->base);
			return h;
		}
		http_end(h);
	} while (status == 1);
	unreachable(d, f);
	return NULL;
}

int
docker_send(struct docker *d, const struct http_request *r, struct http_reply *replies, size_t count, int64_t deadline,
    struct fault *f)
{
	struct http *h;
	int status;

	memset(replies, 0, count * sizeof *replies);
	if ((h = docker_begin(d, r, count, deadline, f)) == NULL)
		return -1;
	if ((status = http_collect(h, replies, count, f)) == -1)
		unreachable(d, f);
	http_end(h);
	return status;
}

int
docker_identify(struct docker *d, int64_t deadline, struct fault *f)
{
	const struct http_request none = {0};
	struct http *h;

	d->identify = true;
	if (d->engine[0] != '\0')
		return 0;
	h = docker_begin(d, &none, 0, deadline, f);
	http_end(h);
	return h == NULL ? -1 : 0;
}

char *
docker_filtered(const char *path, const char *key, json_t *values)
{
	json_t *filters = json_make("{s:o}", key, values);
	auto_buf struct buf text = {0}, query = {0};

	json_add_text(&text, filters);
	json_decref(filters);
	http_escape(&query, text.data);
	return x_printf("%s%cfilters=%s", path, strchr(path, '?') != NULL ? '&' : '?', query.data);
}
