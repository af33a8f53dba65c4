/* http - requests through the curl program: several in one start, no secret in its arguments or environment */
#ifndef HTTP_H
#define HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "buf.h"
#include "fault.h"

struct http_server {
	const char *socket; /* a local unix socket, or NULL */
	const char *base;   /* "http://localhost": put before each path */
};

struct http_request {
	const char *method;
	const char *path;
	const char *type; /* content type of the body, or NULL */
	const void *body; /* len bytes in memory; NULL: none */
	size_t len;
	int body_fd;        /* a file to send instead, when there is no body and this is above 0 */
	size_t most;        /* bytes of reply that are accepted; 0: 1 MiB */
	bool may_fail;      /* a status of 400 and above does not keep the later requests from being sent */
	const char *header; /* a header of the reply that is wanted, or NULL */
};

struct http_reply {
	int status;      /* 0: the request was not sent, or got no answer */
	bool sent;       /* the request may have reached the server */
	char header[64]; /* what was wanted; "" when it was not there */
	struct buf body; /* ends in NUL */
};

/*
 * Send COUNT requests, one after the other over one connection, and fill as many replies, which the caller frees with
 * http_free. A status of 400 or more stops the rest unless the request may fail. Returns 0 when each request that was to be
 * sent got its answer, whatever its status. Else -1 and a fault: reason `service_refused` (nothing was sent), `service_timeout`,
 * `service_cut`, `reply_too_large` or `stopped` (a signal; 128+n); the replies tell how far it came.
 */
int http_send(const struct http_server *, const struct http_request *, struct http_reply *, size_t count,
    int64_t deadline, struct fault *);

void http_free(struct http_reply *, size_t count);

/* Print the curl command that would send these requests, for people to read and to run. */
void http_show(const struct http_server *, const struct http_request *, size_t count);

/*
 * One reply as it comes. NULL and a fault when no head of a reply came. Of a status of 400 or more the body is in http_error, and
 * http_read gives nothing. http_read gives at most LEN bytes, 0 at the end, -1 with the fault when the reply was cut short.
 */
struct http_stream;

struct http_stream *http_open(
    const struct http_server *, const struct http_request *, int64_t deadline, struct fault *);
int http_status(const struct http_stream *);
const struct buf *http_error(const struct http_stream *);
ssize_t http_read(struct http_stream *, void *bytes, size_t len, struct fault *);
void http_close(struct http_stream *);

#endif
