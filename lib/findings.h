/* findings - the diagnostics of logs as JSON: each told once, its file seen from the bundle, no more of them than there is room */
#ifndef FINDINGS_H
#define FINDINGS_H

#include <stdint.h>

#include "diagnose.h"
#include "json.h"

struct findings {
	/* What the caller chooses before the first log. */
	const char *root;     /* the absolute directory that holds the bundle; NULL: not known */
	const json_t *staged; /* paths below it -> paths in the bundle (findings_staged); NULL: not known */
	size_t room;          /* bytes of JSON text for errors, and a quarter of that for all else */

	/* What the caller chooses for each log. */
	const char *cwd; /* the absolute directory where the tool ran; NULL: not known */
	bool passed;     /* the tool said that all is well: its output has no errors */

	/* Between two calls of findings_read the module's own. */
	json_t *list, *seen;
	size_t used[2];
	int64_t left_out;
	struct buf path;
};

/*
 * Of a manifest (sbx-line(5), bundle.manifest): an object that gives for each file's path in the workspace its path in the bundle.
 * NULL and a fault with status 2 when it is no manifest: `manifest_invalid`.
 */
json_t *findings_staged(const json_t *manifest, struct fault *);

/* A reader for one log, whose diagnostics go here. */
struct diagnose findings_begin(struct findings *);

/* Look through a log: one in a file, to its end (-1 with errno), or one in memory. */
int findings_read(struct findings *, int fd);
void findings_look(struct findings *, const char *bytes, size_t len);

/*
 * All of them, in their order: [{tool, code, severity, file, line, column, message, owned}], what is not known left out. The last
 * says how many found no room. A new reference; the rest is freed.
 */
json_t *findings_end(struct findings *);

#endif
