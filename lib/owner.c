/* owner - which task each problem of a bundle belongs to */

#include <string.h>

#include "owner.h"
#include "plain.h"
#include "x.h"

/* A problem without a path may begin with one: "pages/home.jsx: message". Only what some task owns is taken for it. */
static char *
path_before_colon(const struct inventory *v, const char *error)
{
	auto_free char *prefix = x_strndup(error, strcspn(error, ":"));
	const json_t *owner;

	if (strpbrk(prefix, "*?") != NULL || inventory_owners(v, prefix, &owner) == 0)
		return NULL;
	return x_steal(prefix);
}

static void
block(json_t *blocks, const char *path, const char *error, size_t owners)
{
	json_t *one;

	if (path == NULL)
		one = json_make("{s:s, s:o}", "reason", "owner_missing", "message",
		    plain_sentence("No file of the bundle is named, so no task owns this: %s", error));
	else
		one = json_make("{s:s, s:s, s:o}", "reason", owners == 0 ? "owner_missing" : "owner_ambiguous", "path",
		    path, "message",
		    owners == 0 ? plain_sentence("No task owns %s.", path)
		                : plain_sentence("%zu tasks own what %s stands for.", owners, path));
	json_array_append_new(blocks, one);
}

static void
give(json_t *by_task, const char *id, json_t *error)
{
	if (json_object_get(by_task, id) == NULL)
		json_object_set_new(by_task, id, json_array());
	json_array_append(json_object_get(by_task, id), error);
}

json_t *
owner_assign(const struct inventory *v, const json_t *problems, json_t *by_task, json_t *blocks)
{
	json_t *diagnostics = json_array(), *problem;
	size_t i;

	json_array_foreach (problems, i, problem) {
		json_t *error = json_object_get(problem, "error");
		const char *given = json_text_at(problem, "path");
		auto_free char *found = given == NULL && !json_true_at(problem, "foreign")
		                            ? path_before_colon(v, json_string_value(error))
		                            : NULL;
		const char *path = given != NULL ? given : found;
		json_t *diagnostic = json_make("{s:O}", "error", error);
		const json_t *owner = NULL;
		size_t owners = path == NULL ? 0 : inventory_owners(v, path, &owner);

		if (path != NULL)
			json_object_set_new(diagnostic, "path", json_string(path));
		if (owners == 1) {
			json_object_set(diagnostic, "task_id", json_object_get(owner, "task_id"));
			give(by_task, json_text_at(owner, "task_id"), error);
		} else
			block(blocks, path, json_string_value(error), owners);
		json_array_append_new(diagnostics, diagnostic);
	}
	return diagnostics;
}
