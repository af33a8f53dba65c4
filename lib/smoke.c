/* smoke - what the runtime smoke told of a running app, as the line has it */

#include <string.h>

#include "plain.h"
#include "smoke.h"

enum {
	CHECKS = 200,
	MESSAGE = 700,           /* bytes of a sentence */
	MESSAGES_ALL = 16 << 10, /* of them together: a line has room for that however they are escaped */
	ID = 100,
	SKIPPED_EXIT = 2
};

/* What was told so far. */
struct told {
	json_t *checks;
	const json_t *staged;
	json_t *end;  /* the last event, owned; NULL: none came */
	size_t bytes; /* of messages */
	size_t passed, failed;
};

static bool
is(const json_t *event, const char *member, const char *wanted)
{
	const char *found = json_text_at(event, member);

	return found != NULL && strcmp(found, wanted) == 0;
}

static json_t *
plain(const char *text, size_t most)
{
	auto_buf struct buf b = {0};

	buf_text(&b, "");
	plain_add(&b, text, strlen(text), most);
	return json_stringn(b.data, b.len);
}

static void
add_message(struct told *t, json_t *to, const json_t *event)
{
	const char *message = json_text_at(event, "message");

	if (message == NULL || t->bytes > MESSAGES_ALL)
		return;
	t->bytes += strlen(message) < MESSAGE ? strlen(message) : MESSAGE;
	json_object_set_new(to, "message", plain(message, MESSAGE));
}

static void
add_check(struct told *t, const json_t *event)
{
	static const char *const known[] = {"passed", "failed", "skipped"};
	const char *id = json_text_at(event, "id"), *status = NULL, *path = json_text_at(event, "path");
	json_t *name = path == NULL ? NULL : json_object_get(t->staged, path), *check;

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (is(event, "status", known[i]))
			status = known[i];
	if (id == NULL || status == NULL)
		return;
	t->passed += strcmp(status, "passed") == 0;
	t->failed += strcmp(status, "failed") == 0;
	if (json_array_size(t->checks) == CHECKS)
		return;
	check = json_make("{s:o, s:s}", "id", plain(id, ID), "status", status);
	if (name != NULL)
		json_object_set(check, "path", name);
	add_message(t, check, event);
	json_array_append_new(t->checks, check);
}

static void
take_line(struct told *t, const char *text, size_t len)
{
	char why[JSON_ERROR_TEXT_LENGTH];
	json_t *event = json_parse(text, len, why);

	if (is(event, "event", "check"))
		add_check(t, event);
	if (is(event, "event", "end")) {
		json_decref(t->end);
		t->end = json_incref(event);
	}
	json_decref(event);
}

static void
take_lines(struct told *t, const struct buf *out)
{
	for (size_t at = 0; at < out->len;) {
		const char *line = out->data + at, *newline = memchr(line, '\n', out->len - at);
		size_t len = newline == NULL ? out->len - at : (size_t)(newline - line);

		take_line(t, line, len);
		at += len + 1;
	}
}

static const char *
status_of(const struct told *t, const struct exec_result *result)
{
	if (result->exit_code == 0 && is(t->end, "status", "passed") && t->passed > 0 && t->failed == 0)
		return "passed";
	if (result->exit_code == SKIPPED_EXIT && is(t->end, "status", "skipped") && t->failed == 0)
		return "skipped";
	return "failed";
}

/* The end of what it wrote where people would look for the cause, on one line. */
static json_t *
last_words(const struct exec_result *result)
{
	size_t len = result->err.len, at;

	while (len > 0 && result->err.data[len - 1] == '\n')
		len--;
	for (at = len; at > 0 && result->err.data[at - 1] != '\n';)
		at--;
	return json_lossy(result->err.data == NULL ? "" : result->err.data + at, len - at);
}

/* It was ended, or ended without an answer, or its answer and its status differ. */
static void
add_end(json_t *smoke, const struct exec_result *result)
{
	json_auto_t *words = last_words(result);

	if (result->timed_out)
		json_object_update_new(smoke, json_make("{s:s, s:s}", "reason", "smoke_timed_out", "message",
		                                  "it did not come to an end within its time limit"));
	else
		json_object_update_new(
		    smoke, json_make("{s:s, s:o}", "reason", "smoke_unfinished", "message",
		               plain_sentence("it ended with status %d and without an answer%s%s", result->exit_code,
		                   *json_string_value(words) == '\0' ? "" : ": ", json_string_value(words))));
}

json_t *
smoke_read(const struct exec_result *result, const json_t *staged)
{
	struct told t = {.checks = json_array(), .staged = staged};
	const char *status;
	json_t *smoke;

	take_lines(&t, &result->out);
	status = status_of(&t, result);
	smoke = json_make("{s:s}", "status", status);
	if (is(t.end, "status", status)) {
		const char *reason = json_text_at(t.end, "reason");

		if (reason != NULL)
			json_object_set_new(smoke, "reason", plain(reason, ID));
		add_message(&t, smoke, t.end);
	} else
		add_end(smoke, result);
	json_object_update_new(smoke, json_make("{s:o, s:i, s:I}", "checks", t.checks, "exit_code", result->exit_code,
	                                  "duration_ms", (json_int_t)result->duration_ms));
	json_decref(t.end);
	return smoke;
}

bool
smoke_is(const json_t *line, const char *status)
{
	return is(line, "smoke.status", status);
}

const char *
smoke_message(const json_t *line)
{
	const char *message = json_text_at(line, "smoke.message");

	return message == NULL ? "it does not say why" : message;
}
