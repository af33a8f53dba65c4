/* acceptance - what became of a run's acceptance, when both the rules and the steps that decide some of them have spoken */

#include <string.h>

#include "acceptance.h"
#include "plain.h"
#include "smoke.h"

enum {
	NAMED_MOST = 3 /* rules that a sentence names */
};

const char *
acceptance_word(enum acceptance a)
{
	static const char *const words[] = {[ACCEPTANCE_PASSED] = "passed",
	    [ACCEPTANCE_NOT_NEEDED] = "not_needed",
	    [ACCEPTANCE_PENDING] = "pending",
	    [ACCEPTANCE_FAILED] = "failed"};

	return words[a];
}

/* "a: why; b: why; and 2 more" of the objects in LIST. */
static void
add_named(struct buf *b, const json_t *list, const char *name, const char *why)
{
	size_t n = json_array_size(list);

	for (size_t i = 0; i < n && i < NAMED_MOST; i++) {
		const char *left = json_text_at(json_array_get(list, i), name);
		const char *right = json_text_at(json_array_get(list, i), why);

		buf_printf(b, "%s%s: %s", i == 0 ? "" : "; ", left == NULL ? "?" : left, right == NULL ? "?" : right);
	}
	if (n > NAMED_MOST)
		buf_printf(b, "; and %zu more", n - NAMED_MOST);
	if (n == 0)
		buf_text(b, "it does not say which");
}

static enum acceptance
fail(struct judgement *j, const json_t *given)
{
	auto_buf struct buf list = {0};

	add_named(&list, json_object_get(given, "failures"), "path", "message");
	judge_reason(j, "acceptance", "acceptance_failed",
	    plain_sentence(
	        "Acceptance failed: what the bundle declares and what it holds do not agree. %s.", list.data));
	return ACCEPTANCE_FAILED;
}

static enum acceptance
leave_open(struct judgement *j, const json_t *given)
{
	auto_buf struct buf list = {0};

	add_named(&list, json_object_get(given, "skipped"), "rule", "reason");
	judge_reason(j, "acceptance", "acceptance_pending",
	    plain_sentence("Acceptance could not make up its mind: rules that apply were skipped. %s.", list.data));
	return ACCEPTANCE_PENDING;
}

/* Where the line tells of what decides a rule: the smoke is no step, but comes before them. */
static bool
is_smoke(const json_t *line, const char *step)
{
	return strcmp(step, "smoke") == 0 && json_object_get(line, "smoke") != NULL;
}

static bool
has_failed(const json_t *line, const char *step)
{
	const json_t *steps = json_object_get(line, "steps");

	if (is_smoke(line, step))
		return smoke_is(line, "failed");
	return judge_step_is(steps, step, "failed") || judge_step_is(steps, step, "timed_out");
}

static bool
has_passed(const json_t *line, const char *step)
{
	if (is_smoke(line, step))
		return smoke_is(line, "passed");
	return judge_step_is(json_object_get(line, "steps"), step, "passed");
}

static void
tell_deferred(struct judgement *j, const json_t *line, const char *rule, const char *step, bool failed)
{
	const char *reason = failed ? "acceptance_failed" : "acceptance_pending";

	if (!is_smoke(line, step))
		judge_reason(j, "acceptance", reason,
		    plain_sentence("Rule %s of acceptance, which step %s decides, %s.", rule, step,
		        failed ? "is broken" : "has no answer"));
	else
		judge_reason(j, "acceptance", reason,
		    plain_sentence("Rule %s of acceptance %s: %s.", rule,
		        failed ? "is broken, as the app failed when it ran" : "has no answer, as the app was not tried",
		        smoke_message(line)));
}

/*
 * The rules that the smoke and the steps of the run decide. Where one is broken the rest was not looked at, which is all that there
 * is to say of those that wait.
 */
static enum acceptance
judge_deferred(struct judgement *j, const json_t *deferred, const json_t *line)
{
	size_t broken = 0, open = 0, i;
	const json_t *one;

	json_array_foreach (deferred, i, one) {
		const char *step = json_text_at(one, "step");

		broken += step != NULL && has_failed(line, step);
		open += step == NULL || !has_passed(line, step);
	}
	json_array_foreach (deferred, i, one) {
		const char *rule = json_text_at(one, "rule"), *step = json_text_at(one, "step");
		bool failed = step != NULL && has_failed(line, step);

		if (failed || (broken == 0 && (step == NULL || !has_passed(line, step))))
			tell_deferred(j, line, rule == NULL ? "?" : rule, step == NULL ? "?" : step, failed);
	}
	return broken > 0 ? ACCEPTANCE_FAILED : open > 0 ? ACCEPTANCE_PENDING : ACCEPTANCE_PASSED;
}

/* A profile may have no rules; then acceptance is pending without end. */
static bool
applied_nothing(const json_t *given)
{
	return json_array_size(json_object_get(given, "completed")) == 0 &&
	       json_array_size(json_object_get(given, "skipped")) == 0 &&
	       json_array_size(json_object_get(given, "deferred")) == 0;
}

enum acceptance
acceptance_judge(struct judgement *j, const json_t *line, bool needed)
{
	const json_t *given = json_object_get(line, "acceptance");
	const char *status = json_text_at(given, "status");

	if (given == NULL && !needed)
		return ACCEPTANCE_NOT_NEEDED;
	if (given == NULL) {
		judge_reason(j, "acceptance", "acceptance_absent",
		    plain_sentence("Acceptance has not run, and is needed beside the build."));
		return ACCEPTANCE_PENDING;
	}
	if (status != NULL && strcmp(status, "failed") == 0)
		return fail(j, given);
	if (status != NULL && strcmp(status, "pending") == 0 && !needed && applied_nothing(given))
		return ACCEPTANCE_NOT_NEEDED;
	if (status == NULL || strcmp(status, "passed") != 0)
		return leave_open(j, given);
	return judge_deferred(j, json_object_get(given, "deferred"), line);
}
