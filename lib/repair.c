/* repair - which task is asked to put right what is wrong with a bundle, or why none is */

#include <stdlib.h>
#include <string.h>

#include "digest.h"
#include "owner.h"
#include "plain.h"
#include "problem.h"
#include "repair.h"
#include "x.h"

enum {
	ERRORS_ASKED = 10 /* that the text of a request has */
};

struct decision {
	struct repair *to;
	const struct inventory *inventory;
	const json_t *history;
	json_t *request;               /* for the bundle, which takes it over; NULL: none */
	json_t *target;                /* the errors of the task that is asked, borrowed */
	char fingerprint[DIGEST_TEXT]; /* of that task, else of the first that is blocked */
	bool no_progress;
};

static const char *
text(const json_t *value, const char *path)
{
	const char *found = json_text_at(value, path);

	return found == NULL ? "" : found;
}

static int
compare_ids(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void
block(struct decision *d, const char *reason, const char *task, json_t *message)
{
	json_array_append_new(
	    d->to->blocks, json_make("{s:s, s:s, s:o}", "reason", reason, "task_id", task, "message", message));
}

/* May the task be asked, as far as evidence goes? */
static bool
has_evidence(struct decision *d, const json_t *task, const char *id)
{
	const char *status = inventory_status(d->inventory, id);
	const json_t *other;
	size_t i;

	if (status == NULL || strcmp(status, "accepted") != 0) {
		bool failed = status != NULL && strcmp(status, "failed") == 0;

		block(d, failed ? "task_failed" : "evidence_missing", id,
		    failed ? plain_sentence("Task %s itself failed, which only its batch can recover.", id)
		           : plain_sentence("There is no evidence that the work of task %s was accepted.", id));
		return false;
	}
	json_array_foreach (json_object_get(task, "depends_on"), i, other) {
		status = inventory_status(d->inventory, json_string_value(other));
		if (status != NULL && strcmp(status, "accepted") == 0)
			continue;
		block(d, "prerequisite_not_accepted", id,
		    plain_sentence(
		        "Task %s builds on task %s, whose work was not accepted.", id, json_string_value(other)));
		return false;
	}
	return true;
}

/* Did something come of what this task was asked before? */
static bool
has_progress(struct decision *d, const char *id, const char *fingerprint)
{
	const json_t *entry;
	size_t i;

	json_array_foreach (d->history, i, entry) {
		const char *status = text(entry, "status");
		bool lost = strcmp(status, "interrupted") == 0 || strcmp(status, "rejected") == 0;

		if (strcmp(text(entry, "task_id"), id) != 0)
			continue;
		if (lost)
			block(d, status, id,
			    plain_sentence("What task %s was asked before was %s.", id,
			        strcmp(status, "rejected") == 0 ? "answered in a way that had to be rejected"
			                                        : "interrupted: no answer came before the next run"));
		else if (strcmp(text(entry, "fingerprint"), fingerprint) == 0)
			block(d, "no_progress", id,
			    plain_sentence("Task %s was asked to repair these very errors before, and they are there "
			                   "again.",
			        id));
		else
			continue;
		d->no_progress = true;
		return false;
	}
	return true;
}

/* What a person or an agent can work from. */
static json_t *
request_text(const char *id, const json_t *errors)
{
	size_t n = json_array_size(errors);
	auto_buf struct buf b = {0};

	buf_printf(&b,
	    "Repair the output of task %s so that the errors below are gone. Only the files in allowed_paths may "
	    "change.",
	    id);
	for (size_t i = 0; i < n && i < ERRORS_ASKED; i++)
		buf_printf(&b, "\n- %s", json_string_value(json_array_get(errors, i)));
	if (n > ERRORS_ASKED)
		buf_printf(&b, "\n- and %zu more", n - ERRORS_ASKED);
	return json_lossy(b.data, b.len);
}

static void
ask(struct decision *d, const json_t *task, json_t *errors)
{
	json_int_t attempt = (json_int_t)json_array_size(d->history) + 1;
	const char *id = text(task, "task_id");
	json_auto_t *identity = json_make("[s, s, s, I]", d->inventory->series, id, d->fingerprint, attempt);
	char request[DIGEST_TEXT];

	json_digest(identity, request);
	d->to->entry = json_make("{s:s, s:s, s:I, s:s, s:s}", "request_id", request, "task_id", id, "attempt", attempt,
	    "fingerprint", d->fingerprint, "status", "selected");
	d->request = json_make("{s:s, s:s, s:O, s:O, s:O, s:o}", "request_id", request, "task_id", id, "task_type",
	    json_object_get(task, "task_type"), "target_agent", json_object_get(task, "initial_agent"), "allowed_paths",
	    json_object_get(task, "owned_paths"), "text", request_text(id, errors));
	d->target = errors;
}

static void
consider(struct decision *d, const char *id, json_t *errors)
{
	const json_t *task = inventory_task(d->inventory, id);
	char fingerprint[DIGEST_TEXT];

	problem_fingerprint(id, errors, fingerprint);
	if (d->fingerprint[0] == '\0')
		memcpy(d->fingerprint, fingerprint, sizeof fingerprint);
	if (!has_evidence(d, task, id) || !has_progress(d, id, fingerprint) || d->request != NULL)
		return;
	if (json_array_size(d->history) >= REPAIR_ATTEMPTS) {
		block(d, "attempts_exhausted", id,
		    plain_sentence(
		        "Task %s is not asked: all %d repairs of this build were spent.", id, REPAIR_ATTEMPTS));
		return;
	}
	memcpy(d->fingerprint, fingerprint, sizeof fingerprint);
	ask(d, task, errors);
}

/* In the order of their ids, so that the same problems always lead to the same task. */
static void
consider_all(struct decision *d, json_t *by_task)
{
	size_t n = json_object_size(by_task), i = 0;
	auto_free const char **ids = x_zalloc(n + 1, sizeof *ids);
	const char *id;
	json_t *errors;

	json_object_foreach (by_task, id, errors)
		ids[i++] = id;
	qsort(ids, n, sizeof *ids, compare_ids);
	for (i = 0; i < n; i++)
		consider(d, ids[i], json_object_get(by_task, ids[i]));
}

static void
find_recoveries(struct decision *d)
{
	const json_t *task;
	size_t i;

	json_array_foreach (d->inventory->tasks, i, task) {
		const char *id = text(task, "task_id");

		if (!inventory_recoverable(d->inventory, id))
			continue;
		json_array_append_new(d->to->recoveries, json_string(id));
		block(d, "recovery_first", id,
		    plain_sentence(
		        "The rejected output of task %s can be recovered, which comes before any repair.", id));
	}
}

/* The errors that are not those of the task that is asked. */
static json_t *
other_errors(const json_t *errors, const json_t *target)
{
	json_t *others = json_array(), *error;
	size_t i;

	json_array_foreach (errors, i, error) {
		const json_t *one;
		size_t k;

		json_array_foreach (target, k, one)
			if (json_equal(one, error))
				break;
		if (k == json_array_size(target))
			json_array_append(others, error);
	}
	return others;
}

static json_t *
make_bundle(const struct decision *d, json_t *errors, json_t *diagnostics)
{
	json_t *history = json_deep_copy(d->history);
	bool asked = d->request != NULL;

	if (asked)
		json_array_append(history, d->to->entry);
	return json_make("{s:s, s:b, s:o, s:I, s:I, s:i, s:o, s:O, s:o, s:o, s:o, s:s, s:b, s:b, s:o}", "status",
	    asked ? "needs_revision" : "blocked", "repairable", asked, "target_agent",
	    asked ? json_incref(json_object_get(d->request, "target_agent")) : json_null(), "error_count",
	    (json_int_t)json_array_size(errors), "attempt", (json_int_t)json_array_size(history), "max_attempts",
	    REPAIR_ATTEMPTS, "repair_request", asked ? d->request : json_null(), "errors", errors, "target_errors",
	    asked ? json_incref(d->target) : json_array(), "deferred_errors", other_errors(errors, d->target),
	    "diagnostics", diagnostics, "failure_fingerprint", d->fingerprint, "no_progress", d->no_progress, "active",
	    asked, "history", history);
}

void
repair_decide(struct repair *r, const struct inventory *v, const json_t *problems, const json_t *history)
{
	struct decision d = {.to = r, .inventory = v, .history = history};
	json_auto_t *by_task = json_object(), *errors = problem_errors(problems);
	json_t *diagnostics;

	*r = (struct repair) {.blocks = json_array(), .recoveries = json_array()};
	diagnostics = owner_assign(v, problems, by_task, r->blocks);
	find_recoveries(&d);
	if (json_array_size(r->recoveries) == 0)
		consider_all(&d, by_task);
	if (d.fingerprint[0] == '\0')
		problem_fingerprint("", errors, d.fingerprint);
	r->bundle = make_bundle(&d, errors, diagnostics);
}

void
repair_refuse(struct repair *r, const char *reason, const char *message)
{
	repair_free(r);
	*r = (struct repair) {.blocks = json_array(), .recoveries = json_array()};
	json_array_append_new(
	    r->blocks, json_make("{s:s, s:o}", "reason", reason, "message", plain_sentence("%s", message)));
}

void
repair_free(struct repair *r)
{
	json_decref(r->entry);
	json_decref(r->bundle);
	json_decref(r->blocks);
	json_decref(r->recoveries);
	*r = (struct repair) {0};
}
