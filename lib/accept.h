/* accept - static acceptance: a staged bundle against the rules of its profile */
#ifndef ACCEPT_H
#define ACCEPT_H

#include "line.h"

/*
 * The work of a line_stage whose context is the directory that profiles and rules are in: add `acceptance`. Returns 0 when it is passed, as far as the bundle
 * alone can tell; 1 when it failed or is pending; -1 and a fault.
 */
int accept_work(struct line *, void *share, struct fault *);

/* All rules: [{"rule", "title", "reason", "group", "step", "profiles": [NAME, …]}], sorted, a new reference; NULL and a fault. */
json_t *accept_list(const char *share, struct fault *);

#endif
