/* report - what the jailed parser tells: each file it packed, then that it is done, or what it refused */
#ifndef REPORT_H
#define REPORT_H

#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "digest.h"
#include "pack.h"
#include "rule.h"

enum report_kind {
	REPORT_FILE,   /* text: its name in the bundle */
	REPORT_DONE,   /* text: the app's id, when it has one */
	REPORT_REFUSED /* text, other: the names of the refusal */
};

/* Both ends are one program on one machine, so it goes as it is; the texts follow, unless their length is REPORT_ABSENT. */
struct report_head {
	uint32_t kind, rule;
	uint64_t offset, size;
	uint32_t text_len, other_len;
	uint8_t digest[DIGEST_BYTES];
};

#define REPORT_ABSENT UINT32_MAX

struct report {
	struct report_head head;
	const char *text, *other; /* borrowed from the bytes read; NULL: absent */
};

/* Append one to what is to be written. */
void report_file(struct buf *, const struct plan_item *, const uint8_t digest[static DIGEST_BYTES]);
void report_done(struct buf *, const struct pack_result *);
void report_refused(struct buf *, const struct refusal *);

/*
 * Take the next one out of BYTES at *AT, which moves behind it. 1: there is one; 0: not all of it is there yet; -1: it is none, as
 * a parser may write anything.
 */
int report_next(const struct buf *bytes, size_t *at, struct report *);

#endif
