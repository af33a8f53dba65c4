/* template_build - have E2B build a template: send the files, start the build, follow it */

#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "clock.h"
#include "template_parts.h"

static int64_t
call_deadline(const struct template_build *b)
{
	int64_t soon = clock_deadline(E2B_CALL_MS);

	return soon < b->deadline ? soon : b->deadline;
}

int
template_call(struct e2b *e, const struct template_build *b, const char *method, const char *path, const json_t *body,
    struct http_reply *reply, struct fault *f)
{
	auto_buf struct buf text = {0};
	struct http_request r = {.method = method, .path = path, .most = E2B_LIST_MOST};

	if (body != NULL) {
		json_add_text(&text, body);
		r.type = "application/json";
		r.body = text.data;
		r.len = text.len;
	}
	return e2b_send(e, &r, reply, 1, call_deadline(b), f);
}

bool
template_is_good(const struct http_reply *reply)
{
	return reply->status >= 200 && reply->status < 300;
}

int
template_refused(const struct http_reply *reply, const char *reason, const char *subject, struct fault *f)
{
	char why[JSON_ERROR_TEXT_LENGTH];
	json_auto_t *answer = NULL;
	const char *message;

	if (reply->status == 401 || reply->status == 403 || reply->status == 429)
		return e2b_refused(reply, reason, subject, f);
	answer = json_parse_any(reply->body.data, reply->body.len, why);
	message = json_text_at(answer, "message");
	return fault_set(f, STATUS_TROUBLE, reason, "%s: the service says: %.400s (%d)", subject,
	    message != NULL ? message : "nothing", reply->status);
}

/* An id of the service's, which becomes part of a path. */
static int
take_id(const json_t *answer, const char *name, char *id, size_t size, struct fault *f)
{
	const char *text = json_text_at(answer, name);

	if (text == NULL || *text == '\0' || strlen(text) >= size ||
	    text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")] != '\0')
		return fault_set(f, STATUS_TROUBLE, "e2b_reply_invalid", "the service's answer has no %s", name);
	strcpy(id, text);
	return 0;
}

static int
request(struct e2b *e, struct template_build *b, struct fault *f)
{
	json_auto_t *body =
	    json_make("{s:s, s:I, s:I}", "name", b->name, "cpuCount", b->cpu_count, "memoryMB", b->memory_mb);
	json_auto_t *answer = NULL;
	struct http_reply reply = {0};
	int status = template_call(e, b, "POST", "/v3/templates", body, &reply, f);

	if (reply.sent && (reply.status == 0 || reply.status >= 500))
		b->state = "unknown";
	if (status == 0 && !template_is_good(&reply))
		status = template_refused(&reply, "template_refused", b->name, f);
	else if (status == 0) {
		b->state = "unknown";
		answer = e2b_json(&reply, f);
		status = answer == NULL ? -1 : take_id(answer, "templateID", b->template_id, sizeof b->template_id, f);
		if (status == 0)
			status = take_id(answer, "buildID", b->build_id, sizeof b->build_id, f);
	}
	http_free(&reply, 1);
	if (status == 0) {
		b->state = "waiting";
		cli_warn("%s: template %s, build %s", b->name, b->template_id, b->build_id);
	}
	return status;
}

int
template_build(struct e2b *e, struct template_build *b, struct fault *f)
{
	json_t *step;
	size_t i;

	if (request(e, b, f) == -1)
		return -1;
	json_array_foreach (json_object_get(b->spec, "steps"), i, step)
		if (strcmp(json_text_at(step, "type"), "COPY") == 0 && template_send(e, b, step, f) == -1)
			return -1;
	return template_start(e, b, f) == -1 ? -1 : template_follow(e, b, f);
}
