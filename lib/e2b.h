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

/* The reply's JSON, a new reference; a fault and NULL when it is none. */
json_t *e2b_json(const struct http_reply *, struct fault *);

/*
 * Fill the fault from a reply that says no: `key_refused`, `access_refused`, `sandbox_missing` (1), `sandbox_limit` and
 * `rate_limited` and `sandbox_busy` (75), else REASON (2). Returns -1.
 */
int e2b_refused(const struct http_reply *, const char *reason, const char *subject, struct fault *);

/* A sandbox as the service tells of it (GET /sandboxes/ID), looked at without changing anything of it. */
struct e2b_sandbox {
	json_t *detail; /* owned; NULL under -n */
	char id[64];
	char *base; /* owned: URL of its daemon */
	struct http_server server;
	char port[8];
	struct http_header headers[6]; /* for the daemon; room for two more */
	char token[E2B_TOKEN];
};

/* What a verb is for; a sandbox whose purpose does not allow it, or is not known, is refused: `purpose_refused` (1). */
enum e2b_use {
	E2B_ANY,     /* whoever made it */
	E2B_LOOK,    /* any of ours, in any state */
	E2B_WAKE,    /* not those of sealed and unknown purposes, in any state */
	E2B_TOUCH,   /* the same, and running */
	E2B_COMMANDS /* those of app_validation alone, and running (sbx(7), the boundary) */
};

/* -1 and a fault: `sandbox_missing`, `sandbox_foreign`, `sandbox_paused`, `purpose_refused` (1). e2b_leave either way. */
int e2b_look(struct e2b *, const char *id, enum e2b_use, struct e2b_sandbox *, struct fault *);
void e2b_leave(struct e2b_sandbox *);
#define auto_sandbox __attribute__((cleanup(e2b_leave)))

/* The same from a detail that was read already; takes the reference. */
int e2b_see(struct e2b *, json_t *detail, enum e2b_use, struct e2b_sandbox *, struct fault *);

/* http_begin for the sandbox's daemon. All its headers are those of the sandbox, and more where a request has its own. */
struct http *e2b_begin(
    struct e2b *, struct e2b_sandbox *, struct http_request *, size_t count, int64_t deadline, struct fault *);

/* The line's `sandbox` member from what the service tells, in a list or of one; a new reference. */
json_t *e2b_member(const struct e2b *, const json_t *detail);

/* A value of its metadata, borrowed, or NULL. */
const char *e2b_metadata(const json_t *detail, const char *name);

/* Does an older server, which lacks the newer of two calls, answer so? */
bool e2b_lacks(const struct http_reply *);

/* Is its metadata that of a sandbox of this store's making? */
bool e2b_is_ours(const struct site *, const json_t *detail);

/* Sealed and unknown purposes are neither offline nor ordinary enough for anything but their end. */
bool e2b_is_ordinary(const char *purpose);

/*
 * All sandboxes, running and paused, whose metadata has each of those "name=value", page after page; a new reference to an array,
 * or NULL and a fault.
 */
json_t *e2b_find(struct e2b *, const char *const *words, size_t count, int64_t deadline, struct fault *);

/* End what the service has under that id, or under our own name when ID is NULL, and look until it is gone. */
struct e2b_target {
	const char *id, *name; /* either may be NULL */
	const char *account;   /* where it was made; NULL or "": here */
	bool expected;         /* the service may still be making it: that it is not there yet proves nothing */
};
enum gone e2b_end(struct e2b *, const struct e2b_target *, struct fault *);

/* The time of day, in milliseconds, that a text of the service tells (RFC 3339 in UTC, any number of decimals); -1 for others. */
int64_t e2b_time(const char *);

/* A path inside the sandbox: a relative one is in the workspace, and so is what lies in the image's own. The caller frees it. */
char *e2b_inside(const struct site *, const char *path);

/* The verbs. */
json_t *e2b_create(const struct site *, const struct sandbox_request *, struct fault *);
json_t *e2b_connect(const struct site *, const char *id, struct fault *);
json_t *e2b_put(const struct site *, const char *id, int tar_fd, const json_t *manifest, struct fault *);
int e2b_get(const struct site *, const char *id, const char *path, int out_fd, struct fault *);
int e2b_exec(const struct site *, const struct exec_request *, struct exec_result *, struct fault *);
json_t *e2b_url(const struct site *, const char *id, int port, struct fault *);
json_t *e2b_extend(const struct site *, const char *id, int64_t lifetime_ms, struct fault *);
enum gone e2b_rm(const struct site *, const char *id, const char *engine, struct fault *);
enum gone e2b_sweep(const struct site *, const char *run, struct fault *);
enum gone e2b_orphans(const struct site *, struct fault *);
json_t *e2b_list(const struct site *, const char *const *words, size_t count, struct fault *);

#endif
