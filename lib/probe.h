/* probe - is somebody there, and is it who it should be: TCP and HTTP asked until one absolute deadline */
#ifndef PROBE_H
#define PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "fault.h"
#include "json.h"

struct probe {
	const char *tcp;      /* "HOST:PORT", an IPv6 address in brackets; or NULL */
	const char *url;      /* then this is asked with GET: http:// or https:// */
	const char *host;     /* for its Host header; NULL: what the URL names */
	bool follow;          /* redirects, up to 5 of them */
	int least, most;      /* statuses that are good; 0: 200 to 299 */
	const char *body;     /* a text that the body must hold; NULL: any will do */
	const json_t *header; /* object of texts, borrowed: headers, and what their values must hold; NULL: none */
	const json_t *
	    member; /* object, borrowed: dotted paths into the JSON body, and the values that must be there; NULL: none */
	int good;   /* good answers in a row that are wanted; 0: 1 */
	int64_t each_ms; /* the longest that one ask may take; 0: 2000 */
};

struct probe_tally {
	int64_t attempts;
	int64_t duration_ms;
};

/* Can this be asked at all? `probe_invalid` (2) says what is wrong with it. */
int probe_check(const struct probe *, struct fault *);

/*
 * Ask once, and give 0 for a good answer. Else -1 and a fault. With the status 1 its reason is the part that failed and its message
 * the sentence for people: `refused` (nobody listens there), `timed_out`, `cut` (the connection ended too early: what a proxy does
 * that has nobody behind it), `status`, `host_rejected` (the server wants no such Host), `header`, `body`, `identity` (a member of
 * the JSON is not what it should be). Any other status is trouble: `probe_invalid`, `curl_missing`, `stopped` (a signal, 128+n).
 *
 * Asking by HTTP, or a host that is neither an address nor localhost, starts a program, and then the rules of tree.h hold: a process
 * with other children must ask from a child of its own.
 */
int probe_ask(const struct probe *, int64_t deadline, struct fault *);

/*
 * Ask again and again, until enough good answers came in a row. The pause starts at 10 ms and stays a small part of the time waited
 * so far. At the deadline it gives the fault of the last ask that was not cut short by it.
 */
int probe_wait(const struct probe *, int64_t deadline, struct probe_tally *, struct fault *);

/* {healthy, attempts, duration_ms, failure {part, message}}, the last only where a fault is set. A new reference. */
json_t *probe_report(const struct probe_tally *, const struct fault *);

#endif
