/* e2b_reach - connect to a sandbox, move its deadline, tell the URL of a port */

#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "clock.h"
#include "crash.h"
#include "e2b_sandbox.h"
#include "e2b_token.h"
#include "e2b_verbs.h"
#include "holding.h"

enum {
	SLACK_MS = 2000 /* between our clock and the service's, and for what is under way */
};

static int
note_deadline(const struct holding *h, void *deadline, struct fault *f)
{
	(void)f;
	*(int64_t *)deadline = h->deadline;
	return 1;
}

/*
 * When the sandbox ends. Of a paused one the service tells when it was paused, so our own row tells when it was to end; that
 * moment is not moved by being connected to.
 */
static int64_t
end_of(struct e2b *e, const struct e2b_sandbox *s, struct fault *f)
{
	int64_t ends = e2b_time(json_text_at(s->detail, "endAt"));
	const char *state = json_text_at(s->detail, "state");

	if (state != NULL && strcmp(state, "paused") == 0)
		holding_find(e->site, e2b_provider.name, s->id, note_deadline, &ends, f);
	return ends;
}

static int
post(struct e2b *e, const char *path, const char *name, int64_t value, struct http_reply *reply, struct fault *f)
{
	auto_free char *body = x_printf("{\"%s\":%lld}", name, (long long)value);
	struct http_request r = {
	    .method = "POST", .path = path, .type = "application/json", .body = body, .len = strlen(body)};

	return e2b_send(e, &r, reply, 1, clock_deadline(E2B_CREATE_MS), f);
}

/* The call that wakes a paused sandbox, and sets its end to SECONDS from now when that is later than it was. */
static int
ask(struct e2b *e, const struct e2b_sandbox *s, int64_t seconds, struct http_reply *reply, struct fault *f)
{
	auto_free char *path = x_printf("/v2/sandboxes/%s/connect", s->id);
	auto_free char *older = x_printf("/sandboxes/%s/connect", s->id);
	int status = post(e, path, "timeout", seconds, reply, f);

	if (status == 0 && reply->status >= 400 && e2b_lacks(reply) && strstr(reply->body.data, s->id) == NULL) {
		http_free(reply, 1);
		status = post(e, older, "timeout", seconds, reply, f);
	}
	if (status == 0 && reply->status != 200 && reply->status != 201)
		status = e2b_refused(reply, "connect_failed", s->id, f);
	return status;
}

static int
keep_token(struct e2b *e, const struct e2b_sandbox *s, const struct http_reply *reply, struct fault *f)
{
	json_auto_t *answer = e2b_json(reply, f);
	const char *token = json_text_at(answer, "trafficAccessToken"), *name = e2b_metadata(s->detail, "sbx.name");

	if (answer == NULL)
		return -1;
	if (token == NULL || name == NULL || strchr(name, '/') != NULL)
		return 0;
	return e2b_token_keep(e->site, name, token, f);
}

/* Say what the service changed of its own accord. */
static void
compare(const struct e2b_sandbox *before, int64_t ended, const struct e2b_sandbox *after)
{
	const char *kind = json_text_at(before->detail, "lifecycle.onTimeout");
	const char *now = json_text_at(after->detail, "lifecycle.onTimeout");

	if (e2b_time(json_text_at(after->detail, "endAt")) > ended + SLACK_MS)
		cli_warn("%s: the service moved its deadline to %s", after->id, json_text_at(after->detail, "endAt"));
	if (kind != NULL && now != NULL && strcmp(kind, now) != 0)
		cli_warn("%s: at its deadline the service will now %s it, not %s", after->id, now, kind);
}

json_t *
e2b_connect(const struct site *s, const char *id, struct fault *f)
{
	auto_e2b struct e2b e = {0};
	auto_sandbox struct e2b_sandbox before = {0}, after = {0};
	struct http_reply reply = {0};
	int64_t ends, left;
	int status = -1;

	if (e2b_open(&e, s, f) == -1 || e2b_look(&e, id, E2B_WAKE, &before, f) == -1)
		return NULL;
	ends = end_of(&e, &before, f);
	left = (ends - clock_wall()) / 1000;
	if (!fault_is(f))
		status = ask(&e, &before, left > 1 ? left : 1, &reply, f);
	crash_point("e2b.connect.asked");
	if (status == 0)
		status = keep_token(&e, &before, &reply, f);
	http_free(&reply, 1);
	if (status == -1 || e2b_look(&e, id, E2B_WAKE, &after, f) == -1)
		return NULL;
	compare(&before, ends, &after);
	return e2b_member(&e, after.detail);
}

/* The deadline as it is now, when it is at least what was asked for. */
static json_t *
extended(struct e2b *e, const char *id, int64_t wanted, struct fault *f)
{
	auto_sandbox struct e2b_sandbox s = {0};
	const char *text;
	int64_t ends;

	if (e2b_look(e, id, E2B_TOUCH, &s, f) == -1)
		return NULL;
	text = json_text_at(s.detail, "endAt");
	ends = e2b_time(text);
	if (ends != -1 && holding_extend(e->site, s.id, ends, f) == -1)
		return NULL;
	if (ends < wanted - SLACK_MS) {
		fault_fill(f, STATUS_NO, "lifetime_clamped", "%s: the service gives it time until %s and no longer", id,
		    text != NULL ? text : "it does not say when");
		return NULL;
	}
	return e2b_member(e, s.detail);
}

json_t *
e2b_extend(const struct site *s, const char *id, int64_t lifetime_ms, struct fault *f)
{
	auto_free char *path = x_printf("/sandboxes/%s/timeout", id);
	int64_t seconds = (lifetime_ms + 999) / 1000, wanted = clock_wall() + seconds * 1000;
	auto_e2b struct e2b e = {0};
	auto_sandbox struct e2b_sandbox before = {0};
	struct http_reply reply = {0};
	int status = -1;

	if (e2b_open(&e, s, f) == -1 || e2b_look(&e, id, E2B_TOUCH, &before, f) == -1)
		return NULL;
	if (wanted < e2b_time(json_text_at(before.detail, "endAt")))
		fault_fill(f, STATUS_NO, "lifetime_longer", "%s: it has more time than that already, until %s", id,
		    json_text_at(before.detail, "endAt"));
	else if ((status = post(&e, path, "timeout", seconds, &reply, f)) == 0 && reply.status != 204)
		status = e2b_refused(&reply, "extend_failed", id, f);
	crash_point("e2b.extend.asked");
	http_free(&reply, 1);
	return status == -1 ? NULL : extended(&e, id, wanted, f);
}

json_t *
e2b_url(const struct site *s, const char *id, int port, struct fault *f)
{
	auto_e2b struct e2b e = {0};
	auto_sandbox struct e2b_sandbox sandbox = {0};
	const char *domain;
	auto_free char *url = NULL;

	if (e2b_open(&e, s, f) == -1 || e2b_look(&e, id, E2B_LOOK, &sandbox, f) == -1)
		return NULL;
	if (!e2b_is_ordinary(e2b_metadata(sandbox.detail, "purpose")) ||
	    json_is_false(json_at(sandbox.detail, "network.allowPublicTraffic")))
		return json_null();
	domain = json_text_at(sandbox.detail, "domain");
	url = x_printf("https://%d-%s.%s", port, sandbox.id, domain != NULL ? domain : s->e2b.domain);
	return json_string(url);
}
