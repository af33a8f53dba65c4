/* tar - the same tar for the same files, always: GNU format, names as bytes, one owner, fixed modes, time 0 */
#ifndef TAR_H
#define TAR_H

#include <stddef.h>
#include <stdint.h>

enum {
	TAR_FILE_MODE = 0644,
	TAR_DIRECTORY_MODE = 0755
};

/* Takes LEN bytes and returns 0, or -1 to stop. */
typedef int tar_sink(const void *bytes, size_t len, void *context);

struct tar;

/* Everything written goes to SINK, in pieces; everything in it belongs to UID and GID. */
struct tar *tar_new(tar_sink *sink, void *context, uint32_t uid, uint32_t gid);

/* PATH has no slash at its end. They return 0, or -1 when the sink stopped. */
int tar_directory(struct tar *, const char *path);
int tar_file(struct tar *, const char *path, const void *bytes, size_t len);

/* Write the end; the last one before tar_free. Without it the tar is cut. */
int tar_end(struct tar *);

void tar_free(struct tar *);

#endif
