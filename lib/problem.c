/* problem - what is wrong with a bundle, one sentence each, as repair and the end of the run see it */

#include <stdlib.h>
#include <string.h>

#include "problem.h"
#include "smoke.h"
#include "x.h"

struct list {
	json_t *problems; /* owned by who asked */
	const struct scrub *scrub;
	size_t bytes;
};

static const char *
text(const json_t *value, const char *path)
{
	const char *found = json_text_at(value, path);

	return found == NULL ? "" : found;
}

static bool
is_error(const json_t *diagnostic)
{
	return strcmp(text(diagnostic, "severity"), "error") == 0;
}

static bool
has_error(const json_t *problems, const char *error)
{
	const json_t *one;
	size_t i;

	json_array_foreach (problems, i, one)
		if (strcmp(text(one, "error"), error) == 0)
			return true;
	return false;
}

static json_t *
add(struct list *l, const char *path, const char *message)
{
	auto_free char *whole = x_printf("%s%s%s", path, *path == '\0' ? "" : ": ", message);
	auto_buf struct buf b = {0};
	json_t *problem;

	scrub_add(&b, l->scrub, whole, PROBLEM_BYTES);
	l->bytes += b.len + strlen(path);
	if (b.len == 0 || json_array_size(l->problems) == PROBLEM_MOST || l->bytes > PROBLEM_ALL_BYTES ||
	    has_error(l->problems, b.data))
		return NULL;
	problem = json_make("{s:o}", "error", json_lossy(b.data, b.len));
	json_array_append_new(l->problems, problem);
	return problem;
}

/* What has a message, and maybe a path: what acceptance found, or what the gates say. */
static void
add_messages(struct list *l, const json_t *messages)
{
	const json_t *one;
	size_t i;

	json_array_foreach (messages, i, one) {
		const char *path = text(one, "path");
		json_t *problem = add(l, path, text(one, "message"));

		if (problem != NULL && *path != '\0')
			json_object_set_new(problem, "path", json_string(path));
	}
}

/* Checks of the smoke that failed; where it came to no end, that too. */
static void
add_smoke(struct list *l, const json_t *smoke)
{
	json_auto_t *failed = json_array();
	json_t *one;
	size_t i;

	json_array_foreach (json_object_get(smoke, "checks"), i, one)
		if (strcmp(text(one, "status"), "failed") == 0)
			json_array_append(failed, one);
	add_messages(l, failed);
	if (strcmp(text(smoke, "reason"), "check_failed") != 0) {
		auto_free char *message = x_printf("the runtime smoke failed: %s", text(smoke, "message"));

		add(l, "", message);
	}
}

static void
add_diagnostics(struct list *l, const json_t *diagnostics)
{
	const json_t *one;
	size_t i;

	json_array_foreach (diagnostics, i, one) {
		const char *file = text(one, "file");
		json_t *problem = is_error(one) ? add(l, file, text(one, "message")) : NULL;

		if (problem == NULL || *file == '\0')
			continue;
		if (json_true_at(one, "owned"))
			json_object_set_new(problem, "path", json_string(file));
		else
			json_object_set_new(problem, "foreign", json_true());
	}
}

static void
add_sentences(struct list *l, const json_t *sentences)
{
	const json_t *one;
	size_t i;

	json_array_foreach (sentences, i, one)
		add(l, "", json_string_value(one));
}

json_t *
problem_list(const json_t *line, const struct judgement *j, const struct scrub *scrub)
{
	struct list l = {.problems = json_array(), .scrub = scrub};

	if (strcmp(text(line, "acceptance.status"), "failed") == 0)
		add_messages(&l, json_at(line, "acceptance.failures"));
	else if (smoke_is(line, "failed"))
		add_smoke(&l, json_object_get(line, "smoke"));
	else if (j->build == BUILD_FAILED && !j->infrastructure)
		add_diagnostics(&l, json_object_get(line, "diagnostics"));
	if (json_array_size(l.problems) == 0)
		add_sentences(&l, j->errors);
	if (json_array_size(l.problems) == 0)
		add_messages(&l, j->reasons);
	return l.problems;
}

json_t *
problem_errors(const json_t *problems)
{
	json_t *errors = json_array();
	const json_t *one;
	size_t i;

	json_array_foreach (problems, i, one)
		json_array_append(errors, json_object_get(one, "error"));
	return errors;
}

static int
compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void
problem_fingerprint(const char *subject, const json_t *errors, char hex[static DIGEST_TEXT])
{
	size_t n = json_array_size(errors);
	auto_free const char **sorted = x_zalloc(n + 1, sizeof *sorted);
	json_auto_t *list = json_array();

	for (size_t i = 0; i < n; i++)
		sorted[i] = json_string_value(json_array_get(errors, i));
	qsort(sorted, n, sizeof *sorted, compare_texts);
	json_array_append_new(list, json_string(subject));
	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, json_string(sorted[i]));
	json_digest(list, hex);
}

json_t *
problem_parsed(const json_t *line, const struct scrub *scrub)
{
	const json_t *diagnostics = json_object_get(line, "diagnostics"), *one;
	json_t *parsed = json_array();
	size_t i, bytes = 0;

	json_array_foreach (diagnostics, i, one) {
		auto_buf struct buf message = {0};
		json_t *made;

		scrub_add(&message, scrub, text(one, "message"), PROBLEM_BYTES);
		bytes += message.len + strlen(text(one, "file"));
		if (!is_error(one) || json_array_size(parsed) == PROBLEM_MOST || bytes > PROBLEM_ALL_BYTES)
			continue;
		made = json_make("{s:o}", "message", json_lossy(message.data, message.len));
		if (*text(one, "file") != '\0')
			json_object_set(made, "file", json_object_get(one, "file"));
		if (json_is_integer(json_object_get(one, "line")))
			json_object_set(made, "line", json_object_get(one, "line"));
		if (json_is_integer(json_object_get(one, "column")))
			json_object_set(made, "column", json_object_get(one, "column"));
		json_array_append_new(parsed, made);
	}
	return parsed;
}
