/* docker_rm - end a sandbox, and say gone only of what the Engine that made it does not have any more */

#include <string.h>

#include "cli.h"
#include "clock.h"
#include "crash.h"
#include "docker.h"
#include "docker_verb.h"
#include "holding.h"

/* Teardown has a time budget of its own; one call of it has less, so that there is time for the others. */
enum {
	BUDGET_MS = 60000,
	CALL_MS = 15000,
	LIST_MOST = 16 << 20,
	PROBES = 3,
	PROBE_GAP_MS = 100,
	STOP_S = 10
};

/* What is asked ahead of a look at what is there. */
enum {
	STOP = 1,
	WAIT = 2, /* until it was removed: saves the looks that would come too early */
	REMOVE = 4
};

static bool
is_named(const json_t *container, const char *id)
{
	const char *its_id = json_text_at(container, "Id");
	json_t *name;
	size_t i;

	if (its_id != NULL && strcmp(its_id, id) == 0)
		return true;
	json_array_foreach (json_object_get(container, "Names"), i, name)
		if (json_is_string(name) &&
		    strcmp(json_string_value(name) + (*json_string_value(name) == '/'), id) == 0)
			return true;
	return false;
}

/* Is it in the Engine's list of all containers, the exited, dead and half removed ones included? -1: the list can't be had. */
static int
is_listed(const struct http_reply *reply, const char *id, struct fault *f)
{
	json_t *list = NULL, *container;
	int found = -1;
	size_t i;

	if (reply->status != 200)
		docker_refused(&reply->body, reply->status, "probe_failed", id, f);
	else if ((list = docker_json(reply, f)) != NULL && !json_is_array(list))
		fault_fill(f, STATUS_TROUBLE, "probe_failed", "%s: the Engine's list is none", id);
	else if (list != NULL) {
		found = 0;
		json_array_foreach (list, i, container)
			if (is_named(container, id))
				found = 1;
	}
	json_decref(list);
	return found;
}

static char *
list_path(const char *id)
{
	auto_free char *name = x_printf("^/%s$", id);

	/* An id is matched from its start, a name as an expression; what comes back is compared in full. */
	return strlen(id) == 64 ? docker_filtered("/containers/json?all=1", "id", json_make("[s]", id))
	                        : docker_filtered("/containers/json?all=1", "name", json_make("[s]", name));
}

/* What the looks and the calls ahead of them told. */
struct sight {
	bool stopped; /* the Engine agreed to stop it, or has it no more */
	bool seen;    /* it was there */
};

/* 1: there; 0: not there; -1: unknown, with a fault. */
static int
look(struct docker *d, const struct docker_target *t, int ahead, int64_t deadline, struct sight *sight, struct fault *f)
{
	auto_free char *stop = x_printf("/containers/%s/stop?t=%d", t->id, t->quick ? 0 : STOP_S);
	auto_free char *wait = x_printf("/containers/%s/wait?condition=removed", t->id);
	auto_free char *delete = x_printf("/containers/%s?force=1&v=1", t->id);
	auto_free char *list = list_path(t->id);
	int64_t limit = clock_deadline(CALL_MS);
	struct http_request r[4];
	struct http_reply reply[4];
	size_t n = 0;
	int there = -1;

	if (ahead & STOP)
		r[n++] = (struct http_request) {.method = "POST", .path = stop, .may_fail = true};
	if (ahead & WAIT)
		r[n++] = (struct http_request) {.method = "POST", .path = wait, .may_fail = true};
	if (ahead & REMOVE)
		r[n++] = (struct http_request) {.method = "DELETE", .path = delete, .may_fail = true};
	r[n++] = (struct http_request) {.method = "GET", .path = list, .most = LIST_MOST};
	if (docker_send(d, r, reply, n, limit < deadline ? limit : deadline, f) == 0) {
		there = is_listed(&reply[n - 1], t->id, f);
		sight->stopped = reply[0].status < 400 || reply[0].status == 404;
		sight->seen = sight->seen || there == 1 || (ahead != 0 && reply[0].status < 400);
	}
	http_free(reply, n);
	return there;
}

/*
 * Stop, look up to three times, remove by force, look once more. Only a look decides: an answer to stop or remove is no proof,
 * and neither is an Engine that does not answer. What is expected gets the same three looks to come.
 */
static int
end_and_look(struct docker *d, const struct docker_target *t, struct sight *sight, struct fault *last)
{
	int64_t deadline = clock_deadline(BUDGET_MS);
	int there = look(d, t, STOP | (t->running ? WAIT : 0), deadline, sight, last);
	bool stopped = sight->stopped;

	crash_point("docker.rm.stopped");
	for (int i = 1; i < PROBES; i++) {
		if (there == -1 || !stopped || (there == 0 && (!t->expected || sight->seen)))
			break;
		clock_sleep(PROBE_GAP_MS, deadline);
		there = look(d, t, 0, deadline, sight, last);
	}
	if (there == 0)
		return there;
	fault_clear(last);
	return look(d, t, REMOVE, deadline, sight, last);
}

enum gone
docker_end(struct docker *d, const struct docker_target *t, struct fault *f)
{
	struct sight sight = {0};
	struct fault last = {0};
	int there;

	d->identify = true;
	there = end_and_look(d, t, &sight, &last);
	if (d->engine[0] == '\0' || there == -1)
		fault_fill(f, STATUS_DOUBT, last.reason, "%s: not known to be gone: %s", t->id, last.message);
	else if (t->engine != NULL && *t->engine != '\0' && strcmp(t->engine, d->engine) != 0)
		fault_fill(f, STATUS_DOUBT, "engine_other", "%s: it was made on Engine %s, and %s is Engine %s", t->id,
		    t->engine, d->site->socket, d->engine);
	else if (there == 1)
		fault_fill(
		    f, STATUS_DOUBT, "teardown_unconfirmed", "%s: the Engine still lists it after its removal", t->id);
	else if (t->expected && !sight.seen)
		fault_fill(
		    f, STATUS_DOUBT, "teardown_unconfirmed", "%s: it is not there yet, and may still come", t->id);
	fault_clear(&last);
	return fault_is(f) ? GONE_UNCONFIRMED : GONE_CONFIRMED;
}

/* A sandbox that the store does not know: its labels tell whether it is ours. */
static enum gone
end_unknown(struct docker *d, struct docker_target *t, struct fault *f)
{
	auto_free char *path = x_printf("/containers/%s/json", t->id);
	struct http_request inspect = {.method = "GET", .path = path, .may_fail = true};
	struct http_reply reply = {0};
	json_t *found = NULL;
	enum gone gone = GONE_UNCONFIRMED;

	if (docker_send(d, &inspect, &reply, 1, clock_deadline(CALL_MS), f) == -1)
		f->status = STATUS_DOUBT;
	else if (reply.status == 200 && (found = docker_json(&reply, f)) != NULL &&
	         !docker_is_ours(d->site, json_at(found, "Config.Labels"))) {
		fault_fill(
		    f, STATUS_NO, "sandbox_foreign", "%s: not a sandbox of this store: its labels say so", t->id);
		gone = GONE_NOT_OURS;
	} else if (!fault_is(f)) {
		t->running = json_true_at(found, "State.Running");
		gone = docker_end(d, t, f);
	}
	json_decref(found);
	http_free(&reply, 1);
	return gone;
}

enum gone
docker_rm(const struct site *s, const char *id, const char *engine, struct fault *f)
{
	struct docker d = {.site = s, .identify = true};
	struct docker_target target = {.id = id, .engine = engine, .quick = true};
	struct docker_record r = {0};
	struct fault unwritten = {0};
	enum gone gone;

	if (docker_recall(s, id, &r, f) == -1) {
		f->status = STATUS_DOUBT;
		return GONE_UNCONFIRMED;
	}
	if (!r.known && s->show == NULL)
		return end_unknown(&d, &target, f);
	target.engine = r.engine;
	target.quick = docker_is_offline(r.purpose);
	target.running = strcmp(r.state, "live") == 0;
	gone = docker_end(&d, &target, f);
	crash_point("docker.rm.ended");
	if (holding_end(s, r.name, gone == GONE_CONFIRMED ? "gone" : "unconfirmed", &unwritten) == -1)
		cli_warn("%s: %s", id, unwritten.message);
	fault_clear(&unwritten);
	return gone;
}
