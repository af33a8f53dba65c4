/* http_curl - the curl program at work for http: its configuration and its process */
#ifndef HTTP_CURL_H
#define HTTP_CURL_H

#include <sys/types.h>

#include "http.h"
#include "tree.h"

struct curl {
	const struct http_server *server;
	struct tree tree;
	int out; /* what curl writes */
	int64_t deadline;
	int64_t idle_ms; /* of the reply that is being read; 0: any silence is borne */
	int *bodies;     /* descriptors that hold request bodies; ends with -1 */
};

/*
 * Start curl on the requests. For each it writes the heads and the body of the reply as they come, and then
 * "\nMARK\tEXIT\tSENT\tWORDS\n": its exit code for this request, the bytes of the request that went out, its words.
 */
int curl_start(struct curl *, const struct http_server *, const struct http_request *, size_t count, const char *mark,
    int64_t deadline, struct fault *);

/* Like read(2); -1 with a fault at the deadline or when a signal asks to stop. */
ssize_t curl_read(struct curl *, void *bytes, size_t len, struct fault *);

/* End curl and give its exit status. FINISH: it closed its output, so give it the time to end by itself. */
int curl_end(struct curl *, bool finish);

/* Fill the fault from curl's exit code and its words; returns -1. */
int curl_fault(const struct http_server *, int code, const char *words, struct fault *);

#endif
