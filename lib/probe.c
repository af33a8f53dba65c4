/* probe - is somebody there, and is it who it should be: TCP and HTTP asked until one absolute deadline */

#include <string.h>

#include "clock.h"
#include "probe.h"
#include "probe_parts.h"

enum {
	EACH_MS = 2000,
	PAUSE_LEAST = 10,
	PAUSE_MOST = 1000,
	PAUSE_GOOD = 100, /* between good answers */
	/*
	 * A connection that opens where nobody listened a moment ago is the app's. One that opens at once may be a proxy's, which needs
	 * 0.4 ms to find nobody behind it, and several times that on a busy machine.
	 */
	HOLD_AFTER_REFUSAL = 2,
	HOLD_MS = 100
};

/* Where it is asked. */
static int
place_of(const struct probe *p, struct endpoint *e, struct fault *f)
{
	size_t base;

	if (p->url != NULL)
		return probe_url(p->url, e, &base, f);
	if (!endpoint_parse(p->tcp, strlen(p->tcp), 0, e))
		return fault_set(f, STATUS_TROUBLE, "probe_invalid", "'%s' is no HOST:PORT", p->tcp);
	return 0;
}

int
probe_check(const struct probe *p, struct fault *f)
{
	struct endpoint e;

	if (p->host != NULL && !endpoint_parse(p->host, strlen(p->host), 80, &e))
		return fault_set(f, STATUS_TROUBLE, "probe_invalid", "'%s' is no host", p->host);
	return place_of(p, &e, f);
}

static int
ask(const struct probe *p, struct probe_past *past, int64_t deadline, struct fault *f)
{
	struct endpoint e;

	if (p->url != NULL)
		return probe_http(p, past, deadline, f);
	if (place_of(p, &e, f) == -1)
		return -1;
	return probe_connect(&e, past, past->refused ? HOLD_AFTER_REFUSAL : HOLD_MS, deadline, f);
}

int
probe_ask(const struct probe *p, int64_t deadline, struct fault *f)
{
	return ask(p, &(struct probe_past) {0}, deadline, f);
}

/* A part of the time waited so far: little where asking is cheap, more where it starts a program. */
static int64_t
pause_of(const struct probe *p, const struct probe_past *past, int64_t waited)
{
	struct endpoint e;
	struct fault ignored = {0};
	bool cheap =
	    place_of(p, &e, &ignored) == 0 && endpoint_is_plain(&e) && (p->url == NULL || past->refused || past->cut);
	int64_t pause = waited / (cheap ? 250 : 20);

	return pause < PAUSE_LEAST ? PAUSE_LEAST : pause > PAUSE_MOST ? PAUSE_MOST : pause;
}

static void
note(struct probe_past *past, const struct probe *p, const struct fault *f)
{
	past->refused = strcmp(f->reason, "refused") == 0;
	past->cut = strcmp(f->reason, "cut") == 0;
	past->answered = p->url != NULL && !past->refused && !past->cut && strcmp(f->reason, "timed_out") != 0;
}

static void
replace(struct fault *f, const struct fault *by)
{
	fault_clear(f);
	*f = *by;
}

/* At the deadline: the last fault, unless what was missing were more good answers. */
static int
too_late(int good, int wanted, struct fault *f)
{
	if (good > 0 || !fault_is(f)) {
		fault_clear(f);
		fault_fill(f, STATUS_NO, "timed_out", "%d of %d good answers in a row came in time", good, wanted);
	}
	return -1;
}

int
probe_wait(const struct probe *p, int64_t deadline, struct probe_tally *t, struct fault *f)
{
	int64_t began = clock_now(), each_ms = p->each_ms > 0 ? p->each_ms : EACH_MS;
	int good = 0, wanted = p->good > 0 ? p->good : 1;
	struct probe_past past = {0};

	*t = (struct probe_tally) {0};
	for (;;) {
		int64_t each = clock_deadline(each_ms), pause;
		struct fault one = {0};
		int status = ask(p, &past, each < deadline ? each : deadline, &one);

		t->attempts++;
		t->duration_ms = clock_now() - began;
		if (status == -1 && one.status != STATUS_NO) {
			replace(f, &one);
			return -1;
		}
		/* What the deadline cut short says less than what came before. */
		if (t->attempts > 1 && deadline < each && clock_now() >= deadline)
			return too_late(good, wanted, f);
		good = status == 0 ? good + 1 : 0;
		if (good >= wanted && clock_now() <= deadline) {
			fault_clear(f);
			return 0;
		}
		note(&past, p, &one);
		if (status == -1)
			replace(f, &one);
		pause = good > 0 ? PAUSE_GOOD : pause_of(p, &past, t->duration_ms);
		/* Towards the end more often, so that what comes late is still seen. */
		if (pause > clock_left(deadline) / 2)
			pause = clock_left(deadline) / 2;
		if (pause < PAUSE_LEAST / 2)
			return too_late(good, wanted, f);
		if (probe_pause(pause, deadline, &one) == -1) {
			replace(f, &one);
			return -1;
		}
	}
}

json_t *
probe_report(const struct probe_tally *t, const struct fault *f)
{
	json_t *report = json_make("{s:b, s:I, s:I}", "healthy", !fault_is(f), "attempts", (json_int_t)t->attempts,
	    "duration_ms", (json_int_t)t->duration_ms);

	if (fault_is(f))
		json_object_set_new(
		    report, "failure", json_make("{s:s, s:s}", "part", f->reason, "message", f->message));
	return report;
}
