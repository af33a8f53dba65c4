/* unpack - a staged tar into a directory that nobody needs to trust, and a look that all of it arrived */
#ifndef UNPACK_H
#define UNPACK_H

#include <stdint.h>
#include <sys/types.h>

#include "fault.h"
#include "json.h"

/*
 * Unpack files and directories of a tar, a file, below DIR; they belong to UID and GID, and a file that is there already is replaced. Any
 * other kind of entry, a name that leads out or a link in the way is a fault (`tar_malformed`, `unpack_failed`).
 */
int unpack_tar(int tar_fd, int dir, uid_t uid, gid_t gid, struct fault *);

/*
 * Read back every file of the MANIFEST (of sbx-stage): its size, mode, SHA-256, and that it is UID's. Nothing else may lie in the
 * directory, whose path is PLACE. Gives the number and bytes of the files, or -1 and the fault `put_unverified` that names the
 * first that differs.
 */
int unpack_verify(const char *place, const json_t *manifest, uid_t uid, int64_t *files, int64_t *bytes, struct fault *);

#endif
