/* template_follow - a build of a template, from its start to its end */

#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "clock.h"
#include "console.h"
#include "template_parts.h"

enum {
	STARTS = 3,
	START_GAP_MS = 1000,
	POLL_FIRST_MS = 200,
	POLL_MS = 2000,
	TROUBLE_MS = 30000, /* how long nobody may tell how a build is */
	TAILS_MOST = 100    /* pages of log that are taken after a build's end */
};

/* One look at the build. */
struct look {
	size_t entries; /* of its log that were new */
	json_t *answer; /* owned */
	bool passing;   /* it failed, and the next one may not */
};

static void
look_free(struct look *l)
{
	json_decref(l->answer);
}
#define auto_look __attribute__((cleanup(look_free)))

/* What the service calls the build's state, among those that there are. */
static int
take_state(struct template_build *b, const json_t *answer, struct fault *f)
{
	static const char *const states[] = {"waiting", "building", "ready", "error"};
	const char *told = json_text_at(answer, "status");

	for (size_t i = 0; told != NULL && i < sizeof states / sizeof *states; i++)
		if (strcmp(told, states[i]) == 0) {
			b->state = states[i];
			return 0;
		}
	return fault_set(f, STATUS_TROUBLE, "e2b_reply_invalid", "build %s: the service calls it '%.40s'", b->build_id,
	    told != NULL ? told : "");
}

static void
pass_log(const json_t *entries)
{
	const json_t *entry;
	size_t i;

	json_array_foreach (entries, i, entry) {
		const json_t *message = json_object_get(entry, "message");

		if (json_is_string(message))
			console_say(json_string_value(message), json_string_length(message));
	}
}

static int
look(struct e2b *e, struct template_build *b, size_t offset, struct look *l, struct fault *f)
{
	auto_free char *path =
	    x_printf("/templates/%s/builds/%s/status?logsOffset=%zu&limit=100", b->template_id, b->build_id, offset);
	struct http_reply reply = {0};
	int status = template_call(e, b, "GET", path, NULL, &reply, f);

	l->passing = reply.status == 0 || reply.status == 429 || reply.status >= 500;
	if (status == 0 && !template_is_good(&reply))
		status = template_refused(&reply, "build_unknown", b->build_id, f);
	else if (status == 0) {
		l->answer = e2b_json(&reply, f);
		/* What stands before the service says such things. */
		l->passing = l->answer == NULL;
		status = l->answer == NULL ? -1 : take_state(b, l->answer, f);
	}
	http_free(&reply, 1);
	if (status == -1)
		return -1;
	l->entries = json_array_size(json_object_get(l->answer, "logEntries"));
	return 0;
}

/* Did an attempt that nobody answered start the build after all? Only one that waits can be started. */
static bool
is_started(struct e2b *e, struct template_build *b)
{
	auto_look struct look l = {0};
	struct fault f = {0};
	bool started = look(e, b, 0, &l, &f) == 0 && strcmp(b->state, "waiting") != 0;

	fault_clear(&f);
	return started;
}

int
template_start(struct e2b *e, struct template_build *b, struct fault *f)
{
	auto_free char *path = x_printf("/v2/templates/%s/builds/%s", b->template_id, b->build_id);

	for (int tries = 1;; tries++) {
		struct http_reply reply = {0};
		int status = template_call(e, b, "POST", path, b->spec, &reply, f);
		bool good = template_is_good(&reply), no = reply.status >= 400 && reply.status < 500;

		if (good)
			b->state = "building";
		else if (!no && reply.sent)
			b->state = "unknown";
		if (status == 0 && !good)
			status = template_refused(&reply, "template_refused", b->build_id, f);
		http_free(&reply, 1);
		if (status == 0 || f->status > 128)
			return status;
		if (tries > 1 && is_started(e, b)) {
			fault_clear(f);
			return 0;
		}
		if (no || tries == STARTS)
			return -1;
		fault_clear(f);
		if (e2b_wait(START_GAP_MS, f) == -1)
			return -1;
	}
}

static int
tell_end(const struct template_build *b, const json_t *answer, struct fault *f)
{
	const char *message = json_text_at(answer, "reason.message"), *step = json_text_at(answer, "reason.step");

	if (strcmp(b->state, "ready") == 0)
		return 0;
	return fault_set(f, STATUS_TROUBLE, "build_failed", "build %s: failed%s%.40s: %.600s", b->build_id,
	    step != NULL ? " at step " : "", step != NULL ? step : "",
	    message != NULL ? message : "the service does not say why");
}

int
template_follow(struct e2b *e, struct template_build *b, struct fault *f)
{
	int64_t told = clock_now();
	size_t offset = 0;
	int tails = 0;

	cli_warn("build %s: started", b->build_id);
	for (int64_t gap = POLL_FIRST_MS; clock_left(b->deadline) > 0; gap = gap * 2 < POLL_MS ? gap * 2 : POLL_MS) {
		auto_look struct look l = {0};
		bool ended;

		if (look(e, b, offset, &l, f) == 0) {
			told = clock_now();
			offset += l.entries;
			pass_log(json_object_get(l.answer, "logEntries"));
			ended = strcmp(b->state, "ready") == 0 || strcmp(b->state, "error") == 0;
			if (ended && (l.entries == 0 || tails++ == TAILS_MOST))
				return tell_end(b, l.answer, f);
			if (ended)
				continue;
		} else if (!l.passing || f->status > 128 || clock_now() - told > TROUBLE_MS)
			return -1;
		fault_clear(f);
		if (e2b_wait(gap, f) == -1)
			return -1;
	}
	return fault_set(f, STATUS_TROUBLE, "build_timeout", "build %s: did not end in time", b->build_id);
}
