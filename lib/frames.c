/* frames - the stream in which the Engine carries a command's output and error, taken apart */

#include <string.h>

#include "frames.h"

static int
open_frame(struct frames *s, struct fault *f)
{
	const unsigned char *h = s->head;

	if ((h[0] != FRAMES_OUT && h[0] != FRAMES_ERR) || h[1] != 0 || h[2] != 0 || h[3] != 0)
		return fault_set(f, STATUS_TROUBLE, "stream_malformed",
		    "the Engine's output stream: a frame begins with %02x %02x %02x %02x", h[0], h[1], h[2], h[3]);
	s->left = (uint32_t)h[4] << 24 | (uint32_t)h[5] << 16 | (uint32_t)h[6] << 8 | h[7];
	return 0;
}

int
frames_take(struct frames *s, const char *bytes, size_t len, frames_fn *sink, void *context, struct fault *f)
{
	while (len > 0) {
		bool payload = s->have == sizeof s->head && s->left > 0;
		size_t wanted = payload ? s->left : sizeof s->head - s->have;
		size_t n = len < wanted ? len : wanted;

		if (payload) {
			if (sink(s->head[0], bytes, n, context, f) == -1)
				return -1;
			s->left -= (uint32_t)n;
		} else {
			memcpy(s->head + s->have, bytes, n);
			s->have += n;
			if (s->have == sizeof s->head && open_frame(s, f) == -1)
				return -1;
		}
		if (s->have == sizeof s->head && s->left == 0)
			s->have = 0;
		bytes += n;
		len -= n;
	}
	return 0;
}

int
frames_end(const struct frames *s, struct fault *f)
{
	return s->have == 0 ? 0
	                    : fault_set(f, STATUS_TROUBLE, "stream_malformed",
	                          "the Engine's output stream ends in the middle of a frame");
}
