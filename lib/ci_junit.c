/* ci_junit - JUnit's XML: a test suite for each report, a test case for each check of it */

#include <string.h>

#include "ci.h"
#include "x.h"

/* What became of a check, in the order of the counts below. */
enum outcome {
	PASSED,
	FAILED,
	ERROR, /* it could not be carried out */
	SKIPPED,
	OUTCOMES
};

static const char *const elements[] = {[FAILED] = "failure", [ERROR] = "error", [SKIPPED] = "skipped"};

struct suite {
	struct buf cases;
	int count[OUTCOMES];
};

static void
begin(struct buf *b)
{
	buf_text(b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"sbx\">\n");
}

static void
end(struct buf *b)
{
	buf_text(b, "</testsuites>\n");
}

/* Characters that XML 1.0 (2.2) does not know at all become U+FFFD; TEXT is UTF-8. A reader would change the SPECIAL ones. */
static void
add_escaped(struct buf *b, const char *text, const char *special)
{
	for (; *text != '\0'; text++) {
		unsigned char c = (unsigned char)*text;

		if (strchr(special, c) != NULL)
			buf_printf(b, "&#%d;", c);
		else if ((c < 0x20 && c != '\t' && c != '\n') || c == 0x7f)
			buf_text(b, "\ufffd");
		else if (strncmp(text, "\xef\xbf\xbe", 3) == 0 || strncmp(text, "\xef\xbf\xbf", 3) == 0) {
			buf_text(b, "\ufffd");
			text += 2;
		} else
			buf_add(b, text, 1);
	}
}

static void
add_attribute(struct buf *b, const char *name, const char *value)
{
	buf_printf(b, " %s=\"", name);
	add_escaped(b, value == NULL ? "" : value, "&<>\"\t\n\r");
	buf_text(b, "\"");
}

static void
add_case(
    struct suite *s, const char *group, const char *name, enum outcome outcome, const char *message, const char *text)
{
	s->count[outcome]++;
	buf_text(&s->cases, "    <testcase");
	add_attribute(&s->cases, "classname", group);
	add_attribute(&s->cases, "name", name);
	if (outcome == PASSED) {
		buf_text(&s->cases, "/>\n");
		return;
	}
	buf_printf(&s->cases, ">\n      <%s", elements[outcome]);
	add_attribute(&s->cases, "message", message);
	buf_text(&s->cases, ">");
	add_escaped(&s->cases, text, "&<>\r");
	buf_printf(&s->cases, "</%s>\n    </testcase>\n", elements[outcome]);
}

/* "file:3:7: error: message [tool code]", for people. */
static void
add_finding(struct buf *b, const json_t *one)
{
	const char *file = json_text_at(one, "file"), *code = json_text_at(one, "code"),
	           *tool = json_text_at(one, "tool");
	const char *severity = json_text_at(one, "severity"), *message = json_text_at(one, "message");
	int64_t line = json_int_at(one, "line", 0), column = json_int_at(one, "column", 0);

	if (file != NULL)
		buf_text(b, file);
	if (file != NULL && line > 0)
		buf_printf(b, ":%lld", (long long)line);
	if (file != NULL && line > 0 && column > 0)
		buf_printf(b, ":%lld", (long long)column);
	buf_printf(b, "%s%s: %s [%s%s%s]\n", file == NULL ? "" : ": ", severity == NULL ? "error" : severity,
	    message == NULL ? "" : message, tool == NULL ? "?" : tool, code == NULL ? "" : " ",
	    code == NULL ? "" : code);
}

/* Has a test case of its own for what this tool finds. */
static bool
stands_alone(const char *tool)
{
	return tool != NULL && (strcmp(tool, "sbx-accept") == 0 || strcmp(tool, "smoke") == 0);
}

/* The findings of TOOL, or where it is NULL those of all tools without a case of their own, as text; how many errors are among them. */
static int
add_findings(struct buf *b, const json_t *findings, const char *wanted)
{
	const json_t *one;
	int errors = 0;
	size_t i;

	buf_text(b, "");
	json_array_foreach (findings, i, one) {
		const char *tool = json_text_at(one, "tool"), *severity = json_text_at(one, "severity");

		if (wanted == NULL ? stands_alone(tool) : tool == NULL || strcmp(tool, wanted) != 0)
			continue;
		add_finding(b, one);
		errors += severity != NULL && strcmp(severity, "error") == 0;
	}
	return errors;
}

/* A gate that passed, failed, or has no answer, with what TOOL found. */
static void
add_gate(struct suite *s, const struct ci_report *r, const char *name, const char *tool)
{
	const json_t *gate = json_object_get(r->line, name);
	const char *status = json_text_at(gate, "status");
	auto_buf struct buf text = {0};

	if (gate == NULL)
		return;
	add_findings(&text, r->findings, tool);
	add_case(s, name, name,
	    status != NULL && strcmp(status, "passed") == 0   ? PASSED
	    : status != NULL && strcmp(status, "failed") == 0 ? FAILED
	                                                      : SKIPPED,
	    status, text.data);
}

static enum outcome
outcome_of(const char *status)
{
	static const struct {
		const char *status;
		enum outcome outcome;
	} known[] = {{"passed", PASSED}, {"failed", FAILED}, {"timed_out", FAILED}, {"not_run", SKIPPED}};

	for (size_t i = 0; status != NULL && i < sizeof known / sizeof *known; i++)
		if (strcmp(status, known[i].status) == 0)
			return known[i].outcome;
	return ERROR;
}

/* The first step that did not pass is what the diagnostics are about: the steps after it did not run. */
static void
add_steps(struct suite *s, const struct ci_report *r, const char *diagnostics)
{
	const json_t *steps = json_object_get(r->line, "steps"), *step;
	const char *text = diagnostics;
	size_t i;

	json_array_foreach (steps, i, step) {
		const char *id = json_text_at(step, "id"), *status = json_text_at(step, "status");
		enum outcome outcome = outcome_of(status);

		add_case(s, "steps", id, outcome, status, outcome == SKIPPED ? "" : text);
		if (outcome == FAILED || outcome == ERROR)
			text = "";
	}
}

static void
add(struct buf *b, const struct ci_report *r, bool first)
{
	const char *reason = json_text_at(r->line, "error.reason");
	auto_buf struct buf text = {0};
	struct suite s = {0};
	int errors = add_findings(&text, r->findings, NULL);
	auto_free char *message = x_printf("%d error%s", errors, errors == 1 ? "" : "s");

	(void)first;
	add_gate(&s, r, "acceptance", "sbx-accept");
	add_gate(&s, r, "smoke", "smoke");
	add_steps(&s, r, text.data);
	if (json_object_get(r->line, "error") != NULL)
		add_case(&s, "sbx", json_text_at(r->line, "error.by"), ERROR, reason, text.data);
	if (r->line == NULL)
		add_case(&s, "log", r->name, errors > 0 ? FAILED : PASSED, message, text.data);
	buf_text(b, "  <testsuite");
	add_attribute(b, "name", r->name);
	buf_printf(b, " tests=\"%d\" failures=\"%d\" errors=\"%d\" skipped=\"%d\">\n",
	    s.count[PASSED] + s.count[FAILED] + s.count[ERROR] + s.count[SKIPPED], s.count[FAILED], s.count[ERROR],
	    s.count[SKIPPED]);
	buf_add(b, s.cases.data, s.cases.len);
	buf_text(b, "  </testsuite>\n");
	buf_free(&s.cases);
}

const struct ci_format ci_junit = {"junit", begin, add, end};
