/* logfile - a log of bounded size: the newest bytes of what was written, in a file and the one before it */
#ifndef LOGFILE_H
#define LOGFILE_H

#include <stddef.h>
#include <stdint.h>

enum {
	LOGFILE_BYTES = 1 << 20 /* of each of the two files */
};

struct logfile {
	char *path, *before; /* owned: PATH, and PATH.1 for what PATH held before it was full */
	int fd;              /* -1: could not be opened */
	size_t size;
	uint64_t lost; /* bytes that could not be written since the last that could */
};

/* Go on writing at the end of PATH. No failure: what can't be written is lost, and the log says how much that was. */
void logfile_open(struct logfile *, const char *path);

/* Never blocks on anything but the file system, never fails: whoever wrote this must not wait for us. */
void logfile_write(struct logfile *, const char *bytes, size_t len);

void logfile_close(struct logfile *);

#endif
