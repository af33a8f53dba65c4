/* ci - what was found, in the forms that CI systems read */

#include <string.h>

#include "ci.h"

static void
no_text(struct buf *b)
{
	(void)b;
}

static void
add_lines(struct buf *b, const struct ci_report *r, bool first)
{
	const json_t *one;
	size_t i;

	(void)first;
	json_array_foreach (r->findings, i, one) {
		json_add_text(b, one);
		buf_text(b, "\n");
	}
}

static const struct ci_format jsonl = {"jsonl", no_text, add_lines, no_text};

const struct ci_format *
ci_find(const char *name)
{
	static const struct ci_format *const formats[] = {&jsonl, &ci_sarif, &ci_junit, &ci_github};

	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		if (strcmp(formats[i]->name, name) == 0)
			return formats[i];
	return NULL;
}

/* What acceptance and the smoke name is always in the bundle, or would have to be. */
static void
add_finding(json_t *all, const json_t *from, const char *tool, const char *code, const char *severity)
{
	const char *path = json_text_at(from, "path"), *message = json_text_at(from, "message");
	json_t *finding = json_make("{s:s, s:s, s:s, s:s, s:b}", "tool", tool, "code", code, "severity", severity,
	    "message", message == NULL ? "?" : message, "owned", path != NULL && *path != '\0');

	if (path != NULL && *path != '\0')
		json_object_set_new(finding, "file", json_string(path));
	json_array_append_new(all, finding);
}

static void
add_acceptance(json_t *all, const json_t *list, const char *severity)
{
	const json_t *one;
	size_t i;

	json_array_foreach (list, i, one) {
		const char *rule = json_text_at(one, "rule");

		add_finding(all, one, "sbx-accept", rule == NULL ? "?" : rule, severity);
	}
}

static void
add_smoke(json_t *all, const json_t *smoke)
{
	const char *status = json_text_at(smoke, "status"), *reason = json_text_at(smoke, "reason");
	const json_t *one;
	size_t i;

	json_array_foreach (json_object_get(smoke, "checks"), i, one) {
		const char *id = json_text_at(one, "id"), *came_to = json_text_at(one, "status");

		if (came_to != NULL && strcmp(came_to, "failed") == 0)
			add_finding(all, one, "smoke", id == NULL ? "?" : id, "error");
	}
	if (status != NULL && strcmp(status, "failed") == 0 && reason != NULL && strcmp(reason, "check_failed") != 0)
		add_finding(all, smoke, "smoke", reason, "error");
}

json_t *
ci_findings(const json_t *line, const json_t *diagnostics)
{
	const json_t *error = json_object_get(line, "error");
	const char *by = json_text_at(error, "by"), *reason = json_text_at(error, "reason");
	const char *message = json_text_at(error, "message");
	json_t *all = json_array();

	add_acceptance(all, json_at(line, "acceptance.failures"), "error");
	add_acceptance(all, json_at(line, "acceptance.warnings"), "warning");
	add_smoke(all, json_object_get(line, "smoke"));
	json_array_extend(all, (json_t *)diagnostics);
	if (error != NULL)
		json_array_append_new(all, json_make("{s:s, s:s, s:s, s:s, s:b}", "tool", by == NULL ? "sbx" : by,
		                               "code", reason == NULL ? "error" : reason, "severity", "error",
		                               "message", message == NULL ? "it failed" : message, "owned", 0));
	return all;
}
