/* fd - whole reads and writes on descriptors */
#ifndef FD_H
#define FD_H

#include <stddef.h>

#include "buf.h"

/* Write all of it, or -1 with errno. */
int fd_write(int fd, const void *bytes, size_t len);

/* Read to the end of file into BUF. -1 with errno; EFBIG when there is more than MOST bytes. */
int fd_read_all(int fd, struct buf *, size_t most);

/* An anonymous file in memory, close-on-exec. Ends the program when there is none to be had. */
int fd_memory(const char *name);

/* The same, holding LEN bytes and positioned at its start: input for a child. */
int fd_memory_with(const char *name, const void *bytes, size_t len);

#endif
