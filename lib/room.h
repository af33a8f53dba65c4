/* room - a directory for one sandbox to fill, and how much may be in it */
#ifndef ROOM_H
#define ROOM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "fault.h"

enum {
	ROOM_BYTES = 1 << 30,
	ROOM_FILES = 262144
};

/*
 * Make the directory PATH for UID and GID. MOUNTED, which needs root, gives it a file system in memory of its own, so that the
 * kernel keeps it within ROOM_BYTES and ROOM_FILES, and none of its files can be a device or gain rights. Otherwise room_is_full
 * has to be asked. -1 and `workspace_failed` with nothing left.
 */
int room_make(const char *path, bool mounted, uid_t uid, gid_t gid, struct fault *);

/* Does more lie in it than may? Not seen: what lies behind directories that were made unreadable, and files deleted but open. */
bool room_is_full(const char *path);

/*
 * Remove it and all that is in it, whatever its modes, names and depth, following no links. Nobody may be writing to it any more.
 * It need not be there. -1 and `remove_failed`.
 */
int room_remove(const char *path, struct fault *);

#endif
