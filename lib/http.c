/* http - requests through the curl program: several in one start, no secret in its arguments or environment */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "http_curl.h"
#include "http_head.h"
#include "id.h"

enum {
	PIECE = 65536,
	HEAD_MAX = 65536,
	MOST = 1 << 20 /* of a reply whose request names no bound */
};

struct http {
	struct curl curl;
	struct http_request *requests; /* owned */
	size_t count, next;
	char mark[ID_RUN + 3]; /* "\n", digits that nobody can guess, "\t": it ends each reply */
	struct buf in;         /* what curl wrote; its first `taken` bytes were handed out */
	size_t taken;
	bool in_body; /* the reply's head was read, its end was not */
	int status;   /* of that reply */
	int code;     /* curl's exit code for the last reply that ended; 0 is whole */
	bool sent;    /* the bytes of its request went out */
	bool ended;   /* curl is no more */
};

static const char *
where(const struct http *h)
{
	return h->curl.server->socket != NULL ? h->curl.server->socket : h->curl.server->base;
}

/* More from curl into the buffer; 0 at its end. */
static ssize_t
fill(struct http *h, struct fault *f)
{
	ssize_t n;

	if (h->ended)
		return 0;
	h->in.len -= h->taken;
	memmove(h->in.data, h->in.data + h->taken, h->in.len);
	h->taken = 0;
	n = curl_read(&h->curl, buf_reserve(&h->in, PIECE), PIECE, f);
	if (n > 0) {
		h->in.len += (size_t)n;
		h->in.data[h->in.len] = '\0';
		return n;
	}
	/* What was asked last may have reached the server, unless curl told otherwise. */
	h->code = curl_end(&h->curl, n == 0);
	h->sent = true;
	h->ended = true;
	return n;
}

static size_t
held(const struct http *h)
{
	return h->in.len - h->taken;
}

/* Curl stopped writing before the reply had its end. */
static int
died(struct http *h, struct fault *f)
{
	h->in_body = false;
	return curl_fault(h->curl.server, h->code, "it was ended", f);
}

/* The mark and what follows up to the newline, at the front of the buffer. */
static int
take_report(struct http *h, struct fault *f)
{
	char *line, *end;

	while ((end = memchr(h->in.data + h->taken + 1, '\n', held(h) - 1)) == NULL) {
		ssize_t n = fill(h, f);

		if (n <= 0)
			return n == 0 ? died(h, f) : -1;
	}
	*end = '\0';
	line = h->in.data + h->taken + strlen(h->mark);
	h->taken = (size_t)(end + 1 - h->in.data);
	h->in_body = false;
	h->code = (int)strtol(line, &line, 10);
	h->sent = strtol(line, &line, 10) > 0;
	/* 22: only that the status is 400 or more. */
	return h->code == 0 || h->code == 22 ? 0 : curl_fault(h->curl.server, h->code, line + 1, f);
}

/* How many bytes at the front of the buffer are the reply's for sure. *END: the mark follows them. */
static size_t
body_length(const struct http *h, bool *end)
{
	const char *start = h->in.data + h->taken;
	const char *mark = memmem(start, held(h), h->mark, strlen(h->mark));
	size_t tail = held(h) < strlen(h->mark) ? held(h) : strlen(h->mark) - 1;

	*end = mark != NULL;
	if (mark != NULL)
		return (size_t)(mark - start);
	while (tail > 0 && memcmp(start + held(h) - tail, h->mark, tail) != 0)
		tail--;
	return held(h) - tail;
}

ssize_t
http_read(struct http *h, void *bytes, size_t len, struct fault *f)
{
	while (h->in_body) {
		bool end;
		size_t n = body_length(h, &end);
		ssize_t more;

		if (n > 0) {
			n = n < len ? n : len;
			memcpy(bytes, h->in.data + h->taken, n);
			h->taken += n;
			return (ssize_t)n;
		}
		if (end)
			return take_report(h, f);
		if ((more = fill(h, f)) <= 0)
			return more == 0 ? died(h, f) : -1;
	}
	return 0;
}

/* Where the head at the front of the buffer ends; 0: not yet. */
static size_t
head_end(const struct http *h)
{
	const char *start = h->in.data + h->taken, *end = memmem(start, held(h), "\r\n\r\n", 4);

	return end == NULL ? 0 : (size_t)(end + 4 - h->in.data);
}

/* The head of a reply, behind those of interim replies (RFC 9110, 15.2) and redirects; or curl's report that there is none. */
static int
take_head(struct http *h, struct http_reply *reply, struct fault *f)
{
	for (;;) {
		size_t end = head_end(h);
		bool followed;
		ssize_t n;

		if (held(h) > 0 && h->in.data[h->taken] == '\n')
			return take_report(h, f) == 0 ? died(h, f) : -1;
		if (end == 0) {
			if (held(h) >= HEAD_MAX)
				return fault_set(f, STATUS_TROUBLE, "reply_too_large",
				    "%s: the head of an answer is larger than %d bytes", where(h), HEAD_MAX);
			if ((n = fill(h, f)) <= 0)
				return n == 0 ? died(h, f) : -1;
			continue;
		}
		h->status = (int)strtol(h->in.data + h->taken + strcspn(h->in.data + h->taken, " "), NULL, 10);
		reply->status = h->status;
		followed = head_note(h->in.data + h->taken, h->in.data + end, &h->requests[h->next], reply);
		h->taken = end;
		if (h->status >= 200 && !followed)
			return 0;
	}
}

/* Are there more replies to come? */
static bool
goes_on(const struct http *h)
{
	return h->next < h->count && (h->next == 0 || h->status < 400 || h->requests[h->next - 1].may_fail);
}

struct http *
http_begin(const struct http_server *server, const struct http_request *requests, size_t count, int64_t deadline,
    struct fault *f)
{
	struct http *h = x_zalloc(1, sizeof *h);
	char digits[ID_RUN + 1];

	h->requests = x_zalloc(count, sizeof *requests);
	memcpy(h->requests, requests, count * sizeof *requests);
	h->count = count;
	id_hex(digits, ID_RUN);
	snprintf(h->mark, sizeof h->mark, "\n%s\t", digits);
	buf_add(&h->in, "", 0);
	if (curl_start(&h->curl, server, requests, count, digits, deadline, f) == 0)
		return h;
	h->ended = true;
	http_end(h);
	return NULL;
}

int
http_next(struct http *h, struct http_reply *reply, struct fault *f)
{
	char skipped[PIECE];
	ssize_t n = 0;

	*reply = (struct http_reply) {0};
	while (h->in_body && (n = http_read(h, skipped, sizeof skipped, f)) > 0)
		;
	if (n == -1)
		return -1;
	if (!goes_on(h))
		return 0;
	h->in_body = true;
	h->curl.idle_ms = h->requests[h->next].idle_ms;
	if (take_head(h, reply, f) == -1) {
		reply->sent = h->sent;
		reply->status = 0;
		return -1;
	}
	h->next++;
	reply->sent = true;
	return 1;
}

int
http_rest(struct http *h, struct buf *body, size_t most, struct fault *f)
{
	ssize_t n;

	buf_add(body, "", 0);
	while ((n = http_read(h, buf_reserve(body, PIECE), PIECE, f)) > 0) {
		body->len += (size_t)n;
		body->data[body->len] = '\0';
		if (body->len > most)
			return fault_set(f, STATUS_TROUBLE, "reply_too_large", "%s: an answer is larger than %zu bytes",
			    where(h), most);
	}
	return (int)n;
}

void
http_end(struct http *h)
{
	if (h == NULL)
		return;
	if (!h->ended)
		curl_end(&h->curl, !h->in_body && !goes_on(h));
	buf_free(&h->in);
	free(h->requests);
	free(h);
}

int
http_collect(struct http *h, struct http_reply *replies, size_t count, struct fault *f)
{
	int answer = h == NULL ? -1 : 1;

	for (size_t i = 0; i < count; i++) {
		size_t most = answer == 1 && goes_on(h) ? h->requests[h->next].most : 0;

		replies[i] = (struct http_reply) {0};
		if (answer == 1)
			answer = http_next(h, &replies[i], f);
		buf_add(&replies[i].body, "", 0);
		if (answer == 1 && http_rest(h, &replies[i].body, most > 0 ? most : MOST, f) == -1) {
			replies[i].status = 0;
			answer = -1;
		}
	}
	return answer == -1 ? -1 : 0;
}

int
http_send(const struct http_server *s, const struct http_request *r, struct http_reply *replies, size_t count,
    int64_t deadline, struct fault *f)
{
	struct http *h = http_begin(s, r, count, deadline, f);
	int status = http_collect(h, replies, count, f);

	http_end(h);
	return status;
}

void
http_free(struct http_reply *replies, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		buf_free(&replies[i].head);
		buf_free(&replies[i].body);
	}
}
