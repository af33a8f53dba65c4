/* readback - what arrived in a workspace, read back as a tar and held against the manifest */
#ifndef READBACK_H
#define READBACK_H

#include <stdbool.h>
#include <stdint.h>

#include "http.h"
#include "json.h"

struct readback {
	const char *workspace; /* where it is, for messages */
	bool owned;            /* the owner, and the workspace's own mode, must be the manifest's */
	json_t *files;         /* owned: by path, those that were not seen yet */
	int64_t uid, gid;
	int64_t count, bytes; /* seen */
};

/* From the manifest (see sbx-line(5)); `manifest_invalid` (2). Set workspace and owned before; readback_free either way. */
int readback_expect(struct readback *, const json_t *manifest, struct fault *);

/* Read the current reply, a tar of the workspace, to its end: `put_unverified` (2) unless it holds those files and nothing else. */
int readback_check(struct readback *, struct http *, struct fault *);

/* The line's `put` member; a new reference. */
json_t *readback_member(const struct readback *);

void readback_free(struct readback *);

#endif
