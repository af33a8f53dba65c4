/* dockerfile - a Dockerfile of the subset that builders of sandboxes agree on, as build steps of E2B (e2b.dev/docs/template) */
#ifndef DOCKERFILE_H
#define DOCKERFILE_H

#include <stddef.h>

#include "fault.h"
#include "json.h"

/*
 * FROM an image, then RUN with a shell's line, COPY, ENV, WORKDIR, USER and CMD, with the meaning that Docker gives them. Anything else,
 * and what Docker and the service would understand differently, is the fault `dockerfile_refused` (1) at NAME:LINE.
 *
 * Gives the body of the request that starts a build, a new reference: fromImage, steps, startCmd, readyCmd, force. The COPY steps
 * still want their filesHash.
 */
json_t *dockerfile_read(const char *name, const char *text, size_t len, struct fault *);

#endif
