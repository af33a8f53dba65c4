/* review - what came of a look at a preview, bound to the bundle that runs in it */
#ifndef REVIEW_H
#define REVIEW_H

#include "browser.h"
#include "line.h"

struct review_site {
	struct browser browser;
	const char *state;
	const char *output; /* where the pictures go instead of the runs' directories; NULL: nowhere else */
	const char *socket; /* an option's; NULL: the provider's own */
};

/* {status, url} and what browser_look gives: passed when there were pages and no problem. NULL and browser_look's fault. */
json_t *review_make(const struct browser *, const struct browser_target *, struct fault *);

/* For line_each, with a review_site: looks at the line's sandbox and adds `review`. */
int review_work(struct line *, void *context, struct fault *);

#endif
