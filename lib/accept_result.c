/* accept_result - what the acceptance rules found, made into one answer */

#include <string.h>

#include "accept_result.h"
#include "accept_rules.h"
#include "plain.h"

enum {
	MESSAGE_MOST = 300,      /* bytes */
	FINDINGS_MOST = 100,     /* failures and warnings that are shown */
	FINDINGS_BYTES = 1 << 17 /* of them together: a line has room for that however they are escaped */
};

/* What the rules of one group came to, the worse the later. */
enum outcome {
	OUTCOME_PASSED,
	OUTCOME_DEFERRED,
	OUTCOME_PENDING,
	OUTCOME_FAILED
};

struct answer {
	const struct profile *profile;
	const json_t *files;
	json_t *groups; /* outcomes by name */
	json_t *completed, *failed, *skipped, *deferred, *failures, *warnings;
	size_t shown, bytes, omitted;
};

static json_t *
plain_text(const char *text)
{
	auto_buf struct buf b = {0};

	buf_text(&b, "");
	plain_add(&b, text, strlen(text), MESSAGE_MOST);
	return json_stringn(b.data, b.len);
}

/* The owner of a file knows its name in the bundle. */
static const char *
bundle_path(const struct answer *a, const char *file)
{
	const char *known = json_text_at(json_object_get(a->files, file), "bundle_path");
	const char *prefix = a->profile->app_prefix != NULL ? a->profile->app_prefix : "";

	if (known != NULL)
		return known;
	return strncmp(file, prefix, strlen(prefix)) == 0 ? file + strlen(prefix) : file;
}

static void
add_finding(struct answer *a, json_t *list, const char *rule, const char *file, const char *says)
{
	const char *path = bundle_path(a, file);
	size_t bytes = strlen(path) + MESSAGE_MOST;

	if (a->shown >= FINDINGS_MOST || a->bytes + bytes > FINDINGS_BYTES) {
		a->omitted++;
		return;
	}
	a->shown++;
	a->bytes += bytes;
	json_array_append_new(
	    list, json_make("{s:s, s:s, s:o}", "rule", rule, "path", path, "message", plain_text(says)));
}

/* Has the object these texts, and none but them? */
static bool
is_pair(const json_t *object, const char *a, const char *b)
{
	return json_object_size(object) == (b == NULL ? 1 : 2) && json_text_at(object, a) != NULL &&
	       (b == NULL || json_text_at(object, b) != NULL);
}

static bool
is_sound(const json_t *report, const json_t *rule)
{
	const json_t *found = json_object_get(report, "found"), *one, *step = json_at(report, "meta.step");
	size_t i;

	if (!json_is_object(report) || !json_equal(json_object_get(report, "rule"), rule) || !json_is_array(found) ||
	    json_array_size(found) > ACCEPT_FOUND_MOST || json_text_at(report, "meta.group") == NULL ||
	    (step != NULL && !json_is_string(step)))
		return false;
	json_array_foreach ((json_t *)found, i, one)
		if (!is_pair(one, "file", "failure") && !is_pair(one, "file", "warning") && !is_pair(one, "skip", NULL))
			return false;
	return true;
}

static bool
has_step(const struct profile *p, const char *id)
{
	const json_t *step;
	size_t i;

	json_array_foreach ((json_t *)p->steps, i, step)
		if (strcmp(json_text_at(step, "id"), id) == 0)
			return true;
	return p->smoke != NULL && strcmp(id, "smoke") == 0;
}

static void
skip(struct answer *a, const char *rule, json_t *reason)
{
	json_array_append_new(a->skipped, json_make("{s:s, s:o}", "rule", rule, "reason", reason));
}

/* A rule that a step decides: open until that step has run, and for good where the profile has no such step. */
static enum outcome
defer(struct answer *a, const char *rule, const char *step)
{
	if (has_step(a->profile, step)) {
		json_array_append_new(a->deferred, json_make("{s:s, s:s}", "rule", rule, "step", step));
		return OUTCOME_DEFERRED;
	}
	skip(a, rule, plain_sentence("profile %s has no step %s, which decides it", a->profile->name, step));
	return OUTCOME_PENDING;
}

static enum outcome
decide(struct answer *a, const char *rule, const json_t *found)
{
	const char *skipped = NULL, *says, *file;
	bool failed = false;
	const json_t *one;
	size_t i;

	json_array_foreach ((json_t *)found, i, one) {
		file = json_text_at(one, "file");
		if ((says = json_text_at(one, "failure")) != NULL) {
			failed = true;
			add_finding(a, a->failures, rule, file, says);
		} else if ((says = json_text_at(one, "warning")) != NULL)
			add_finding(a, a->warnings, rule, file, says);
		else if (skipped == NULL)
			skipped = json_text_at(one, "skip");
	}
	if (failed)
		json_array_append_new(a->failed, json_string(rule));
	else if (skipped != NULL)
		skip(a, rule, plain_text(skipped));
	else
		json_array_append_new(a->completed, json_string(rule));
	return failed ? OUTCOME_FAILED : skipped != NULL ? OUTCOME_PENDING : OUTCOME_PASSED;
}

static void
take_report(struct answer *a, const json_t *report)
{
	const char *rule = json_text_at(report, "rule"), *step = json_text_at(report, "meta.step");
	const char *group = json_text_at(report, "meta.group");
	enum outcome outcome = step != NULL ? defer(a, rule, step) : decide(a, rule, json_object_get(report, "found"));

	if ((json_int_t)outcome > json_int_at(a->groups, group, -1))
		json_object_set_new(a->groups, group, json_integer(outcome));
}

static json_t *
make_checks(const json_t *groups)
{
	static const char *const words[] = {"passed", "deferred", "pending", "failed"};
	json_t *checks = json_object();
	const json_t *outcome;
	const char *group;

	json_object_foreach ((json_t *)groups, group, outcome)
		json_object_set_new(checks, group, json_string(words[json_integer_value(outcome)]));
	return checks;
}

static json_t *
make_acceptance(const struct answer *a, const char *tar_sha256)
{
	bool failed = json_array_size(a->failed) > 0;
	bool open = json_array_size(a->skipped) > 0 || json_array_size(a->completed) == 0;
	json_t *made = json_make("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "status",
	    failed ? "failed"
	    : open ? "pending"
	           : "passed",
	    "contract_version", "1.0", "checks", make_checks(a->groups), "completed", a->completed, "failed", a->failed,
	    "skipped", a->skipped, "deferred", a->deferred, "failures", a->failures, "warnings", a->warnings);

	if (a->omitted > 0)
		json_object_set_new(made, "omitted", json_integer((json_int_t)a->omitted));
	if (!failed && !open)
		json_object_set_new(made, "snapshot_digest", json_string(tar_sha256));
	return made;
}

json_t *
accept_result(
    const json_t *reports, const struct profile *p, const json_t *files, const char *tar_sha256, struct fault *f)
{
	struct answer a = {.profile = p,
	    .files = files,
	    .groups = json_object(),
	    .completed = json_array(),
	    .failed = json_array(),
	    .skipped = json_array(),
	    .deferred = json_array(),
	    .failures = json_array(),
	    .warnings = json_array()};
	json_t *made;
	size_t i;

	for (i = 0; i < json_array_size(p->rules); i++)
		if (is_sound(json_array_get(reports, i), json_array_get(p->rules, i)))
			take_report(&a, json_array_get(reports, i));
		else
			break;
	if (i < json_array_size(p->rules) || i != json_array_size(reports))
		fault_fill(f, STATUS_TROUBLE, "rules_failed", "the acceptance rules: what they say is malformed");
	made = make_acceptance(&a, tar_sha256);
	json_decref(a.groups);
	if (!fault_is(f))
		return made;
	json_decref(made);
	return NULL;
}
