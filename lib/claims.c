/* claims - in words, what a run proves and what it does not */

#include <string.h>

#include "claims.h"
#include "plain.h"
#include "smoke.h"

json_t *
claims_made(const json_t *line, const struct judgement *j, enum acceptance a, const struct profile *p)
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
	if (a == ACCEPTANCE_PASSED)
		json_array_append_new(
		    claims, plain_sentence("Acceptance passed: each of its rules holds (%zu of the profile's).",
		                json_array_size(json_at(line, "acceptance.completed")) +
		                    json_array_size(json_at(line, "acceptance.deferred"))));
	if (smoke_is(line, "passed") && p->smoke != NULL)
		json_array_extend(claims, json_object_get(p->smoke, "claims"));
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

json_t *
claims_not_made(const json_t *line, const struct judgement *j, enum acceptance a, const struct profile *p)
{
	json_t *list = json_array();

	if (j->infrastructure || j->build == BUILD_PENDING || j->build == BUILD_SKIPPED)
		json_array_append_new(list, plain_sentence("Whether the bundle builds."));
	if (p->smoke != NULL && !smoke_is(line, "passed"))
		json_array_append_new(list, plain_sentence("Whether the app does what it should when it runs."));
	add_steps_not_run(list, json_object_get(line, "steps"));
	if (a != ACCEPTANCE_PASSED)
		json_array_append_new(
		    list, plain_sentence("Whether the app is complete and its parts refer to each other "
		                         "rightly, which acceptance is for."));
	if (p->not_claimed != NULL)
		json_array_extend(list, (json_t *)p->not_claimed);
	if (json_is_false(json_at(line, "sandbox.confined")))
		json_array_append_new(
		    list, plain_sentence("That this machine is as it was: nothing kept the bundle from it."));
	if (j->doubt)
		json_array_append_new(list, plain_sentence("That the sandbox is gone."));
	return list;
}
