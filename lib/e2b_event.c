/* e2b_event - what a process in a sandbox of E2B tells on its stream */

#include <nettle/base64.h>
#include <stdio.h>
#include <string.h>

#include "e2b_process.h"

static int
malformed(struct fault *f, const char *what)
{
	return fault_set(f, STATUS_TROUBLE, "stream_malformed", "the process stream: %s", what);
}

/* Output comes in base64. */
static int
take_data(struct e2b_reader *r, const json_t *data, const char *name, bool error, struct fault *f)
{
	const char *text = json_text_at(data, name);
	struct base64_decode_ctx state;
	auto_free char *bytes = NULL;
	size_t len;

	if (json_object_get(data, name) == NULL)
		return 0;
	if (text == NULL)
		return malformed(f, "output that is no text");
	len = BASE64_DECODE_LENGTH(strlen(text));
	bytes = x_alloc(len + 1);
	base64_decode_init(&state);
	if (!base64_decode_update(&state, &len, (uint8_t *)bytes, strlen(text), text) || !base64_decode_final(&state))
		return malformed(f, "output that is no base64");
	return r->sink == NULL ? 0 : r->sink(error, bytes, len, r->context, f);
}

/* Members that are zero or false are left out. */
static int
take_end(struct e2b_process *p, const json_t *end, struct fault *f)
{
	const char *words = json_text_at(end, "status");
	int64_t code = json_int_at(end, "exitCode", 0);

	if (p->ended)
		return malformed(f, "a second end");
	if (json_true_at(end, "exited") && (code < 0 || code > 255))
		return malformed(f, "an exit status that can't be one");
	p->ended = true;
	p->exited = json_true_at(end, "exited");
	p->exit_code = (int)code;
	snprintf(p->words, sizeof p->words, "%s", words != NULL ? words : "");
	return 0;
}

static int
take_event(struct e2b_reader *r, const json_t *event, struct fault *f)
{
	const json_t *start = json_object_get(event, "start"), *data = json_object_get(event, "data");
	const json_t *end = json_object_get(event, "end");
	struct e2b_process *p = r->process;

	if (start != NULL) {
		if (p->pid != 0 || (p->pid = json_int_at(start, "pid", 0)) <= 0)
			return malformed(f, "a start without a process, or a second one");
		return 0;
	}
	if ((data != NULL || end != NULL) && p->pid == 0)
		return malformed(f, "something comes before its start");
	if (data != NULL && p->ended)
		return malformed(f, "output after its end");
	if (data != NULL)
		return take_data(r, data, "stdout", false, f) == -1 ? -1 : take_data(r, data, "stderr", true, f);
	return end != NULL ? take_end(p, end, f) : 0;
}

/* The last message: nothing, or why the call came to nothing. */
static int
take_last(const struct e2b_process *p, const json_t *message, struct fault *f)
{
	const char *code = json_text_at(message, "error.code"), *words = json_text_at(message, "error.message");
	bool asked_wrong;

	if (json_object_get(message, "error") == NULL)
		return p->ended ? 0 : malformed(f, "it ends well, and says nothing of the command's end");
	code = code != NULL ? code : "unknown";
	asked_wrong = strcmp(code, "invalid_argument") == 0 || strcmp(code, "permission_denied") == 0 ||
	              strcmp(code, "unauthenticated") == 0;
	return fault_set(f, STATUS_TROUBLE,
	    asked_wrong                               ? "exec_refused"
	    : strcmp(code, "deadline_exceeded") == 0  ? "exec_deadline"
	    : strcmp(code, "resource_exhausted") == 0 ? "exec_limited"
	    : strcmp(code, "unavailable") == 0        ? "sandbox_ended"
	                                              : "exec_failed",
	    "the sandbox's daemon says: %.300s (%.40s)", words != NULL ? words : "nothing", code);
}

int
e2b_process_read(bool last, const char *text, size_t len, void *reader, struct fault *f)
{
	struct e2b_reader *r = reader;
	char why[JSON_ERROR_TEXT_LENGTH];
	json_auto_t *message = json_parse_any(text, len, why);

	if (!json_is_object(message))
		return malformed(f, "a message is no JSON object");
	if (last)
		return take_last(r->process, message, f);
	return take_event(r, json_object_get(message, "event"), f);
}
