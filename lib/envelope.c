/* envelope - the stream of messages in which E2B carries a process, taken apart */

#include <stdint.h>
#include <string.h>

#include "envelope.h"

enum {
	COMPRESSED = 1,
	LAST = 2
};

static uint32_t
length_of(const struct envelope *e)
{
	const unsigned char *h = e->head;

	return (uint32_t)h[1] << 24 | (uint32_t)h[2] << 16 | (uint32_t)h[3] << 8 | h[4];
}

static int
open_message(const struct envelope *e, struct fault *f)
{
	if (e->last)
		return fault_set(f, STATUS_TROUBLE, "stream_malformed", "the process stream goes on after its end");
	/* We never say that we could read compressed ones. */
	if ((e->head[0] & ~LAST) != 0)
		return fault_set(f, STATUS_TROUBLE, "stream_malformed",
		    "the process stream: a message has the flags %02x%s", e->head[0],
		    e->head[0] & COMPRESSED ? ", so it is compressed" : "");
	if (length_of(e) > ENVELOPE_MOST)
		return fault_set(f, STATUS_TROUBLE, "stream_malformed",
		    "the process stream: a message is said to have %u bytes", length_of(e));
	return 0;
}

/* Hand over the message when it is whole. */
static int
close_message(struct envelope *e, envelope_fn *sink, void *context, struct fault *f)
{
	if (e->have < sizeof e->head || e->payload.len < length_of(e))
		return 0;
	buf_add(&e->payload, "", 0);
	e->last = (e->head[0] & LAST) != 0;
	if (sink(e->last, e->payload.data, e->payload.len, context, f) == -1)
		return -1;
	e->have = 0;
	e->payload.len = 0;
	return 0;
}

int
envelope_take(struct envelope *e, const char *bytes, size_t len, envelope_fn *sink, void *context, struct fault *f)
{
	while (len > 0) {
		bool inside = e->have == sizeof e->head;
		size_t wanted = inside ? length_of(e) - e->payload.len : sizeof e->head - e->have;
		size_t n = len < wanted ? len : wanted;

		if (inside)
			buf_add(&e->payload, bytes, n);
		else {
			memcpy(e->head + e->have, bytes, n);
			e->have += n;
			if (e->have == sizeof e->head && open_message(e, f) == -1)
				return -1;
		}
		if (close_message(e, sink, context, f) == -1)
			return -1;
		bytes += n;
		len -= n;
	}
	return 0;
}

int
envelope_end(const struct envelope *e, struct fault *f)
{
	if (e->have > 0)
		return fault_set(f, STATUS_TROUBLE, "stream_cut", "the process stream ends in the middle of a message");
	if (!e->last)
		return fault_set(f, STATUS_TROUBLE, "stream_cut",
		    "the process stream ends without its last message, so how the command ended is not known");
	return 0;
}

void
envelope_free(struct envelope *e)
{
	buf_free(&e->payload);
}

void
envelope_add(struct buf *b, const char *text, size_t len)
{
	const unsigned char head[5] = {
	    0, (unsigned char)(len >> 24), (unsigned char)(len >> 16), (unsigned char)(len >> 8), (unsigned char)len};

	buf_add(b, head, sizeof head);
	buf_add(b, text, len);
}
