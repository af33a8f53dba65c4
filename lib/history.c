/* history - what was asked of the tasks behind a build, what came of it, and how its runs failed (store) */

#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "history.h"
#include "x.h"

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
	    store_run(s,
	        "UPDATE repairs SET status = 'interrupted', scope = NULL WHERE series = $1 AND status = 'selected'",
	        STORE_VALUES(store_text(series)), f) == -1)
		return -1;
	return store_each(s,
	    "SELECT request, task, attempt, fingerprint, status FROM repairs WHERE series = $1 ORDER BY attempt",
	    STORE_VALUES(store_text(series)), see_entry, *entries, f);
}

int
history_add(
    struct store *s, const char *series, const char *run, const json_t *entry, const char *scope, struct fault *f)
{
	return store_run(s,
	           "INSERT INTO repairs (request, series, task, attempt, fingerprint, status, run, time, scope)"
	           " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
	           STORE_VALUES(store_text(json_text_at(entry, "request_id")), store_text(series),
	               store_text(json_text_at(entry, "task_id")), store_integer(json_int_at(entry, "attempt", 0)),
	               store_text(json_text_at(entry, "fingerprint")), store_text(json_text_at(entry, "status")),
	               store_text(run), store_integer(clock_wall()), store_text(scope)),
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

static char *
copy(const char *text)
{
	return text == NULL ? NULL : x_strdup(text);
}

static int
see_request(const struct store_row *row, void *context, struct fault *f)
{
	struct asked *a = context;

	(void)f;
	*a = (struct asked) {.task = copy(store_row_text(row, 0)),
	    .status = copy(store_row_text(row, 1)),
	    .scope = copy(store_row_text(row, 2)),
	    .answer = copy(store_row_text(row, 3))};
	return 1;
}

int
history_find(struct store *s, const char *request, struct asked *a, struct fault *f)
{
	*a = (struct asked) {0};
	if (store_each(s, "SELECT task, status, scope, answer FROM repairs WHERE request = $1",
	        STORE_VALUES(store_text(request)), see_request, a, f) == -1)
		return -1;
	return a->task != NULL
	           ? 0
	           : fault_set(f, STATUS_NO, "request_unknown",
	                 "%s: no repair was asked for under that id, or its build is ready by now", request);
}

int
history_settle(struct store *s, const char *request, const char *outcome, const char *answer, struct fault *f)
{
	return store_run(s, "UPDATE repairs SET status = $1, answer = $2 WHERE request = $3",
	           STORE_VALUES(store_text(outcome), store_text(answer), store_text(request)), f) == -1
	           ? -1
	           : 0;
}

void
history_asked_free(struct asked *a)
{
	free(a->task);
	free(a->status);
	free(a->scope);
	free(a->answer);
	*a = (struct asked) {0};
}
