/* accept_list - all acceptance rules there are, what for, and which profiles apply them */

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "accept.h"
#include "accept_rules.h"
#include "profile.h"
#include "x.h"

/* The names of the files in DIR that end in SUFFIX, without it, sorted: an array, a new reference. NULL and a fault. */
static json_t *
names_in(const char *dir, const char *suffix, struct fault *f)
{
	struct dirent **entries;
	int count = scandir(dir, &entries, NULL, alphasort);
	json_t *names;

	if (count == -1) {
		fault_fill_errno(f, STATUS_TROUBLE, "rules_failed", "%s", dir);
		return NULL;
	}
	names = json_array();
	for (int i = 0; i < count; i++) {
		size_t len = strlen(entries[i]->d_name), end = strlen(suffix);

		if (len > end && strcmp(entries[i]->d_name + len - end, suffix) == 0)
			json_array_append_new(names, json_lossy(entries[i]->d_name, len - end));
		free(entries[i]);
	}
	free(entries);
	return names;
}

/* Add NAME to the profiles of each of the rules that it applies. */
static int
note_profile(const char *share, const char *name, json_t *rules, struct fault *f)
{
	auto_profile struct profile profile = {0};
	const json_t *applied;
	json_t *rule;
	size_t i, k;

	if (profile_find(&profile, share, name, f) == -1)
		return -1;
	json_array_foreach (rules, i, rule)
		json_array_foreach ((json_t *)profile.rules, k, applied)
			if (json_equal(applied, json_object_get(rule, "rule")))
				json_array_append_new(json_object_get(rule, "profiles"), json_string(name));
	return 0;
}

/* The rules as programs for people and others list them. */
static json_t *
describe(const json_t *told)
{
	json_t *rules = json_array(), *rule;
	const json_t *one;
	size_t i;

	json_array_foreach ((json_t *)told, i, one) {
		rule = json_make("{s:O, s:O*, s:O*, s:O*, s:[]}", "rule", json_object_get(one, "rule"), "title",
		    json_at(one, "meta.title"), "reason", json_at(one, "meta.reason"), "group",
		    json_at(one, "meta.group"), "profiles");
		if (json_at(one, "meta.step") != NULL)
			json_object_set(rule, "step", json_at(one, "meta.step"));
		json_array_append_new(rules, rule);
	}
	return rules;
}

json_t *
accept_list(const char *share, struct fault *f)
{
	auto_free char *rule_dir = x_printf("%s/rules", share), *profile_dir = x_printf("%s/profiles", share);
	json_auto_t *names = names_in(rule_dir, ".jq", f), *profiles = names_in(profile_dir, ".json", f), *told = NULL;
	json_t *rules = NULL, *name;
	size_t i;

	if (!fault_is(f))
		told = accept_rules_tell(share, names, f);
	if (told != NULL)
		rules = describe(told);
	json_array_foreach (profiles, i, name)
		if (rules != NULL && note_profile(share, json_string_value(name), rules, f) == -1)
			break;
	if (!fault_is(f))
		return rules;
	json_decref(rules);
	return NULL;
}
