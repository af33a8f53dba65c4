/* beneath - files below a directory that others fill: no link and no ".." leads out of it */
#ifndef BENEATH_H
#define BENEATH_H

#include <stdbool.h>
#include <sys/types.h>

/* PATH is relative and has neither an empty part nor "." or ".." in it. */
bool beneath_name(const char *path);

/*
 * open(2) of PATH below the directory DIR, close-on-exec, with the kernel refusing every symbolic link, also in the middle of the
 * path and also when somebody puts one there just now. -1 with errno; ENOSYS before Linux 5.6.
 */
int beneath_open(int dir, const char *path, int flags, mode_t mode);

/* Make the directories above the last part of PATH that are missing, for UID and GID, and open the one that has it. -1 with errno. */
int beneath_parent(int dir, const char *path, uid_t uid, gid_t gid);

/* What comes after the last slash of PATH. */
const char *beneath_last(const char *path);

#endif
