/* profile_check - the shape of a profile's file, as sbx-profile(5) says it */

#include <ctype.h>
#include <string.h>

#include "exec.h"
#include "name.h"
#include "profile.h"

/* One file under check; the first thing that is wrong is told. */
struct check {
	const char *file;
	struct fault *fault;
};

static int
wrong(const struct check *c, const char *where, const char *what)
{
	return fault_set(c->fault, STATUS_TROUBLE, "profile_invalid", "%s: %s: %s", c->file, where, what);
}

/* Are the members of OBJECT all in NAMES, which ends in NULL? */
static int
known_members(const struct check *c, const json_t *object, const char *where, const char *const *names)
{
	const char *key;
	json_t *value;

	if (!json_is_object(object))
		return wrong(c, where, "must be an object");
	json_object_foreach ((json_t *)object, key, value) {
		size_t i = 0;

		while (names[i] != NULL && strcmp(names[i], key) != 0)
			i++;
		if (names[i] == NULL)
			return fault_set(c->fault, STATUS_TROUBLE, "profile_invalid",
			    "%s: %s: has an unknown member '%s'", c->file, where, key);
	}
	return 0;
}

static bool
is_text(const json_t *value)
{
	return json_string_length(value) > 0;
}

static int
check_texts(const struct check *c, const json_t *array, const char *where)
{
	const json_t *value;
	size_t i;

	if (!json_is_array(array))
		return wrong(c, where, "must be an array");
	json_array_foreach (array, i, value)
		if (!is_text(value))
			return wrong(c, where, "must hold texts that are not empty");
	return 0;
}

/* A path that ends in SUFFIX, and is a portable name without it. */
static bool
is_path_with(const json_t *value, const char *suffix)
{
	const char *text = json_string_value(value);
	size_t len = json_string_length(value), end = strlen(suffix);

	return text != NULL && len > end && strcmp(text + len - end, suffix) == 0 &&
	       name_check(text, len - end) == RULE_NONE;
}

static int
check_layout(const struct check *c, const json_t *layout)
{
	static const char *const flat[] = {"flat", NULL}, *const mapped[] = {"app_prefix", "keep", NULL};
	const json_t *keep = json_object_get(layout, "keep"), *value;
	size_t i;

	if (json_object_get(layout, "flat") != NULL) {
		if (!json_true_at(layout, "flat"))
			return wrong(c, "layout.flat", "must be true where it is there");
		return known_members(c, layout, "layout", flat);
	}
	if (known_members(c, layout, "layout", mapped) == -1)
		return -1;
	if (!is_path_with(json_object_get(layout, "app_prefix"), "/"))
		return wrong(c, "layout.app_prefix", "must be a relative path that ends in a slash");
	if (check_texts(c, keep, "layout.keep") == -1)
		return -1;
	json_array_foreach (keep, i, value)
		if (!is_path_with(value, "/**") && !is_path_with(value, ""))
			return wrong(c, "layout.keep", "must hold relative paths, and directories followed by /**");
	return 0;
}

static int
check_integer(const struct check *c, const json_t *value, const char *where, json_int_t least, json_int_t most)
{
	json_int_t n = json_integer_value(value);

	if (json_is_integer(value) && n >= least && n <= most)
		return 0;
	return fault_set(c->fault, STATUS_TROUBLE, "profile_invalid",
	    "%s: %s: must be a whole number from %lld to %lld", c->file, where, (long long)least, (long long)most);
}

static int
check_owner(const struct check *c, const json_t *owner)
{
	static const char *const names[] = {"uid", "gid", NULL};

	if (known_members(c, owner, "owner", names) == -1 ||
	    check_integer(c, json_object_get(owner, "uid"), "owner.uid", 0, 65534) == -1)
		return -1;
	return check_integer(c, json_object_get(owner, "gid"), "owner.gid", 0, 65534);
}

/* A profile can only lower what bundles may hold. */
static int
check_limits(const struct check *c, const json_t *limits)
{
	static const char *const names[] = {"input_bytes", "entries", "entry_bytes", "total_bytes", "ratio", NULL};
	const uint64_t most[] = {LIMITS_DEFAULT.input_bytes, LIMITS_DEFAULT.entries, LIMITS_DEFAULT.entry_bytes,
	    LIMITS_DEFAULT.total_bytes, LIMITS_DEFAULT.ratio};

	if (limits == NULL)
		return 0;
	if (known_members(c, limits, "limits", names) == -1)
		return -1;
	for (size_t i = 0; names[i] != NULL; i++) {
		const json_t *value = json_object_get(limits, names[i]);

		if (value != NULL && check_integer(c, value, names[i], 1, (json_int_t)most[i]) == -1)
			return -1;
	}
	return 0;
}

static int
check_env(const struct check *c, const json_t *env)
{
	struct fault why = {0};

	if (env != NULL && !json_is_object(env))
		return wrong(c, "env", "must be an object");
	return env == NULL || exec_check_env(env, &why) == 0 ? 0 : wrong(c, "env", why.message);
}

static bool
is_id(const json_t *value)
{
	const char *text = json_string_value(value);

	return is_text(value) && strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_-") == strlen(text);
}

/* What a step stands on in the image; the paths go to a shell, so they hold nothing that it would read. */
static int
check_needs(const struct check *c, const json_t *needs, const char *where)
{
	const json_t *path;
	size_t i;

	if (needs != NULL && !json_is_array(needs))
		return wrong(c, where, "needs must be an array");
	json_array_foreach (needs, i, path) {
		const char *text = json_string_value(path);

		if (!is_text(path) || *text != '/' || strpbrk(text, "'\\\n") != NULL)
			return wrong(c, where, "needs must hold absolute paths without quotes and backslashes");
	}
	return 0;
}

static int
check_step(const struct check *c, const json_t *step)
{
	static const char *const names[] = {"id", "title", "command", "cwd", "limit_s", "needs", NULL};
	const char *cwd = json_text_at(step, "cwd");

	if (known_members(c, step, "steps", names) == -1)
		return -1;
	if (!is_id(json_object_get(step, "id")))
		return wrong(c, "steps", "id must be lower-case letters, digits, underscores and hyphens");
	if (!is_text(json_object_get(step, "title")) || !is_text(json_object_get(step, "command")))
		return wrong(c, "steps", "title and command must be texts that are not empty");
	if (cwd == NULL || cwd[0] != '/')
		return wrong(c, "steps", "cwd must be an absolute path");
	if (check_needs(c, json_object_get(step, "needs"), "steps") == -1)
		return -1;
	return check_integer(c, json_object_get(step, "limit_s"), "steps: limit_s", 1, 86400);
}

static int
check_smoke(const struct check *c, const json_t *smoke)
{
	static const char *const names[] = {"title", "command", "limit_s", "needs", "claims", NULL};

	if (smoke == NULL)
		return 0;
	if (known_members(c, smoke, "smoke", names) == -1)
		return -1;
	if (!is_text(json_object_get(smoke, "title")) || !is_text(json_object_get(smoke, "command")))
		return wrong(c, "smoke", "title and command must be texts that are not empty");
	if (check_needs(c, json_object_get(smoke, "needs"), "smoke") == -1 ||
	    check_texts(c, json_object_get(smoke, "claims"), "smoke: claims") == -1)
		return -1;
	return check_integer(c, json_object_get(smoke, "limit_s"), "smoke: limit_s", 1, 86400);
}

bool
profile_is_rule(const char *name)
{
	return *name >= 'a' && *name <= 'z' && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(name);
}

static int
check_rules(const struct check *c, const json_t *rules)
{
	const json_t *rule;
	size_t i;

	if (rules == NULL)
		return 0;
	if (check_texts(c, rules, "rules") == -1)
		return -1;
	json_array_foreach (rules, i, rule) {
		if (!profile_is_rule(json_string_value(rule)))
			return wrong(c, "rules", "must be names of lower-case letters, digits and underscores");
		for (size_t k = 0; k < i; k++)
			if (json_equal(json_array_get(rules, k), rule))
				return wrong(c, "rules", "one stands there twice");
	}
	return 0;
}

static int
check_steps(const struct check *c, const json_t *steps, bool smoke)
{
	const json_t *step;
	size_t i;

	if (!json_is_array(steps))
		return wrong(c, "steps", "must be an array");
	json_array_foreach (steps, i, step) {
		if (check_step(c, step) == -1)
			return -1;
		if (smoke && strcmp(json_text_at(step, "id"), "smoke") == 0)
			return wrong(c, "steps", "none can be called smoke beside the smoke");
		for (size_t k = 0; k < i; k++)
			if (json_equal(json_object_get(json_array_get(steps, k), "id"), json_object_get(step, "id")))
				return wrong(c, "steps", "two have the same id");
	}
	return 0;
}

int
profile_check(const json_t *root, const char *file, struct fault *f)
{
	static const char *const names[] = {"name", "title", "canonical", "layout", "owner", "limits",
	    "needs_acceptance", "env", "rules", "smoke", "steps", "claims", "not_claimed", NULL};
	const struct check c = {file, f};

	if (known_members(&c, root, "the profile", names) == -1)
		return -1;
	if (!is_text(json_object_get(root, "name")) || !is_text(json_object_get(root, "title")))
		return wrong(&c, "name and title", "must be texts that are not empty");
	if (!json_is_boolean(json_object_get(root, "canonical")) ||
	    !json_is_boolean(json_object_get(root, "needs_acceptance")))
		return wrong(&c, "canonical and needs_acceptance", "must be true or false");
	if (check_layout(&c, json_object_get(root, "layout")) == -1 ||
	    check_owner(&c, json_object_get(root, "owner")) == -1 ||
	    check_limits(&c, json_object_get(root, "limits")) == -1 ||
	    check_env(&c, json_object_get(root, "env")) == -1 ||
	    check_rules(&c, json_object_get(root, "rules")) == -1 ||
	    check_smoke(&c, json_object_get(root, "smoke")) == -1 ||
	    check_steps(&c, json_object_get(root, "steps"), json_object_get(root, "smoke") != NULL) == -1 ||
	    check_texts(&c, json_object_get(root, "claims"), "claims") == -1)
		return -1;
	return check_texts(&c, json_object_get(root, "not_claimed"), "not_claimed");
}
