/* verdict - the seeds' result of a run, and in words what it proves and what it does not */

#include <string.h>

#include "id.h"
#include "judge.h"
#include "output.h"
#include "plain.h"
#include "profile.h"
#include "verdict.h"
#include "x.h"

enum acceptance {
	ACCEPTANCE_PASSED,
	ACCEPTANCE_NOT_NEEDED,
	ACCEPTANCE_PENDING,
	ACCEPTANCE_FAILED
};

static const char *const build_words[] = {
    [BUILD_PASSED] = "passed", [BUILD_PENDING] = "pending", [BUILD_SKIPPED] = "skipped", [BUILD_FAILED] = "failed"};

static enum acceptance
judge_acceptance(struct judgement *j, const json_t *line, bool needed)
{
	const json_t *given = json_object_get(line, "acceptance");
	const char *status = json_text_at(given, "status");

	if (status != NULL && strcmp(status, "passed") == 0)
		return ACCEPTANCE_PASSED;
	if (status != NULL && strcmp(status, "failed") == 0) {
		judge_reason(j, "acceptance", "acceptance_failed",
		    plain_sentence("Acceptance failed: what the bundle declares and what it holds do not agree."));
		return ACCEPTANCE_FAILED;
	}
	if (given == NULL && !needed)
		return ACCEPTANCE_NOT_NEEDED;
	if (given == NULL)
		judge_reason(j, "acceptance", "acceptance_absent",
		    plain_sentence("Acceptance has not run, and the profile needs it beside the build."));
	else
		judge_reason(j, "acceptance", "acceptance_pending",
		    plain_sentence("Acceptance could not make up its mind: checks that apply were skipped."));
	return ACCEPTANCE_PENDING;
}

static const char *
readiness(const struct judgement *j, enum acceptance a)
{
	if (j->build == BUILD_FAILED || a == ACCEPTANCE_FAILED)
		return "failed";
	if (j->build == BUILD_SKIPPED)
		return "skipped";
	return j->build == BUILD_PENDING || a == ACCEPTANCE_PENDING ? "pending" : "ready";
}

static json_t *
make_result(const json_t *line, const struct judgement *j, const char *dir)
{
	const char *strategy = json_text_at(line, "strategy.name"), *why = json_text_at(line, "strategy.reason");
	const json_t *sandbox = json_object_get(line, "sandbox");
	bool cut;
	json_t *output = output_of_steps(dir, json_object_get(line, "steps"), &cut);
	json_t *result = json_make("{s:b, s:s, s:s, s:s, s:o, s:O, s:O, s:n, s:n, s:[]}", "success",
	    j->build == BUILD_PASSED, "validation_strategy", strategy == NULL ? "skip" : strategy, "validation_status",
	    build_words[j->build], "strategy_reason", why == NULL ? "no strategy was settled" : why, "build_output",
	    output, "errors", j->errors, "warnings", j->warnings, "preview_url", "test_results", "parsed_errors");

	if (sandbox != NULL) {
		json_object_set(result, "sandbox_session_id", json_object_get(sandbox, "id"));
		json_object_set(result, "sandbox_provider", json_object_get(sandbox, "provider"));
		json_object_set_new(
		    result, "sandbox_terminated", json_boolean(json_true_at(line, "teardown.confirmed")));
	}
	if (j->infrastructure)
		json_object_set_new(result, "infrastructure_failure", json_true());
	if (cut)
		json_object_set_new(result, "build_output_truncated", json_true());
	return result;
}

static json_t *
make_claims(const json_t *line, const struct judgement *j, const struct profile *p)
{
	const char *sha256 = json_text_at(line, "bundle.sha256");
	json_t *claims = json_array();

	if (sha256 != NULL)
		json_array_append_new(claims,
		    plain_sentence("The bundle with SHA-256 %s was audited in full and staged as it is (files: %lld).",
		        sha256, (long long)json_int_at(line, "bundle.files", 0)));
	if (json_true_at(line, "put.verified"))
		json_array_append_new(
		    claims, plain_sentence("Each staged file was read back from the sandbox unchanged."));
	if (j->build == BUILD_PASSED)
		json_array_extend(claims, (json_t *)p->claims);
	if (json_true_at(line, "teardown.confirmed"))
		json_array_append_new(claims, plain_sentence("The sandbox is gone: its absence was confirmed."));
	return claims;
}

static void
add_steps_not_run(json_t *list, const json_t *steps)
{
	auto_buf struct buf titles = {0};
	const json_t *step;
	size_t i;

	json_array_foreach (steps, i, step) {
		const char *status = json_text_at(step, "status"), *title = json_text_at(step, "title");

		if (status != NULL && title != NULL && strcmp(status, "not_run") == 0)
			buf_printf(&titles, "%s%s", titles.len > 0 ? ", " : "", title);
	}
	if (titles.len > 0)
		json_array_append_new(
		    list, plain_sentence("What these steps would have found, which did not run: %s.", titles.data));
}

static json_t *
make_not_claimed(const json_t *line, const struct judgement *j, enum acceptance a, const struct profile *p)
{
	json_t *list = json_array();

	if (j->infrastructure || j->build == BUILD_PENDING || j->build == BUILD_SKIPPED)
		json_array_append_new(list, plain_sentence("Whether the bundle builds."));
	add_steps_not_run(list, json_object_get(line, "steps"));
	if (a != ACCEPTANCE_PASSED)
		json_array_append_new(
		    list, plain_sentence("Whether the app is complete and its parts refer to each other "
		                         "rightly, which acceptance is for."));
	if (p->not_claimed != NULL)
		json_array_extend(list, (json_t *)p->not_claimed);
	if (j->doubt)
		json_array_append_new(list, plain_sentence("That the sandbox is gone."));
	return list;
}

int
verdict_work(struct line *l, void *context, struct fault *f)
{
	const struct verdict_site *site = context;
	const char *run = json_text_at(l->root, "run"), *name = json_text_at(l->root, "bundle.profile"), *word;
	bool sound = run != NULL && id_is_hex(run, ID_RUN);
	auto_free char *dir = x_printf("%s/runs/%s", site->state, sound ? run : "none");
	auto_profile struct profile profile = {0};
	auto_judgement struct judgement j;
	enum acceptance a;

	if (name != NULL)
		profile_find(&profile, site->share, name, f);
	judge_run(&j, l->root, profile.steps, f);
	a = judge_acceptance(&j, l->root, profile.needs_acceptance);
	word = readiness(&j, a);
	line_add(l, "result", make_result(l->root, &j, dir));
	line_add(l, "verdict",
	    json_make("{s:b, s:s, s:O, s:o, s:o}", "ready", strcmp(word, "ready") == 0, "readiness", word, "reasons",
	        j.reasons, "claims", make_claims(l->root, &j, &profile), "not_claimed",
	        make_not_claimed(l->root, &j, a, &profile)));
	if (j.doubt)
		return STATUS_DOUBT;
	return strcmp(word, "ready") == 0 ? STATUS_YES : STATUS_NO;
}
