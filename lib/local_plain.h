/* local_plain - a command without walls: the image's paths become this machine's, and little of the operator's environment */
#ifndef LOCAL_PLAIN_H
#define LOCAL_PLAIN_H

#include "cell.h"
#include "json.h"

/* A command, its directory or a value for the unconfined: the image's paths in TEXT become the host's. The caller frees it. */
char *local_place(const struct cell *, const char *shell, const char *text);

/* The environment of an unconfined command: a few names of the operator's, CI, then ENV. The caller frees each, and the array. */
char **local_environment(const struct cell *, const char *shell, const json_t *env);

#endif
