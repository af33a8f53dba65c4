/* e2b_create - make a sandbox, or leave nothing of the attempt */

#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "clock.h"
#include "crash.h"
#include "e2b_body.h"
#include "e2b_sandbox.h"
#include "e2b_token.h"
#include "e2b_verbs.h"
#include "holding.h"
#include "id.h"
#include "stop.h"

struct attempt {
	struct e2b *e2b;
	const struct sandbox_request *request;
	const char *name;
	int64_t lifetime_ms;
	json_t *asked; /* owned: the body that was sent */
	char id[64];   /* "" until the service told */
	bool expected; /* nobody told how it ended */
	bool nothing;  /* the service told that it made nothing, or was not asked */
};

/* Ask once. Whoever wants us to stop waits: only the answer tells what there is to end. */
static int
ask(struct attempt *a, bool older, struct http_reply *reply, struct fault *f)
{
	struct http_request make = {
	    .method = "POST", .path = older ? "/sandboxes" : "/v2/sandboxes", .type = "application/json"};
	auto_buf struct buf text = {0};
	int status;

	json_decref(a->asked);
	a->asked = e2b_body(a->e2b, a->request, a->name, a->lifetime_ms, older);
	json_add_text(&text, a->asked);
	make.body = text.data;
	make.len = text.len;
	stop_hold(true);
	status = e2b_send(a->e2b, &make, reply, 1, clock_deadline(E2B_CREATE_MS), f);
	stop_hold(false);
	return status;
}

/* What an answer other than 201 means for what may exist. */
static int
refuse(struct attempt *a, const struct http_reply *reply, struct fault *f)
{
	char why[JSON_ERROR_TEXT_LENGTH];
	json_auto_t *words = json_parse_any(reply->body.data, reply->body.len, why);

	/* The service's own 5xx is its last word; one without its JSON is that of something in between. */
	a->nothing = reply->status >= 400 && reply->status < 500;
	a->expected = !a->nothing && json_text_at(words, "message") == NULL;
	e2b_refused(reply, "create_refused", "create", f);
	if (strcmp(f->reason, "sandbox_missing") == 0) {
		fault_clear(f);
		fault_fill(f, STATUS_TROUBLE, "template_missing",
		    "%s: the service has no such template: name another with --image or E2B_TEMPLATE",
		    json_text_at(a->asked, "templateID"));
	}
	return -1;
}

/* From the answer to the id and the row; the token of its ports comes only with this answer. */
static int
note(struct attempt *a, const struct http_reply *reply, struct fault *f)
{
	json_auto_t *made = e2b_json(reply, f);
	const char *id = json_text_at(made, "sandboxID"), *token = json_text_at(made, "trafficAccessToken");
	const char *template = json_text_at(made, "templateID");

	if (id == NULL || *id == '\0' || strlen(id) >= sizeof a->id ||
	    strspn(id, "abcdefghijklmnopqrstuvwxyz0123456789-") != strlen(id))
		return fault_set(f, STATUS_TROUBLE, "e2b_reply_invalid", "create: the service gave no id");
	snprintf(a->id, sizeof a->id, "%s", id);
	if (token != NULL && e2b_token_keep(a->e2b->site, a->name, token, f) == -1)
		return -1;
	crash_point("e2b.create.token");
	return holding_live(a->e2b->site, a->name, id, template, f);
}

static int
make(struct attempt *a, struct fault *f)
{
	struct http_reply reply = {0};
	int status = ask(a, false, &reply, f);

	crash_point("e2b.create.asked");
	if (status == 0 && reply.status != 201 && e2b_lacks(&reply)) {
		http_free(&reply, 1);
		status = ask(a, true, &reply, f);
	}
	if (status == -1) {
		a->nothing = !reply.sent;
		a->expected = reply.sent;
	} else
		status = reply.status == 201 ? note(a, &reply, f) : refuse(a, &reply, f);
	http_free(&reply, 1);
	return status;
}

/* The sandbox as it really is, when it is as it was asked for. */
static json_t *
read_back(struct attempt *a, struct fault *f)
{
	auto_sandbox struct e2b_sandbox s = {0};
	json_t *member;

	crash_point("e2b.create.made");
	if (e2b_look(a->e2b, a->id, E2B_ANY, &s, f) == -1 ||
	    e2b_confirm(a->asked, a->request->purpose, s.detail, f) == -1)
		return NULL;
	member = e2b_member(a->e2b, s.detail);
	/* The line names its run and needs no state: both are for lists. */
	json_object_del(member, "run");
	json_object_del(member, "state");
	return member;
}

/* End what came of a failed attempt. Whatever can't be seen to be gone makes the fault one of doubt. */
static void
undo(struct attempt *a, struct fault *f)
{
	const struct e2b_target target = {
	    .id = a->id[0] != '\0' ? a->id : NULL, .name = a->name, .expected = a->expected};
	struct fault unclear = {0}, first = *f;
	enum gone gone = GONE_CONFIRMED;

	stop_hold(true);
	if (!a->nothing)
		gone = e2b_end(a->e2b, &target, &unclear);
	crash_point("e2b.create.undone");
	if (gone == GONE_CONFIRMED) {
		e2b_token_drop(a->e2b->site, a->name);
	} else {
		*f = (struct fault) {0};
		fault_fill(f, STATUS_DOUBT, first.reason, "%s; a sandbox of it may be left: %s", first.message,
		    unclear.message);
		fault_clear(&unclear);
	}
	/* If this fails, the row says that there may be something: untrue, but on the safe side. */
	holding_end(a->e2b->site, a->name, gone == GONE_CONFIRMED ? "gone" : "unconfirmed", &unclear);
	fault_clear(&unclear);
	stop_hold(false);
}

static json_t *
attempt(struct attempt *a, struct fault *f)
{
	json_t *sandbox = NULL;

	if (make(a, f) == 0)
		sandbox = read_back(a, f);
	if (sandbox != NULL && stop_pending()) {
		json_decref(sandbox);
		sandbox = NULL;
		fault_fill(f, 128 + stop_signal(), "stopped", "stopped by signal %d, and the sandbox was removed",
		    stop_signal());
	}
	if (sandbox == NULL && a->e2b->site->show == NULL)
		undo(a, f);
	json_decref(a->asked);
	return sandbox;
}

json_t *
e2b_create(const struct site *s, const struct sandbox_request *r, struct fault *f)
{
	char name[sizeof "sbx-" + ID_RUN] = "sbx-";
	auto_e2b struct e2b e = {0};
	struct attempt a = {
	    .e2b = &e, .request = r, .name = name, .lifetime_ms = r->lifetime_ms > 0 ? r->lifetime_ms : s->lifetime_ms};
	const struct holding row = {.provider = e2b_provider.name,
	    .name = name,
	    .run = r->run,
	    .purpose = r->purpose,
	    .engine = e.account,
	    .bundle_sha256 = r->bundle_sha256,
	    .deadline = clock_wall() + a.lifetime_ms};
	auto_close int held = -1;

	if (e2b_open(&e, s, f) == -1 || e2b_check_request(&e, r, f) == -1)
		return NULL;
	id_hex(name + strlen(name), ID_RUN);
	if (s->show == NULL)
		held = e2b_token_hold(s, name, f);
	if (s->show == NULL && held == -1)
		return NULL;
	crash_point("e2b.create.held");
	if (holding_begin(s, &row, f) == -1) {
		e2b_token_drop(s, name);
		return NULL;
	}
	crash_point("e2b.create.noted");
	return attempt(&a, f);
}
