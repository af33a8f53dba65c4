/* confine_child - what the new process does before bubblewrap takes it over: limits, keys, reach, another user */
#ifndef CONFINE_CHILD_H
#define CONFINE_CHILD_H

#include "confine.h"

enum {
	CONFINE_PLACES = 3
};

/* What is bound into the sandbox. */
struct confine_place {
	const char *from;   /* its path here, for whoever becomes the command */
	const char *inside; /* its path there */
	bool writable;
};

/* Fill PLACES from the request. STAGED: with the paths that confine_prepare makes for root. */
void confine_places(const struct confine_request *, bool staged, struct confine_place places[static CONFINE_PLACES]);

/* For tree_spec: CONTEXT is the confine_request. Returns -1 with errno. */
int confine_prepare(const void *context);

/* From now on this process is CONFINE_UID, in no group but its own. -1 with errno. */
int confine_drop_root(void);

#endif
