/* frames - the stream in which the Engine carries a command's output and error, taken apart */
#ifndef FRAMES_H
#define FRAMES_H

#include <stdint.h>
#include <sys/types.h>

#include "fault.h"

/*
 * Engine API, POST /containers/{id}/attach, "Stream format": 8 bytes (which stream, three zeros, the length of the payload as a big
 * endian number), then the payload, again and again.
 */
struct frames {
	unsigned char head[8];
	size_t have;   /* bytes of head */
	uint32_t left; /* bytes of the payload that are still to come */
};

enum {
	FRAMES_OUT = 1,
	FRAMES_ERR = 2
};

/* Gets a piece of a stream; returns 0, or -1 with the fault. */
typedef int frames_fn(int stream, const char *bytes, size_t len, void *context, struct fault *);

/* Take the next bytes, cut anywhere. -1 and a fault: SINK's own, or `stream_malformed` (2). */
int frames_take(struct frames *, const char *bytes, size_t len, frames_fn *sink, void *context, struct fault *);

/* The stream is at its end: `stream_malformed` when that is in the middle of a frame. */
int frames_end(const struct frames *, struct fault *);

#endif
