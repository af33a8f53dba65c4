/* e2b_rm - end a sandbox without ever waking it, and say gone only of what the service does not have any more */

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
	BUDGET_MS = 120000,
	LOOKS = 4, /* the list may be a moment behind */
	LOOK_GAP_MS = 500,
};

/* What the service knows of one id after it was asked to end it. */
enum sight {
	SIGHT_GONE,
	SIGHT_THERE,
	SIGHT_UNKNOWN, /* with a fault */
	SIGHT_REFUSED  /* with a fault; asking again is no use */
};

/*
 * Its removal and a look in one start of curl. Only the look decides: after a 500 the removal may have happened or not, and a 404
 * is as good as a 204.
 */
static enum sight
kill_and_look(struct e2b *e, const char *id, int64_t deadline, struct fault *f)
{
	auto_free char *path = x_printf("/sandboxes/%s", id);
	struct http_request r[] = {
	    {.method = "DELETE", .path = path, .may_fail = true}, {.method = "GET", .path = path, .may_fail = true}};
	int64_t limit = clock_deadline(E2B_CALL_MS);
	enum sight sight = SIGHT_UNKNOWN;
	struct http_reply reply[2];

	/* Shown once is enough. */
	if (e->site->show != NULL)
		sight = SIGHT_REFUSED;
	if (e2b_send(e, r, reply, 2, limit < deadline ? limit : deadline, f) == 0) {
		if (reply[1].status == 404 && reply[0].status != 401)
			sight = SIGHT_GONE;
		else if (reply[1].status == 200)
			sight = SIGHT_THERE;
		else
			e2b_refused(&reply[1], "look_failed", id, f);
		if (reply[0].status == 400 || reply[1].status == 401)
			sight = SIGHT_REFUSED;
	}
	crash_point("e2b.rm.killed");
	http_free(reply, 2);
	return sight;
}

/* A fault unless it is gone. */
static void
end_id(struct e2b *e, const char *id, int64_t deadline, struct fault *f)
{
	enum sight sight = SIGHT_UNKNOWN;
	struct fault last = {0};

	for (int i = 0; i < LOOKS && sight != SIGHT_GONE && sight != SIGHT_REFUSED; i++) {
		if (i > 0)
			clock_sleep(LOOK_GAP_MS << i, deadline);
		fault_clear(&last);
		sight = kill_and_look(e, id, deadline, &last);
	}
	if (sight == SIGHT_THERE)
		fault_fill(
		    f, STATUS_DOUBT, "teardown_unconfirmed", "%s: the service still has it after its removal", id);
	else if (sight != SIGHT_GONE)
		fault_fill(f, STATUS_DOUBT, fault_is(&last) ? last.reason : "teardown_unconfirmed",
		    "%s: not known to be gone: %s", id, last.message);
	fault_clear(&last);
}

/*
 * End all that the service has under our own name, until two looks, or one after an end by id, find none. A fault unless so. Gives how
 * many there were.
 */
static size_t
end_name(struct e2b *e, const struct e2b_target *t, int64_t deadline, struct fault *f)
{
	auto_free char *word = x_printf("sbx.name=%s", t->name);
	const char *const words[] = {word};
	size_t found = 1, ended = 0, i;

	for (int look = 0; look < LOOKS && !fault_is(f); look++) {
		json_t *all = e2b_find(e, words, 1, deadline, f), *one;

		found = json_array_size(all);
		ended += found;
		json_array_foreach (all, i, one) {
			const char *id = json_text_at(one, "sandboxID");

			if (id != NULL && (t->id == NULL || strcmp(id, t->id) != 0))
				end_id(e, id, deadline, f);
		}
		json_decref(all);
		if (found == 0 && (t->id != NULL || look > 0))
			break;
		clock_sleep(LOOK_GAP_MS, deadline);
	}
	if (fault_is(f))
		f->status = STATUS_DOUBT;
	else if (found > 0)
		fault_fill(f, STATUS_DOUBT, "teardown_unconfirmed", "%s: the service still lists it after its removal",
		    t->name);
	return ended;
}

enum gone
e2b_end(struct e2b *e, const struct e2b_target *t, struct fault *f)
{
	const char *subject = t->id != NULL ? t->id : t->name;
	int64_t deadline = clock_deadline(BUDGET_MS);
	struct fault last = {0};
	size_t ended = 0;

	if (t->id != NULL)
		end_id(e, t->id, deadline, &last);
	if (t->name != NULL && !fault_is(&last))
		ended = end_name(e, t, deadline, &last);
	if (fault_is(&last))
		fault_fill(f, STATUS_DOUBT, last.reason, "%s", last.message);
	else if (t->account != NULL && *t->account != '\0' && strcmp(t->account, e->account) != 0)
		fault_fill(f, STATUS_DOUBT, "account_other", "%s: it was made with the key %s, and this is %s", subject,
		    t->account, e->account);
	else if (t->expected && ended == 0)
		fault_fill(
		    f, STATUS_DOUBT, "teardown_unconfirmed", "%s: it is not there yet, and may still come", subject);
	fault_clear(&last);
	return fault_is(f) ? GONE_UNCONFIRMED : GONE_CONFIRMED;
}

/* What the store's row tells of a sandbox. */
struct record {
	bool known, young;
	char name[64], id[64], account[128];
};

static int
note_record(const struct holding *h, void *context, struct fault *f)
{
	struct record *r = context;

	(void)f;
	r->known = true;
	r->young = clock_wall() - h->created < E2B_CREATE_MS;
	snprintf(r->name, sizeof r->name, "%s", h->name);
	snprintf(r->id, sizeof r->id, "%s", h->id != NULL ? h->id : "");
	snprintf(r->account, sizeof r->account, "%s", h->engine != NULL ? h->engine : "");
	return 1;
}

/* A sandbox that the store does not know: its metadata tells whether it is ours. */
static enum gone
end_unknown(struct e2b *e, const char *id, struct fault *f)
{
	const struct e2b_target target = {.id = id};
	auto_sandbox struct e2b_sandbox s = {0};

	if (e2b_look(e, id, E2B_LOOK, &s, f) == 0)
		return e2b_end(e, &target, f);
	if (strcmp(f->reason, "sandbox_foreign") == 0)
		return GONE_NOT_OURS;
	if (strcmp(f->reason, "sandbox_missing") != 0) {
		f->status = STATUS_DOUBT;
		return GONE_UNCONFIRMED;
	}
	fault_clear(f);
	return GONE_CONFIRMED;
}

static enum gone
end_known(struct e2b *e, const struct record *r, struct fault *f)
{
	bool has_id = *r->id != '\0';
	const struct e2b_target target = {
	    .id = has_id ? r->id : NULL, .name = r->name, .account = r->account, .expected = !has_id && r->young};
	struct fault unwritten = {0};
	enum gone gone = e2b_end(e, &target, f);

	crash_point("e2b.rm.ended");
	if (gone == GONE_CONFIRMED)
		e2b_token_drop(e->site, r->name);
	if (holding_end(e->site, r->name, gone == GONE_CONFIRMED ? "gone" : "unconfirmed", &unwritten) == -1)
		cli_warn("%s: %s", r->name, unwritten.message);
	fault_clear(&unwritten);
	return gone;
}

enum gone
e2b_rm(const struct site *s, const char *id, const char *account, struct fault *f)
{
	auto_e2b struct e2b e = {0};
	struct record r = {0};

	if (e2b_open(&e, s, f) == -1 || holding_find(s, e2b_provider.name, id, note_record, &r, f) == -1) {
		f->status = STATUS_DOUBT;
		return GONE_UNCONFIRMED;
	}
	if (s->show != NULL) {
		snprintf(r.id, sizeof r.id, "%s", id);
		return e2b_end(&e, &(struct e2b_target) {.id = r.id}, f);
	}
	if (r.known)
		return end_known(&e, &r, f);
	if (account != NULL && strcmp(account, e.account) != 0) {
		fault_fill(f, STATUS_DOUBT, "account_other", "%s: it was made with the key %s, and this is %s", id,
		    account, e.account);
		return GONE_UNCONFIRMED;
	}
	return end_unknown(&e, id, f);
}
