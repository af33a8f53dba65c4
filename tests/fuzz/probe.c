/* fuzz-probe - fuzzes lib/probe_http.c lib/endpoint.c lib/http_head.c */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "http_head.h"
#include "probe_parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A URL, and a HOST:PORT, of any shape. */
static void
read_place(const char *text)
{
	struct endpoint e;
	struct fault f = {0};
	size_t base = 0;

	if (endpoint_parse(text, strlen(text), 0, &e) &&
	    (e.port < 1 || strpbrk(e.host, " /@?#[]%\r\n") != NULL || (strchr(e.host, ':') != NULL && !endpoint_is_plain(&e))))
		abort();
	if (probe_url(text, &e, &base, &f) == 0) {
		if (fault_is(&f) || base > strlen(text) || strpbrk(e.host, " /@?#[]%\r\n") != NULL || e.port < 1 ||
		    memchr(text, '@', base) != NULL)
			abort();
	} else if (f.status != STATUS_TROUBLE)
		abort();
	fault_clear(&f);
}

/* A head and a body, in any shape, held against each of the predicates. */
static void
read_reply(const char *head, size_t head_len, const char *body, size_t body_len)
{
	json_t *header = json_make("{s:s, s:s}", "Content-Type", "json", "X", ""), *member = json_make("{s:s, s:i}", "a.b", "x", "n", 1);
	const struct http_request request = {.header = "X", .keep_head = true, .follow = true};
	const struct probe all[] = {{.url = "http://h/"}, {.url = "http://h/", .header = header}, {.url = "http://h/", .body = "ok"},
	    {.url = "http://h/", .member = member}};
	struct http_reply reply = {.status = head_len > 0 ? 100 + (uint8_t)*head * 2 : 200};
	struct fault f = {0};

	if (head_note(head, head + head_len, &request, &reply) && reply.status / 100 != 3)
		abort();
	buf_add(&reply.body, body, body_len);
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		if ((probe_judge(&all[i], &reply, &f) == -1) != (f.status == STATUS_NO) || strpbrk(f.message, "\r\n\033") != NULL)
			abort();
		if (i == 2 && !fault_is(&f) && memmem(body, body_len, "ok", 2) == NULL)
			abort();
		fault_clear(&f);
	}
	http_free(&reply, 1);
	json_decref(header);
	json_decref(member);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_buf struct buf text = {0}, head = {0};
	const char *end;

	buf_add(&text, data, size);
	/* As http has it: an empty line ends the head, and a NUL stands behind what is there. */
	end = memmem(text.data, text.len, "\r\n\r\n", 4);
	if (end != NULL) {
		buf_add(&head, text.data, (size_t)(end + 4 - text.data));
		read_reply(head.data, head.len, end + 4, (size_t)(text.data + text.len - end - 4));
	}
	text.data[strcspn(text.data, "\n")] = '\0';
	read_place(text.data);
	return 0;
}
