/* accept_input - what the acceptance rules get to see of a staged bundle: one JSON document (sbx-accept(1)) */
#ifndef ACCEPT_INPUT_H
#define ACCEPT_INPUT_H

#include "fault.h"
#include "json.h"
#include "profile.h"

enum {
	ACCEPT_TEXT_MOST = 4 << 20,   /* bytes of one file's text */
	ACCEPT_TEXTS_MOST = 16 << 20, /* of all */
	ACCEPT_JSON_MOST = 1 << 20,   /* bytes of one document */
	ACCEPT_VALUES_MOST = 200000   /* values of all documents: what is small as text can be large when parsed */
};

/*
 * Write {"profile": …, "files": {WORKSPACE-PATH: {"path", "size", "sha256", "text" or "withheld", "json"}}} to the descriptor OUT.
 * TAR is a readable descriptor at the start of the staged tar, FILES the manifest's, by workspace path. Every file stands there;
 * one without text and without the reason why it was withheld holds a NUL byte. Returns -1 and `bundle_changed` (2) when tar and manifest
 * disagree, or what writing failed with.
 */
int accept_input(int tar, const json_t *files, const struct profile *, int out, struct fault *);

#endif
