/* e2b_body - what the service is asked for when a sandbox is made, and whether that is what it gave */
#ifndef E2B_BODY_H
#define E2B_BODY_H

#include "e2b.h"

/*
 * Before anything is asked: `purpose_unknown`, `template_unpinned`, `env_refused`, `env_invalid`, `metadata_reserved` (2). A sealed
 * candidate gets no values from outside, and runs on what one build of a template made.
 */
int e2b_check_request(const struct e2b *, const struct sandbox_request *, struct fault *);

/* The body of the request under that name of our own; SECURE for the older of the two calls. A new reference. */
json_t *e2b_body(
    const struct e2b *, const struct sandbox_request *, const char *name, int64_t lifetime_ms, bool secure);

/*
 * Compare what was asked with what the service tells of the sandbox: `isolation_missing`, `lifetime_clamped`,
 * `e2b_reply_invalid` (2). What a sealed or offline sandbox depends on counts as missing unless it is told.
 */
int e2b_confirm(const json_t *asked, const char *purpose, const json_t *detail, struct fault *);

#endif
