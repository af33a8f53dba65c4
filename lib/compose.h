/* compose - what a sandbox is given of the operator's environment, for its purpose */
#ifndef COMPOSE_H
#define COMPOSE_H

#include "environ.h"
#include "fault.h"
#include "posture.h"

#define COMPOSE_PREFIX "MOZAIKS_PREVIEW_ENV_"

struct compose {
	const char *purpose;           /* one that line_purpose knows */
	const char *const *envp;       /* the operator's environment, ends with NULL */
	const struct posture *posture; /* an interactive preview's app; NULL: it is not known yet */
	const char *url;               /* where it is found, when it is to be started; else NULL */
};

/*
 * Fill ENVIRON. Without an address it is what the sandbox is created with, with one what the preview's services are started with.
 * An interactive preview alone gets what the operator set for previews, and a sealed candidate gets nothing. Returns -1 and a
 * fault with status 2: `env_invalid`, or those of posture_check and posture_apply.
 */
int compose(const struct compose *, struct environ *, struct fault *);

/* Was NAME set for previews by the operator, and not by us? */
bool compose_is_forwarded(const struct environ_item *);

#endif
