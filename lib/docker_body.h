/* docker_body - what the Engine is asked for when a sandbox is made, and whether that is what it gave */
#ifndef DOCKER_BODY_H
#define DOCKER_BODY_H

#include "docker.h"

/* The body of POST /containers/create. DEADLINE is the RFC 3339 text of when the lifetime ends. A new reference. */
json_t *docker_body(const struct docker *, const struct sandbox_request *, int64_t lifetime_ms, const char *deadline);

/* An object of texts as the Engine wants environments: ["NAME=value"]. A new reference. */
json_t *docker_env(const json_t *env);

/*
 * Does the container, as inspected, have the limits and walls that the body asked for? Engines may ignore what their kernel can't
 * do. `isolation_missing` (2) if not.
 */
int docker_confirm(const json_t *body, const json_t *inspected, struct fault *);

/*
 * Was its image built from the share/image of this version? When not, the `sandbox` member of a validation says `image_differs`, with
 * a warning; other purposes, which show a user what the image serves, are refused: `image_outdated` (2).
 */
int docker_check_image(const json_t *inspected, json_t *sandbox, struct fault *);

#endif
