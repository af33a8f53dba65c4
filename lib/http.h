/* http - requests through the curl program: several in one start, no secret in its arguments or environment */
#ifndef HTTP_H
#define HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "buf.h"
#include "fault.h"

struct http_server {
	const char *socket; /* a local unix socket, or NULL */
	const char *base;   /* "http://localhost": put before each path */
};

/* A header of a request. Values go to curl with its configuration, on a descriptor, and hold no control characters. */
struct http_header {
	const char *name;
	const char *value;
	const char *shown; /* for http_show, what stands there instead of a secret: "$NAME"; NULL: it is none */
};

struct http_request {
	const char *method;
	const char *path;
	const char *type; /* content type of the body, or NULL */
	const void *body; /* len bytes in memory; NULL: none */
	size_t len;
	int body_fd;        /* a file to send instead, when there is no body and this is above 0 */
	size_t most;        /* bytes of reply that are accepted; 0: 1 MiB; not for what http_read reads */
	bool may_fail;      /* a status of 400 and above does not keep the later requests from being sent */
	const char *header; /* a header of the reply that is wanted, or NULL */
	bool keep_head;     /* the whole head of the reply is wanted: http_free frees it */
	bool follow;        /* redirects, up to 5, to http and https alone: the reply is the last one's */
	const struct http_header *headers; /* to be sent besides; ends with a NULL name; NULL: none */
	int64_t idle_ms;                   /* the longest silence in this reply that is borne; 0: any */
};

enum {
	HTTP_HEADER = 256 /* bytes of a wanted header that are kept, with the NUL */
};

struct http_reply {
	int status;               /* 0: the request was not sent, or got no answer */
	bool sent;                /* the request may have reached the server */
	char header[HTTP_HEADER]; /* what was wanted; "" when it was not there */
	int retry_after;          /* seconds, where the reply says so (RFC 9110, 10.2.3); 0: it does not */
	struct buf head;          /* from its status line on, where that was wanted */
	struct buf body;          /* ends in NUL */
};

/*
 * Send COUNT requests, one after the other over one connection, and fill as many replies, which the caller frees with
 * http_free. A status of 400 or more stops the rest unless the request may fail. Returns 0 when each request that was to be
 * sent got its answer, whatever its status. Else -1 and a fault: reason `service_refused` (nothing was sent), `service_timeout`,
 * `service_silent`, `service_cut`, `reply_too_large` or `stopped` (a signal; 128+n); the replies tell how far it came.
 */
int http_send(const struct http_server *, const struct http_request *, struct http_reply *, size_t count,
    int64_t deadline, struct fault *);

void http_free(struct http_reply *, size_t count);

/*
 * The same, reply by reply and as it comes. What the requests point to is needed until http_end. http_next skips what is
 * unread of the reply before and waits for the head of the next one: 1, or 0 when no more are to come, or -1 and a fault; the
 * reply's body stays empty. http_read gives at most LEN bytes of its body, 0 at the end, -1 and a fault when it was cut short.
 */
struct http;

struct http *http_begin(
    const struct http_server *, const struct http_request *, size_t count, int64_t deadline, struct fault *);
int http_next(struct http *, struct http_reply *, struct fault *);
ssize_t http_read(struct http *, void *bytes, size_t len, struct fault *);
void http_end(struct http *);

/* Fill the next COUNT replies as http_send does. */
int http_collect(struct http *, struct http_reply *, size_t count, struct fault *);

/* What is left of the reply's body, into BODY; reply_too_large when it is more than MOST bytes. */
int http_rest(struct http *, struct buf *body, size_t most, struct fault *);

/* Print the curl command that would send these requests, for people to read and to run. */
void http_show(const struct http_server *, const struct http_request *, size_t count, FILE *);

/* Append TEXT as it must be written inside a URL's query (RFC 3986). */
void http_escape(struct buf *, const char *text);

#endif
