/* browser - looks at a preview with Chromium, through a program for Node.js */
#ifndef BROWSER_H
#define BROWSER_H

#include <stdint.h>

#include "fault.h"
#include "json.h"

struct browser {
	const char *tools;    /* the directory that contrib/build-browser filled */
	const char *chromium; /* the program; NULL: there is none */
	const char *path;     /* PATH for both */
	const char *temp;     /* where a room can be made */
	const char *token;    /* of a test user, a secret; NULL: nobody signs in */
	int64_t limit_ms;     /* for the whole look */
};

struct browser_target {
	const char *url;    /* http or https, without credentials */
	const char *app_id; /* who must answer there; NULL: anybody */
	const char *dir;    /* where the pictures are put, ours alone */
};

/*
 * Load the preview, follow its navigation and take pictures, on a large and on a small screen. Root does it as another user. A new
 * reference to {app_id, pages, problems, screenshots}: who answered, if anybody; objects of plain texts; and for each picture path,
 * sha256 and bytes. NULL and a fault when there was no look: `browser_missing`, `browser_failed`, `browse_timeout` (2), `stopped` (128+n). Nothing it started is
 * left in either case.
 */
json_t *browser_look(const struct browser *, const struct browser_target *, struct fault *);

#endif
