/* http - requests through the curl program: several in one start, no secret in its arguments or environment */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "http_curl.h"
#include "id.h"

enum {
	MOST = 1 << 20,   /* of a reply whose request names no bound */
	REPORT_MAX = 4096 /* of what curl writes behind a reply */
};

static size_t
bound(const struct http_request *r)
{
	return r->most > 0 ? r->most : MOST;
}

/* All that curl writes, until it closes its output. */
static int
read_all(struct curl *c, struct buf *text, size_t most, struct fault *f)
{
	ssize_t n;

	while ((n = curl_read(c, buf_reserve(text, 16384), 16384, f)) > 0) {
		text->len += (size_t)n;
		if (text->len > most)
			return fault_set(f, STATUS_TROUBLE, "reply_too_large",
			    "%s: its answer is larger than %zu bytes",
			    c->server->socket != NULL ? c->server->socket : c->server->base, most);
	}
	return (int)n;
}

/* What curl said about one transfer. */
struct report {
	int code; /* curl's exit code for it */
	char words[256];
};

/* The report behind a reply, as curl_start has it. */
static bool
read_report(char *line, struct http_reply *reply, struct report *report)
{
	char *field[5];

	for (size_t i = 0; i < 5; i++)
		if ((field[i] = strsep(&line, "\t")) == NULL)
			return false;
	reply->status = (int)strtol(field[0], NULL, 10);
	report->code = (int)strtol(field[1], NULL, 10);
	reply->sent = strtol(field[2], NULL, 10) > 0;
	snprintf(reply->header, sizeof reply->header, "%s", field[3]);
	snprintf(report->words, sizeof report->words, "%s", field[4]);
	return true;
}

/* Cut the next reply off the text at *AT, up to and with the report behind it. False when that is not there. */
static bool
take_reply(const struct buf *text, size_t *at, const char *mark, struct http_reply *reply, struct report *report)
{
	char *start = text->data + *at, *line, *end;
	char *mark_at = memmem(start, text->len - *at, mark, strlen(mark));

	if (mark_at == NULL)
		return false;
	line = mark_at + strlen(mark);
	if ((end = memchr(line, '\n', text->len - (size_t)(line - text->data))) == NULL)
		return false;
	*end = '\0';
	buf_add(&reply->body, start, (size_t)(mark_at - start));
	*at = (size_t)(end + 1 - text->data);
	return read_report(line, reply, report);
}

/* Were all requests answered that were to be sent? The first without a report is the one that curl was at
 * when it was ended. */
static int
take_replies(const struct http_server *s, const struct http_request *r, struct http_reply *replies, size_t count,
    const struct buf *text, const char *mark, int exit_code, struct fault *f)
{
	auto_free char *line = x_printf("\n%s\t", mark);
	struct report report = {0};
	size_t at = 0;

	for (size_t i = 0; i < count; i++) {
		if (!take_reply(text, &at, line, &replies[i], &report)) {
			replies[i].sent = true;
			return curl_fault(s, exit_code, "it was ended", f);
		}
		if (replies[i].body.len > bound(&r[i]))
			return fault_set(f, STATUS_TROUBLE, "reply_too_large",
			    "%s: the answer to %s is larger than %zu bytes", s->socket != NULL ? s->socket : s->base,
			    r[i].path, bound(&r[i]));
		if (replies[i].status >= 400 && !r[i].may_fail)
			return 0;
		if (report.code != 0) {
			replies[i].status = 0;
			return curl_fault(s, report.code, report.words, f);
		}
	}
	return 0;
}

int
http_send(const struct http_server *s, const struct http_request *r, struct http_reply *replies, size_t count,
    int64_t deadline, struct fault *f)
{
	auto_buf struct buf text = {0};
	char mark[ID_RUN + 1];
	size_t most = 0;
	struct curl c;
	int status;

	memset(replies, 0, count * sizeof *replies);
	buf_add(&text, "", 0);
	for (size_t i = 0; i < count; i++)
		most += bound(&r[i]) + REPORT_MAX;
	/* Nobody can guess it, so no body can hold it. */
	id_hex(mark, ID_RUN);
	if (curl_start(&c, s, r, count, mark, deadline, f) == -1)
		return -1;
	status = read_all(&c, &text, most, f);
	status |= take_replies(s, r, replies, count, &text, mark, curl_end(&c, status == 0), f);
	for (size_t i = 0; i < count; i++)
		buf_add(&replies[i].body, "", 0);
	return status;
}

void
http_free(struct http_reply *replies, size_t count)
{
	for (size_t i = 0; i < count; i++)
		buf_free(&replies[i].body);
}
