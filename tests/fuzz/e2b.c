/* fuzz-e2b - fuzzes lib/envelope.c lib/e2b_event.c lib/e2b_body.c lib/e2b_call.c lib/e2b_list.c lib/e2b_sandbox.c */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "e2b_body.h"
#include "e2b_process.h"
#include "envelope.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint8_t seen; /* what comes out is looked at, so that a sanitizer sees each byte read */

static int
take(bool error, const char *bytes, size_t len, void *context, struct fault *f)
{
	const struct e2b_process *p = context;

	(void)f;
	seen ^= error;
	for (size_t i = 0; i < len; i++)
		seen ^= (uint8_t)bytes[i];
	/* Output belongs to a process that runs. */
	if (p->pid <= 0 || p->ended)
		abort();
	return 0;
}

/* A stream, cut into pieces of STEP bytes; what it came to. */
static int
read_stream(const char *bytes, size_t len, size_t step, struct e2b_process *p)
{
	struct e2b_reader reader = {p, take, p};
	struct envelope stream = {0};
	struct fault f = {0};
	int status = 0;

	*p = (struct e2b_process) {0};
	for (size_t at = 0; at < len && status == 0; at += step)
		status = envelope_take(
		    &stream, bytes + at, len - at < step ? len - at : step, e2b_process_read, &reader, &f);
	if (status == 0)
		status = envelope_end(&stream, &f);
	if ((status == 0) == fault_is(&f) || (status == 0 && !p->ended))
		abort();
	envelope_free(&stream);
	fault_clear(&f);
	return status;
}

/* What the service tells of a sandbox, in any shape. */
static void
read_detail(const char *bytes, size_t len)
{
	static const struct site site = {.e2b = {.key = "e2b_0", .domain = "example.com", .workdir = "/workspace"}};
	static const struct sandbox_request request = {.run = "r", .purpose = "sealed_candidate_preview"};
	struct e2b e = {.site = &site};
	struct e2b_sandbox s = {0};
	struct fault f = {0};
	char why[JSON_ERROR_TEXT_LENGTH];
	json_auto_t *asked = e2b_body(&e, &request, "sbx-0", 60000, false);
	json_t *detail = json_parse_any(bytes, len, why);

	if (detail == NULL)
		return;
	if (e2b_confirm(asked, request.purpose, detail, &f) == 0 &&
	    (!json_is_false(json_at(detail, "allowInternetAccess")) ||
	        !json_is_false(json_at(detail, "network.allowPublicTraffic"))))
		abort();
	fault_clear(&f);
	json_decref(e2b_member(&e, detail));
	/* Nothing that could break out of a header or a URL gets through. */
	if (e2b_see(&e, detail, E2B_ANY, &s, &f) == 0 &&
	    (strpbrk(s.id, "\r\n/?#@ ") != NULL || strpbrk(s.token, "\r\n ") != NULL ||
	        strpbrk(s.base, "\r\n@? ") != NULL))
		abort();
	e2b_leave(&s);
	fault_clear(&f);
}

/* A refusal of each kind with those bytes for its body: always a fault, with a sentence that is one line. */
static void
read_refusals(const struct buf *body)
{
	static const int statuses[] = {400, 401, 403, 404, 405, 409, 429, 500, 502, 503};

	for (size_t i = 0; i < 2 * sizeof statuses / sizeof *statuses; i++) {
		struct http_reply reply = {.status = statuses[i / 2], .retry_after = i % 2, .body = *body};
		struct fault f = {0};

		if (e2b_refused(&reply, "fuzzed", "subject", &f) != -1 || f.status == 0 ||
		    strpbrk(f.message, "\r\n\033") != NULL)
			abort();
		if ((reply.status == 429) != (f.retry_after_ms > 0 && f.status == STATUS_LATER && reply.status != 409))
			abort();
		seen ^= e2b_lacks(&reply);
		fault_clear(&f);
	}
}

/* What a page of a list holds can be shown, and nothing is in it that is no sandbox. */
static void
read_page(const struct buf *body)
{
	static const struct site site = {.e2b = {.key = "e2b_0", .domain = "example.com", .workdir = "/workspace"}};
	const struct http_reply reply = {.status = 200, .body = *body};
	const struct e2b e = {.site = &site};
	struct fault f = {0};
	json_t *all = json_array(), *one;
	size_t i;

	if ((e2b_page(&reply, all, &f) == 0) == fault_is(&f))
		abort();
	json_array_foreach (all, i, one) {
		json_t *member = e2b_member(&e, one);

		if (json_text_at(member, "id") == NULL)
			abort();
		seen ^= e2b_is_ours(&site, one);
		json_decref(member);
	}
	json_decref(all);
	fault_clear(&f);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct e2b_process whole, pieces;
	const char *bytes = (const char *)data;
	auto_buf struct buf body = {0};

	if (read_stream(bytes, size, size == 0 ? 1 : size, &whole) != read_stream(bytes, size, 3, &pieces) ||
	    whole.pid != pieces.pid || whole.ended != pieces.ended || whole.exit_code != pieces.exit_code)
		abort();
	read_detail(bytes, size);
	buf_add(&body, bytes, size);
	read_refusals(&body);
	read_page(&body);
	return 0;
}
