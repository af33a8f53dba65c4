/* e2b - the parts of the E2B provider: calls of its control plane and of the daemon in each sandbox (e2b.dev/docs) */
#ifndef E2B_H
#define E2B_H

#include "http.h"
#include "provider.h"

extern const struct provider e2b_provider;

enum {
	E2B_CALL_MS = 60000,   /* for a call that only reads or changes something small */
	E2B_CREATE_MS = 90000, /* the service itself gives up before: 70 s for the work, 75 s for its answer */
	E2B_TOKEN = 129,       /* the most that a token may have, with the NUL */
	E2B_LIST_MOST = 16 << 20
};

/* A talk with the service. Start from {.site = …}; e2b_open fills the rest. */
struct e2b {
	const struct site *site;
	char *api;        /* owned: URL of the control plane */
	char account[96]; /* which service and key: what it does not know is gone only where it was made */
	struct http_header headers[2];
};

/* Check the settings: `e2b_key_missing`, `setting_invalid` (2). e2b_close either way. */
int e2b_open(struct e2b *, const struct site *, struct fault *);
void e2b_close(struct e2b *);
#define auto_e2b __attribute__((cleanup(e2b_close)))

/*
 * http_send for the control plane, with the key. Where the service asks for a wait (429 with Retry-After) that the deadline has
 * room for, the calls are repeated, since none of them was carried out. Requests that are only to be shown are, and the
 * fault is `dry` (0).
 */
int e2b_send(struct e2b *, struct http_request *, struct http_reply *, size_t count, int64_t deadline, struct fault *);

/* Wait; -1 and the fault `stopped` when a signal asks to stop. */
int e2b_wait(int64_t ms, struct fault *);

/* The reply's JSON, a new reference; a fault and NULL when it is none. */
json_t *e2b_json(const struct http_reply *, struct fault *);

/*
 * Fill the fault from a reply that says no: `key_refused`, `access_refused`, `sandbox_missing` (1), `sandbox_limit` and
 * `rate_limited` and `sandbox_busy` (75), else REASON (2). Returns -1.
 */
int e2b_refused(const struct http_reply *, const char *reason, const char *subject, struct fault *);

/* Does an older server, which lacks the newer of two calls, answer so? */
bool e2b_lacks(const struct http_reply *);

/*
 * All sandboxes, running and paused, whose metadata has each of those "name=value", page after page; a new reference to an array,
 * or NULL and a fault.
 */
json_t *e2b_find(struct e2b *, const char *const *words, size_t count, int64_t deadline, struct fault *);

/* What a reply to such a call holds, onto the array ALL: 0, or -1 and a fault: `e2b_reply_invalid`, `list_failed` or those of e2b_refused. */
int e2b_page(const struct http_reply *, json_t *all, struct fault *);

/* End what the service has under that id, or under our own name when ID is NULL, and look until it is gone. */
struct e2b_target {
	const char *id, *name; /* either may be NULL */
	const char *account;   /* where it was made; NULL or "": here */
	bool expected;         /* the service may still be making it: that it is not there yet proves nothing */
};
enum gone e2b_end(struct e2b *, const struct e2b_target *, struct fault *);

#endif
