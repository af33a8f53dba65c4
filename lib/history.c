/* history - what was asked of the tasks behind a build, what came of it, and how its runs failed (store) */

#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "history.h"

enum {
	FAILURES_KEPT = 2 /* of a series: one to compare with, and that of the run whose verdict is made anew */
};

static int
see_entry(const struct store_row *row, void *context, struct fault *f)
{
	(void)f;
	json_array_append_new(
	    context, json_make("{s:s, s:s, s:I, s:s, s:s}", "request_id", store_row_text(row, 0), "task_id",
	                 store_row_text(row, 1), "attempt", (json_int_t)store_row_integer(row, 2), "fingerprint",
	                 store_row_text(row, 3), "status", store_row_text(row, 4)));
	return 0;
}

int
history_read(struct store *s, const char *series, const char *run, json_t **entries, struct fault *f)
{
	*entries = json_array();
	if (store_run(s, "DELETE FROM repairs WHERE series = $1 AND run = $2 AND status = 'selected'",
	        STORE_VALUES(store_text(series), store_text(run)), f) == -1 ||
	    store_run(s, "UPDATE repairs SET status = 'interrupted' WHERE series = $1 AND status = 'selected'",
	        STORE_VALUES(store_text(series)), f) == -1)
		return -1;
	return store_each(s,
	    "SELECT request, task, attempt, fingerprint, status FROM repairs WHERE series = $1 ORDER BY attempt",
	    STORE_VALUES(store_text(series)), see_entry, *entries, f);
}

int
history_add(struct store *s, const char *series, const char *run, const json_t *entry, struct fault *f)
{
	return store_run(s,
	           "INSERT INTO repairs (request, series, task, attempt, fingerprint, status, run, time)"
	           " VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
	           STORE_VALUES(store_text(json_text_at(entry, "request_id")), store_text(series),
	               store_text(json_text_at(entry, "task_id")), store_integer(json_int_at(entry, "attempt", 0)),
	               store_text(json_text_at(entry, "fingerprint")), store_text(json_text_at(entry, "status")),
	               store_text(run), store_integer(clock_wall())),
	           f) == -1
	           ? -1
	           : 0;
}

struct last {
	int64_t seq;
	bool same;
	const char *bundle, *outcome;
};

static int
see_last(const struct store_row *row, void *context, struct fault *f)
{
	struct last *last = context;

	(void)f;
	last->seq = store_row_integer(row, 0);
	last->same =
	    strcmp(store_row_text(row, 1), last->bundle) == 0 && strcmp(store_row_text(row, 2), last->outcome) == 0;
	return 0;
}

int
history_fail(struct store *s, const char *series, const char *run, const char *bundle, const char *outcome, bool *same,
    struct fault *f)
{
	struct last last = {.bundle = bundle, .outcome = outcome};

	if (store_run(s, "DELETE FROM failures WHERE series = $1 AND run = $2",
	        STORE_VALUES(store_text(series), store_text(run)), f) == -1 ||
	    store_each(s, "SELECT seq, bundle, outcome FROM failures WHERE series = $1 ORDER BY seq DESC LIMIT 1",
	        STORE_VALUES(store_text(series)), see_last, &last, f) == -1)
		return -1;
	*same = last.same;
	if (store_run(s, "DELETE FROM failures WHERE series = $1 AND seq <= $2",
	        STORE_VALUES(store_text(series), store_integer(last.seq + 1 - FAILURES_KEPT)), f) == -1)
		return -1;
	return store_run(s,
	           "INSERT INTO failures (series, seq, run, bundle, outcome, time) VALUES ($1, $2, $3, $4, $5, $6)",
	           STORE_VALUES(store_text(series), store_integer(last.seq + 1), store_text(run), store_text(bundle),
	               store_text(outcome), store_integer(clock_wall())),
	           f) == -1
	           ? -1
	           : 0;
}

int
history_forget(struct store *s, const char *series, struct fault *f)
{
	if (store_run(s, "DELETE FROM repairs WHERE series = $1", STORE_VALUES(store_text(series)), f) == -1)
		return -1;
	return store_run(s, "DELETE FROM failures WHERE series = $1", STORE_VALUES(store_text(series)), f) == -1 ? -1
	                                                                                                         : 0;
}

struct settlement {
	const char *request, *outcome;
	char status[16]; /* "": there is no such request */
};

static int
see_status(const struct store_row *row, void *context, struct fault *f)
{
	struct settlement *t = context;

	(void)f;
	snprintf(t->status, sizeof t->status, "%s", store_row_text(row, 0));
	return 0;
}

static int
settle(struct store *s, void *context, struct fault *f)
{
	struct settlement *t = context;

	if (store_each(s, "SELECT status FROM repairs WHERE request = $1", STORE_VALUES(store_text(t->request)),
	        see_status, t, f) == -1)
		return -1;
	if (t->status[0] == '\0')
		return fault_set(f, STATUS_NO, "request_unknown",
		    "%s: no repair was asked for under that id, or its build is ready by now", t->request);
	if (strcmp(t->status, t->outcome) == 0)
		return 0;
	if (strcmp(t->status, "selected") != 0)
		return fault_set(
		    f, STATUS_NO, "request_settled", "%s: waits for no answer: it is %s", t->request, t->status);
	return store_run(s, "UPDATE repairs SET status = $1 WHERE request = $2",
	           STORE_VALUES(store_text(t->outcome), store_text(t->request)), f) == -1
	           ? -1
	           : 0;
}

int
history_settle(struct store *s, const char *request, const char *outcome, struct fault *f)
{
	struct settlement t = {.request = request, .outcome = outcome};

	return store_change(s, settle, &t, clock_deadline(STORE_WAIT_MS), f);
}
