/* stage - the gate: a bundle comes in as an archive or a directory, and goes on as one deterministic tar or not at all */
#ifndef STAGE_H
#define STAGE_H

#include <stdint.h>

#include "fault.h"
#include "json.h"
#include "profile.h"

struct stage_request {
	const char *path;      /* a zip file, something to read one from, or a directory */
	const uint8_t *sha256; /* that it must have (a directory: its tar), DIGEST_BYTES; NULL: any */
	const char *dir;       /* the run's */
	const struct profile *profile;
};

/*
 * Stage the bundle: bundle.tar and manifest.json appear in the directory, and *BUNDLE becomes a new reference to the line's member.
 * Returns -1 and the fault otherwise, and then neither file is there. Status 1: the bundle was refused, the detail has rule, entry, other
 * and offset as they apply. 2: it could not be read, or `parser_died`. 128+n: `stopped` by a signal.
 */
int stage_bundle(const struct stage_request *, json_t **bundle, struct fault *);

#endif
