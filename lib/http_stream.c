/* http_stream - one reply of the curl program, read as it comes */

#include <stdlib.h>
#include <string.h>

#include "http_curl.h"

enum {
	PIECE = 16384,
	HEAD_MAX = 65536,
	ERROR_MAX = 65536
};

struct http_stream {
	struct curl curl;
	struct buf head; /* the head, and what came with it of the body */
	size_t taken;    /* of it, by the head and by readers */
	struct buf error;
	int status;
	bool ended; /* curl is no more */
};

/* From curl itself. Its end counts as the end of the reply only when it says that the reply was whole. */
static ssize_t
read_more(struct http_stream *s, void *bytes, size_t len, struct fault *f)
{
	ssize_t n = s->ended ? 0 : curl_read(&s->curl, bytes, len, f);

	if (n <= 0 && !s->ended) {
		int code = curl_end(&s->curl, n == 0);

		s->ended = true;
		if (n == 0 && code != 0)
			return curl_fault(s->curl.server, code, "the reply is not whole", f);
	}
	return n;
}

/* Where the head of the reply ends, behind those of interim replies (RFC 9110, 15.2). 0: not yet. */
static size_t
head_end(struct http_stream *s)
{
	for (size_t at = 0;;) {
		char *start = s->head.data + at;
		char *end = memmem(start, s->head.len - at, "\r\n\r\n", 4);

		if (end == NULL)
			return 0;
		s->status = (int)strtol(start + strcspn(start, " "), NULL, 10);
		at = (size_t)(end + 4 - s->head.data);
		if (s->status >= 200)
			return at;
	}
}

static int
read_head(struct http_stream *s, struct fault *f)
{
	buf_add(&s->head, "", 0);
	while ((s->taken = head_end(s)) == 0) {
		char piece[PIECE];
		ssize_t n = read_more(s, piece, sizeof piece, f);

		if (n == -1)
			return -1;
		if (n == 0 || s->head.len > HEAD_MAX)
			return curl_fault(s->curl.server, 52, "no head of a reply came", f);
		buf_add(&s->head, piece, (size_t)n);
	}
	return 0;
}

static int
read_error(struct http_stream *s, struct fault *f)
{
	char piece[PIECE];
	ssize_t n;

	buf_add(&s->error, s->head.data + s->taken, s->head.len - s->taken);
	s->taken = s->head.len;
	while ((n = read_more(s, piece, sizeof piece, f)) > 0)
		if (s->error.len < ERROR_MAX)
			buf_add(&s->error, piece, (size_t)n);
	return (int)n;
}

struct http_stream *
http_open(const struct http_server *server, const struct http_request *r, int64_t deadline, struct fault *f)
{
	struct http_stream *s = x_zalloc(1, sizeof *s);

	if (curl_start(&s->curl, server, r, 1, NULL, deadline, f) == -1) {
		free(s);
		return NULL;
	}
	if (read_head(s, f) == 0 && (s->status < 400 || read_error(s, f) == 0))
		return s;
	http_close(s);
	return NULL;
}

int
http_status(const struct http_stream *s)
{
	return s->status;
}

const struct buf *
http_error(const struct http_stream *s)
{
	return &s->error;
}

ssize_t
http_read(struct http_stream *s, void *bytes, size_t len, struct fault *f)
{
	size_t n = s->head.len - s->taken;

	if (n == 0)
		return read_more(s, bytes, len, f);
	if (n > len)
		n = len;
	memcpy(bytes, s->head.data + s->taken, n);
	s->taken += n;
	return (ssize_t)n;
}

void
http_close(struct http_stream *s)
{
	if (s == NULL)
		return;
	if (!s->ended)
		curl_end(&s->curl, false);
	buf_free(&s->head);
	buf_free(&s->error);
	free(s);
}
