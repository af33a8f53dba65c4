/* local_find - what a local run needs of this machine, and advice where it is not there */
#ifndef LOCAL_FIND_H
#define LOCAL_FIND_H

#include <stdbool.h>

#include "fault.h"

/* Behind what keeps walls from being made. */
#define LOCAL_ADVICE "choose docker, or set SBX_LOCAL_UNCONFINED=1 to do without walls"

/* Add it to a fault of somebody who does not know of walls. */
void local_advise(struct fault *);

/* Does the operator want walls, as SBX_LOCAL_UNCONFINED says? -1 and `setting_invalid`. */
int local_wants_walls(bool *, struct fault *);

/*
 * What a local run needs, with WALLS or without, found by the operator's settings SBX_SHELL and PATH. -1 and a fault with advice:
 * `npm_missing`, `shell_missing`, `bubblewrap_missing`. Free with local_forget in either case.
 */
struct local_tools {
	char *shell;  /* laid out as /opt/mozaiks in the image */
	char *bwrap;  /* NULL without walls */
	char *within; /* the program sbx-within; NULL without walls */
};
int local_find(struct local_tools *, bool walls, struct fault *);
void local_forget(struct local_tools *);

#endif
