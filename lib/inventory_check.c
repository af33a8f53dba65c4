/* inventory_check - is a task inventory what sbx-inventory(5) says, and is what was carried out what was approved? */

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "digest.h"
#include "inventory.h"

enum {
	TASKS_MOST = 1000,
	PATHS_MOST = 200, /* of a task: a line has room for them */
	TEXT_MOST = 256   /* bytes of an id, a type, a path */
};

struct check {
	const char *file;
	struct fault *fault;
	json_t *ids;    /* owned: the tasks' ids, as the keys of an object */
	json_t *owners; /* owned: who owns a path */
};

static int __attribute__((format(printf, 2, 3))) wrong(const struct check *c, const char *format, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof text, format, ap);
	va_end(ap);
	return fault_set(c->fault, STATUS_TROUBLE, "inventory_invalid", "%s: %s", c->file, text);
}

static int
check_members(const struct check *c, const json_t *object, const char *where, const char *const known[])
{
	const json_t *value;
	const char *key;

	if (!json_is_object(object))
		return wrong(c, "%s: must be an object", where);
	json_object_foreach ((json_t *)object, key, value) {
		size_t i;

		for (i = 0; known[i] != NULL && strcmp(known[i], key) != 0; i++)
			;
		if (known[i] == NULL)
			return wrong(c, "%s: '%s' is not one of its members", where, key);
	}
	for (size_t i = 0; known[i] != NULL; i++)
		if (json_object_get(object, known[i]) == NULL)
			return wrong(c, "%s: '%s' is missing", where, known[i]);
	return 0;
}

static int
check_text(const struct check *c, const json_t *value, const char *where)
{
	const char *text = json_string_value(value);

	if (text == NULL || *text == '\0' || strlen(text) > TEXT_MOST)
		return wrong(c, "%s: must be a text of 1 to %d bytes", where, TEXT_MOST);
	for (const char *p = text; *p != '\0'; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			return wrong(c, "%s: must hold no control character", where);
	return 0;
}

static int
check_path(const struct check *c, const char *path)
{
	const char *part = path;

	if (strpbrk(path, "\\:*?[") != NULL)
		return wrong(c, "owned_paths: '%s' is no file of a bundle: it holds one of \\ : * ? [", path);
	for (;;) {
		size_t n = strcspn(part, "/");

		if (n == 0 || (n == 1 && part[0] == '.') || (n == 2 && part[0] == '.' && part[1] == '.'))
			return wrong(c, "owned_paths: '%s' has an empty part, or . or ..", path);
		if (part[n] == '\0')
			return 0;
		part += n + 1;
	}
}

static int
check_owned(const struct check *c, const json_t *paths, const char *id)
{
	const json_t *path;
	size_t i;

	if (!json_is_array(paths))
		return wrong(c, "task %s: owned_paths must be an array", id);
	if (json_array_size(paths) > PATHS_MOST)
		return wrong(c, "task %s: more than %d owned_paths", id, PATHS_MOST);
	json_array_foreach (paths, i, path) {
		const char *other;

		if (check_text(c, path, "owned_paths") == -1 || check_path(c, json_string_value(path)) == -1)
			return -1;
		if ((other = json_text_at(json_object_get(c->owners, json_string_value(path)), "id")) != NULL)
			return wrong(c, "'%s' is owned twice, by %s and by %s: a path has one owner",
			    json_string_value(path), other, id);
		json_object_set_new(c->owners, json_string_value(path), json_make("{s:s}", "id", id));
	}
	return 0;
}

static int
check_task(const struct check *c, const json_t *task)
{
	static const char *const members[] = {
	    "task_id", "task_type", "initial_agent", "owned_paths", "depends_on", NULL};
	const char *id;

	if (check_members(c, task, "plan: a task", members) == -1 ||
	    check_text(c, json_object_get(task, "task_id"), "task_id") == -1 ||
	    check_text(c, json_object_get(task, "task_type"), "task_type") == -1 ||
	    check_text(c, json_object_get(task, "initial_agent"), "initial_agent") == -1)
		return -1;
	id = json_text_at(task, "task_id");
	if (json_object_get(c->ids, id) != NULL)
		return wrong(c, "task %s stands there twice: ids are unique", id);
	json_object_set_new(c->ids, id, json_true());
	return check_owned(c, json_object_get(task, "owned_paths"), id);
}

/* Once all ids are known. */
static int
check_order(const struct check *c, const json_t *task)
{
	const json_t *list = json_object_get(task, "depends_on"), *other;
	const char *id = json_text_at(task, "task_id");
	size_t i;

	if (!json_is_array(list))
		return wrong(c, "task %s: depends_on must be an array", id);
	json_array_foreach (list, i, other) {
		const char *name = json_string_value(other);

		if (name == NULL || json_object_get(c->ids, name) == NULL)
			return wrong(c, "task %s: depends_on '%s', and there is no such task", id,
			    name == NULL ? "(no text)" : name);
		if (strcmp(name, id) == 0)
			return wrong(c, "task %s: it depends on itself", id);
	}
	return 0;
}

static int
check_plan(const struct check *c, const json_t *plan)
{
	const json_t *task;
	size_t i;

	if (!json_is_array(plan) || json_array_size(plan) == 0 || json_array_size(plan) > TASKS_MOST)
		return wrong(c, "plan: must be an array of 1 to %d tasks", TASKS_MOST);
	json_array_foreach (plan, i, task)
		if (check_task(c, task) == -1)
			return -1;
	json_array_foreach (plan, i, task)
		if (check_order(c, task) == -1)
			return -1;
	return 0;
}

/* What was approved, what its digest says was approved, and what was carried out: one and the same. */
static int
check_approval(const struct check *c, const json_t *root)
{
	const json_t *plan = json_object_get(root, "plan");
	const char *recorded = json_text_at(root, "plan_sha256");
	uint8_t expected[DIGEST_BYTES], real[DIGEST_BYTES];
	char hex[DIGEST_TEXT];

	if (recorded == NULL || !digest_parse(recorded, expected))
		return wrong(c, "plan_sha256: must be 64 hexadecimal digits");
	json_digest(plan, hex);
	digest_parse(hex, real);
	if (!digest_equal(real, expected))
		return wrong(c, "plan: its SHA-256 is %s, and %s was approved", hex, recorded);
	if (!json_equal(plan, json_object_get(root, "executed")))
		return wrong(c, "executed: not the plan that was approved");
	return 0;
}

static bool
is_one_of(const char *word, const char *const words[])
{
	for (; *words != NULL; words++)
		if (word != NULL && strcmp(word, *words) == 0)
			return true;
	return false;
}

static int
check_evidence(const struct check *c, const json_t *evidence)
{
	static const char *const statuses[] = {"accepted", "rejected", "failed", NULL};
	static const char *const recoveries[] = {"possible", "attempted", NULL};
	const json_t *value;
	const char *id;

	if (!json_is_object(evidence))
		return wrong(c, "evidence: must be an object");
	json_object_foreach ((json_t *)evidence, id, value) {
		const json_t *recovery = json_object_get(value, "recovery");

		if (json_object_get(c->ids, id) == NULL)
			return wrong(c, "evidence: there is no task '%s'", id);
		if (!is_one_of(json_text_at(value, "status"), statuses))
			return wrong(c, "evidence: %s: status must be accepted, rejected or failed", id);
		if (recovery != NULL && !is_one_of(json_string_value(recovery), recoveries))
			return wrong(c, "evidence: %s: recovery must be possible or attempted", id);
		if (json_object_size(value) != (recovery == NULL ? 1 : 2))
			return wrong(c, "evidence: %s: it has status and recovery, and no other member", id);
	}
	return 0;
}

int
inventory_check(const json_t *root, const char *file, struct fault *f)
{
	static const char *const members[] = {
	    "sbx_inventory", "series", "plan", "plan_sha256", "executed", "evidence", NULL};
	json_auto_t *ids = json_object(), *owners = json_object();
	const struct check c = {file, f, ids, owners};

	if (check_members(&c, root, "the inventory", members) == -1)
		return -1;
	if (json_int_at(root, "sbx_inventory", 0) != 1)
		return wrong(&c, "sbx_inventory: must be 1");
	if (check_text(&c, json_object_get(root, "series"), "series") == -1 ||
	    check_plan(&c, json_object_get(root, "plan")) == -1 || check_approval(&c, root) == -1)
		return -1;
	return check_evidence(&c, json_object_get(root, "evidence"));
}
