/* e2b_sandbox - a sandbox as the service tells of it: whose it is, what it is for, how its daemon is reached */
#ifndef E2B_SANDBOX_H
#define E2B_SANDBOX_H

#include "e2b.h"

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
	E2B_ANY,  /* whoever made it */
	E2B_LOOK, /* any of ours, in any state */
	E2B_WAKE, /* not those of sealed and unknown purposes, in any state */
	E2B_TOUCH /* the same, and running */
};

/*
 * -1 and a fault: `sandbox_missing`, `sandbox_gone_early`, `sandbox_foreign`, `sandbox_paused`, `purpose_refused` (1), and
 * `account_other` (3) where its absence proves nothing. e2b_leave either way.
 */
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

/* Is its metadata that of a sandbox of this store's making? */
bool e2b_is_ours(const struct site *, const json_t *detail);

/* Sealed and unknown purposes are neither offline nor ordinary enough for anything but their end. */
bool e2b_is_ordinary(const char *purpose);

/* The time of day, in milliseconds, that a text of the service tells (RFC 3339 in UTC, any number of decimals); -1 for others. */
int64_t e2b_time(const char *);

/* Profiles speak of the workspace by the image's own path: a text in which that is SANDBOX_WORKDIR instead. The caller frees it. */
char *e2b_place(const struct site *, const char *text);

/* The same of a path; a relative one is in the workspace. */
char *e2b_inside(const struct site *, const char *path);

#endif
