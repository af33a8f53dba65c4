/* needs - did a command fail by itself, or did the ground under it give way: its sandbox, files of the image */
#ifndef NEEDS_H
#define NEEDS_H

#include "provider.h"

/*
 * Not every failure is the bundle's: a command that was killed may have been killed with its sandbox ID, and one may lack what the
 * profile expects in the image, the paths of the array NEEDS (NULL: none). Another command tells, which can't end well in a sandbox
 * that is gone or going. Returns -1 and a fault with status 2, `sandbox_lost` or `image_unfit`, when it was not the command.
 */
int needs_check(const struct provider *, const struct site *, const char *id, const json_t *needs,
    const struct exec_result *failed, struct fault *);

#endif
