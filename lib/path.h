/* path - directories of our own, and files that are there whole or not at all */
#ifndef PATH_H
#define PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "fault.h"

/*
 * Make DIR and what is missing above it, for us alone (0700). Ends the program with 2 when that fails, or when DIR is not
 * ours or others may write to it.
 */
void path_make_private(const char *dir);

/*
 * Where the program NAME is in LIST, the value of PATH; NULL when it is nowhere. A relative directory there depends on where we
 * stand, so it does not count. The caller frees it.
 */
char *path_program(const char *list, const char *name);

/* The directory STATE/runs/RUN, made when missing. The caller frees it. */
char *path_run(const char *state, const char *run);

/*
 * Put LEN bytes at PATH in one step: a new file beside it, synced, renamed over it, the directory synced. Readers see the old
 * file or the new one. Returns -1 and fills the fault on failure, with nothing left behind.
 */
int path_write(const char *path, const void *bytes, size_t len, struct fault *);

/* A new file beside PATH to be filled and then put in its place by path_commit. *TEMP is the caller's to free. */
int path_begin(const char *path, char **temp, struct fault *);
int path_commit(int fd, const char *temp, const char *path, struct fault *);

/* Remove DIR and all below it, following no links. A directory that is not there is fine. */
int path_remove(const char *dir, struct fault *);

#endif
