/* envelope - the stream of messages in which E2B carries a process, taken apart */
#ifndef ENVELOPE_H
#define ENVELOPE_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "fault.h"

/*
 * The Connect protocol, "Streaming-Response" (connectrpc.com/docs/protocol): a byte of flags (1 compressed, 2 the last one), the
 * length as a big endian number of 4 bytes, then that many bytes of JSON; again and again. The last one tells how the call went.
 */
struct envelope {
	unsigned char head[5];
	size_t have; /* bytes of head */
	struct buf payload;
	bool last; /* it came, whole */
};

enum {
	ENVELOPE_MOST = 4 << 20 /* bytes of one message: the service's own have at most 64 KiB */
};

/* Gets a whole message; returns 0, or -1 with the fault. */
typedef int envelope_fn(bool last, const char *text, size_t len, void *context, struct fault *);

/* Take the next bytes, cut anywhere. -1 and a fault: SINK's own, or `stream_malformed` (2). */
int envelope_take(struct envelope *, const char *bytes, size_t len, envelope_fn *sink, void *context, struct fault *);

/* The stream is at its end: `stream_cut` (2) unless its last message came. */
int envelope_end(const struct envelope *, struct fault *);

void envelope_free(struct envelope *);

/* Append LEN bytes of JSON as a message. */
void envelope_add(struct buf *, const char *text, size_t len);

#endif
