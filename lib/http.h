/* http - requests through the curl program: several in one start, no secret in its arguments or environment */
#ifndef HTTP_H
#define HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "fault.h"

struct http_server {
	const char *socket; /* a local unix socket, or NULL */
	const char *base;   /* "http://localhost/v1.41": put before each path */
};

struct http_request {
	const char *method;
	const char *path;
	const char *type; /* content type of the body, or NULL */
	const void *body; /* len bytes in memory; NULL: none */
	size_t len;
	int body_fd;   /* a file to send instead, when there is no body and this is above 0 */
	size_t most;   /* bytes of reply that are accepted; 0: 1 MiB */
	bool may_fail; /* a status of 400 and above does not keep the later requests from being sent */
};

struct http_reply {
	int status;      /* 0: the request was not sent, or got no answer */
	bool sent;       /* the request may have reached the server */
	struct buf body; /* ends in NUL */
};

/*
 * Send COUNT requests, one after the other over one connection, and fill as many replies, which the caller frees with
 * http_free. A status of 400 or more stops the rest unless the request may fail. Returns 0 when each request that was to be
 * sent got its answer, whatever its status. Else -1 and a fault: reason `service_refused` (nothing was sent), `service_timeout`,
 * `service_cut` or `reply_too_large`; the replies tell how far it came.
 */
int http_send(const struct http_server *, const struct http_request *, struct http_reply *, size_t count,
    int64_t deadline, struct fault *);

void http_free(struct http_reply *, size_t count);

/*
 * Send one request and hand the body over as it comes: SINK gets each piece and returns 0, or -1 with its own fault to stop. The
 * reply's body holds only what came with a status of 400 or more.
 */
typedef int http_sink(const char *bytes, size_t len, void *context, struct fault *);

int http_stream(const struct http_server *, const struct http_request *, http_sink *, void *context,
    struct http_reply *, int64_t deadline, struct fault *);

#endif
