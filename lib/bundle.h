/* bundle - the staged bundle that a line names: its tar and its manifest */
#ifndef BUNDLE_H
#define BUNDLE_H

#include "fault.h"
#include "json.h"
#include "line.h"

/*
 * The staged tar, at its start, if it still is what was staged: a descriptor, the caller's. -1 and a fault with status 2
 * otherwise: `bundle_missing` or `bundle_changed`.
 */
int bundle_tar(const struct line *, struct fault *);

/* The manifest (sbx-stage(1)), a new reference. NULL and a fault with status 2: `bundle_missing` or `manifest_invalid`. */
json_t *bundle_manifest(const struct line *, struct fault *);
json_t *bundle_manifest_at(const char *path, struct fault *);

/*
 * A manifest's files by their "path" (in the workspace) or "bundle_path", a new object. NULL and a fault with status 2,
 * `manifest_invalid`, when it does not give each one of its own.
 */
json_t *bundle_files(const json_t *manifest, const char *key, struct fault *);

#endif
