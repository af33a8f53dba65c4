/* diagnosis - the diagnostics of what a line's steps printed */
#ifndef DIAGNOSIS_H
#define DIAGNOSIS_H

#include "line.h"

/*
 * Look through the output of each step that ran, whose files lie in STATE/runs/RUN. LIST becomes an array (sbx-diagnose(1)), a new
 * reference, or NULL when no step ran. Of a step that passed only warnings count. -1 and a fault with status 2 when the manifest
 * can't be read: `run_missing`, `bundle_missing`, `manifest_invalid`.
 */
int diagnosis_of(const struct line *, const char *state, json_t **list, struct fault *);

#endif
