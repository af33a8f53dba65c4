/* fuzz-verdict - fuzzes lib/verdict.c lib/judge.c lib/acceptance.c lib/problem.c lib/result.c lib/ending.c lib/claims.c */

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "verdict.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool
is(const json_t *line, const char *path, const char *word)
{
	const char *text = json_text_at(line, path);

	return text != NULL && strcmp(text, word) == 0;
}

/* Whatever a line says: ready only with what ready needs, and who is not ready is told whether that is the end. */
static void
check(const json_t *line, int status)
{
	bool ready = json_true_at(line, "verdict.ready");

	if (ready != is(line, "verdict.readiness", "ready") || ready != (status == STATUS_YES) ||
	    json_true_at(line, "result.success") != is(line, "result.validation_status", "passed") ||
	    !json_is_null(json_at(line, "result.preview_url")))
		abort();
	if (ready &&
	    (!is(line, "verdict.gates.build", "passed") || json_object_get(line, "error") != NULL ||
	        json_array_size(json_object_get(line, "steps")) == 0 || is(line, "acceptance.status", "failed") ||
	        (json_object_get(line, "sandbox") != NULL && !json_true_at(line, "teardown.confirmed"))))
		abort();
	if (json_true_at(line, "verdict.ends") != (json_text_at(line, "verdict.message") != NULL))
		abort();
}

/* A store that can't be opened is met each time: nothing may be asked then, and nothing may depend on it. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct verdict_site site = {
	    .state = "/dev/null", .share = "share", .scrub = {"/dev/null", NULL}, .place = "/dev/null"};
	char why[JSON_ERROR_TEXT_LENGTH];
	struct fault f = {0};
	struct line l = {0};
	json_t *again;

	cli_quiet = true;
	if (!line_take(&l, (const char *)data, size, why))
		return 0;
	if (json_object_get(l.root, "result") == NULL && json_object_get(l.root, "verdict") == NULL) {
		int status = verdict_work(&l, &site, &f);

		if (l.text.len > LINE_MAX_BYTES || (again = json_parse(l.text.data, l.text.len, why)) == NULL)
			abort();
		check(again, status);
		json_decref(again);
	}
	fault_clear(&f);
	json_decref(l.root);
	buf_free(&l.text);
	return 0;
}
