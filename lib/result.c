/* result - the seeds' result of a build, field for field */

#include "output.h"
#include "problem.h"
#include "result.h"

enum {
	ROOM = 300000,   /* bytes of a line that all but the output may take, beside what is in it already */
	ESCAPED_MOST = 6 /* what a byte becomes in JSON at worst */
};

static size_t
output_room(const struct line *l)
{
	size_t left = l->text.len + ROOM > LINE_MAX_BYTES ? 0 : LINE_MAX_BYTES - ROOM - l->text.len;

	return left / ESCAPED_MOST < OUTPUT_MOST ? left / ESCAPED_MOST : OUTPUT_MOST;
}

/* Where acceptance failed no strategy was used. */
static const char *
strategy(const struct line *l, const struct judgement *j, const char **why)
{
	const char *name = json_text_at(l->root, "strategy.name");

	*why = json_text_at(l->root, "strategy.reason");
	if (j->waits)
		*why = "acceptance must pass first";
	else if (*why == NULL)
		*why = "no strategy was settled";
	return name == NULL || j->waits ? "skip" : name;
}

json_t *
result_make(const struct line *l, const struct judgement *j, const char *dir, const struct scrub *scrub, json_t *repair)
{
	const json_t *sandbox = json_object_get(l->root, "sandbox");
	bool cut;
	json_t *output = output_of_steps(dir, json_object_get(l->root, "steps"), output_room(l), &cut);
	const char *why, *name = strategy(l, j, &why);
	json_t *result = json_make("{s:b, s:s, s:s, s:s, s:o, s:O, s:O, s:n, s:n, s:o}", "success",
	    j->build == BUILD_PASSED, "validation_strategy", name, "validation_status", judge_word(j->build),
	    "strategy_reason", why, "build_output", output, "errors", j->errors, "warnings", j->warnings, "preview_url",
	    "test_results", "parsed_errors", problem_parsed(l->root, scrub));

	if (sandbox != NULL) {
		json_object_set(result, "sandbox_session_id", json_object_get(sandbox, "id"));
		json_object_set(result, "sandbox_provider", json_object_get(sandbox, "provider"));
		json_object_set_new(
		    result, "sandbox_terminated", json_boolean(json_true_at(l->root, "teardown.confirmed")));
	}
	if (j->infrastructure)
		json_object_set_new(result, "infrastructure_failure", json_true());
	if (cut)
		json_object_set_new(result, "build_output_truncated", json_true());
	if (repair != NULL)
		json_object_set(result, "bundle_repair", repair);
	return result;
}
