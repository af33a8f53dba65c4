/* judge - what a line tells about its run: whether the build passed, whose fault it was, whether the sandbox is gone */

#include <string.h>

#include "judge.h"
#include "plain.h"
#include "smoke.h"

enum {
	WARNING = 300, /* bytes */
	WARNINGS_PER_STEP = 10
};

const char *
judge_word(enum build build)
{
	static const char *const words[] = {[BUILD_PASSED] = "passed",
	    [BUILD_PENDING] = "pending",
	    [BUILD_SKIPPED] = "skipped",
	    [BUILD_FAILED] = "failed"};

	return words[build];
}

void
judge_reason(struct judgement *j, const char *gate, const char *reason, json_t *message)
{
	json_array_append_new(
	    j->reasons, json_make("{s:s, s:s, s:o}", "gate", gate, "reason", reason, "message", message));
}

static void
fail(struct judgement *j, const char *gate, const char *reason, json_t *message)
{
	json_array_append(j->errors, message);
	judge_reason(j, gate, reason, message);
	j->build = BUILD_FAILED;
}

static const char *
text(const json_t *value, const char *path, const char *fallback)
{
	const char *found = json_text_at(value, path);

	return found == NULL ? fallback : found;
}

static bool
removal_failed(const json_t *line)
{
	bool made = json_object_get(line, "sandbox") != NULL || json_object_get(line, "teardown") != NULL;

	return made && !json_true_at(line, "teardown.confirmed");
}

static const char *
gate_of(const char *program)
{
	static const char *const gates[][2] = {
	    {"sbx-resolve", "strategy"}, {"sbx-stage", "bundle"}, {"sbx-accept", "acceptance"}, {"sbx-check", "build"}};

	for (size_t i = 0; i < sizeof gates / sizeof *gates; i++)
		if (strcmp(program, gates[i][0]) == 0)
			return gates[i][1];
	return "sandbox";
}

static void
judge_error(struct judgement *j, const json_t *line)
{
	const json_t *error = json_object_get(line, "error");
	const char *by = text(error, "by", "?"), *reason = text(error, "reason", "unknown");
	const char *message = text(error, "message", "it gave no message");
	int64_t status = json_int_at(error, "status", 0);

	if (error == NULL)
		return;
	if (status == STATUS_NO && strcmp(by, "sbx-stage") == 0) {
		fail(j, "bundle", reason,
		    plain_sentence("The bundle was refused before anything of it ran: %s.", message));
		return;
	}
	if (strcmp(reason, "answer_rejected") == 0 && strcmp(by, "sbx-verdict") == 0) {
		fail(j, "bundle", reason,
		    plain_sentence("The bundle was rejected before anything of it ran: %s.", message));
		return;
	}
	j->infrastructure = true;
	j->doubt = status == STATUS_DOUBT;
	/* That the sandbox is not gone is told once, by judge_teardown. */
	if (j->doubt && removal_failed(line) && json_object_get(line, "sandbox") != NULL)
		return;
	if (status > 128)
		fail(j, gate_of(by), reason,
		    plain_sentence(
		        "The run was ended by signal %d before it had an answer: %s.", (int)status - 128, message));
	else
		fail(j, gate_of(by), reason,
		    plain_sentence("%s could not do its work, which says nothing about the bundle: %s.", by, message));
}

static void
judge_failure(struct judgement *j, const json_t *step)
{
	const char *title = text(step, "title", "?"), *command = text(step, "command", "?");
	const char *status = text(step, "status", "?");
	int64_t code = json_int_at(step, "exit_code", 0);

	if (strcmp(status, "timed_out") == 0)
		fail(j, "build", "step_timed_out",
		    plain_sentence("Step \"%s\" did not end within its time limit: `%s`.", title, command));
	else if (strcmp(status, "failed") == 0 && code > 128)
		fail(j, "build", "step_failed",
		    plain_sentence("Step \"%s\" failed: `%s` was ended by signal %d%s.", title, command,
		        (int)code - 128, code == 128 + 9 ? ", as happens when the sandbox has no memory left" : ""));
	else if (strcmp(status, "failed") == 0)
		fail(j, "build", "step_failed",
		    plain_sentence("Step \"%s\" failed: `%s` ended with status %d.", title, command, (int)code));
	else if (j->build != BUILD_FAILED) {
		j->infrastructure = true;
		fail(j, "build", "step_unknown",
		    plain_sentence("How step \"%s\" ended is not known: `%s`.", title, command));
	}
}

/* A step that passed may still have warned: the lines of its standard error that say so. */
static void
note_warnings(struct judgement *j, const json_t *step)
{
	const char *p = text(step, "stderr_tail", "");

	for (int n = 0; *p != '\0' && n < WARNINGS_PER_STEP;) {
		size_t len = strcspn(p, "\n");
		auto_buf struct buf b = {0};

		plain_add(&b, p, len, WARNING);
		if (b.len > 0 && strcasestr(b.data, "warning") != NULL) {
			json_array_append_new(j->warnings, json_lossy(b.data, b.len));
			n++;
		}
		p += len + (p[len] == '\n');
	}
}

static bool
same_steps(const json_t *given, const json_t *known)
{
	const json_t *step;
	size_t i;

	if (json_array_size(given) == 0 || json_array_size(given) != json_array_size(known))
		return false;
	json_array_foreach (given, i, step)
		if (strcmp(text(step, "id", "?"), text(json_array_get(known, i), "id", "")) != 0)
			return false;
	return true;
}

static void
judge_steps(struct judgement *j, const json_t *line, const json_t *known)
{
	const json_t *given = json_object_get(line, "steps"), *step;
	size_t i, passed = 0, ran = 0;

	json_array_foreach (given, i, step) {
		const char *status = text(step, "status", "?");

		ran += strcmp(status, "not_run") != 0;
		if (strcmp(status, "passed") == 0) {
			note_warnings(j, step);
			passed++;
		} else if (strcmp(status, "not_run") != 0)
			judge_failure(j, step);
	}
	if (given == NULL || j->build == BUILD_FAILED || (ran == 0 && smoke_is(line, "failed")))
		return;
	if (passed == json_array_size(given) && same_steps(given, known)) {
		j->build = BUILD_PASSED;
		return;
	}
	j->infrastructure = true;
	fail(j, "build", "steps_differ",
	    plain_sentence("The steps that ran are not those of the profile, so they prove nothing."));
}

bool
judge_step_is(const json_t *steps, const char *id, const char *status)
{
	const json_t *step;
	size_t i;

	json_array_foreach (steps, i, step)
		if (strcmp(text(step, "id", ""), id) == 0)
			return strcmp(text(step, "status", ""), status) == 0;
	return false;
}

static void
judge_absence(struct judgement *j, const json_t *line)
{
	const char *why = text(line, "strategy.reason", "no reason given");

	/* An app that failed when it ran has failed acceptance, too. */
	if (j->build == BUILD_PENDING &&
	    (strcmp(text(line, "acceptance.status", ""), "failed") == 0 || smoke_is(line, "failed"))) {
		j->waits = true;
		judge_reason(j, "build", "acceptance_first",
		    plain_sentence("The build was not tried: acceptance must pass first."));
	} else if (j->build != BUILD_FAILED && strcmp(text(line, "strategy.name", ""), "skip") == 0) {
		json_t *message = plain_sentence("Nothing was executed, since the strategy is skip (%s): the bundle is "
		                                 "unverified, and this result allows no export and no promotion.",
		    why);

		j->build = BUILD_SKIPPED;
		json_array_append(j->warnings, message);
		judge_reason(j, "build", "strategy_skip", message);
	} else if (j->build == BUILD_PENDING)
		judge_reason(j, "build", "not_checked", plain_sentence("No check of the bundle has run."));
}

static void
judge_teardown(struct judgement *j, const json_t *line)
{
	const char *provider = text(line, "sandbox.provider", text(line, "strategy.name", "?"));
	const char *id = json_text_at(line, "sandbox.id");

	if (!removal_failed(line))
		return;
	j->infrastructure = j->doubt = true;
	fail(j, "teardown", "teardown_unconfirmed",
	    plain_sentence("Nobody confirmed that sandbox %s is gone, so it may still exist: try `sbx-%s rm %s%s` "
	                   "until it says so.",
	        id == NULL ? "(unknown)" : id, provider, id == NULL ? "--run " : "",
	        id == NULL ? text(line, "run", "?") : id));
}

/* The operator chose so (sbx-local(1)): what it proves of the bundle stands, what it was kept from does not. */
static void
note_confinement(struct judgement *j, const json_t *line)
{
	if (json_is_false(json_at(line, "sandbox.confined")))
		json_array_append_new(j->warnings,
		    plain_sentence(
		        "The sandbox was not confined: what ran in it could reach this machine and its network."));
}

void
judge_run(struct judgement *j, const json_t *line, const json_t *steps, const struct fault *unread)
{
	*j = (struct judgement) {
	    .build = BUILD_PENDING, .reasons = json_array(), .errors = json_array(), .warnings = json_array()};
	judge_error(j, line);
	if (fault_is(unread)) {
		j->infrastructure = true;
		fail(j, "build", unread->reason,
		    plain_sentence("The profile that the checks come from cannot be used: %s.", unread->message));
	}
	note_confinement(j, line);
	judge_steps(j, line, steps);
	judge_absence(j, line);
	judge_teardown(j, line);
}

void
judge_free(struct judgement *j)
{
	json_decref(j->reasons);
	json_decref(j->errors);
	json_decref(j->warnings);
}
