/* record - the evidence ledger: lines that are kept, each bound to the one before it by its SHA-256 */
#ifndef RECORD_H
#define RECORD_H

#include <stdbool.h>

#include "digest.h"
#include "json.h"
#include "line.h"
#include "store.h"

/*
 * A record is a line with the member `record` {id, seq, time, previous, sha256} added last. previous is the sha256 of the record
 * before it, RECORD_FIRST for the first. sha256 is that of the line's bytes and a newline, without sha256 itself: sbx-record(1).
 */
#define RECORD_FIRST "0000000000000000000000000000000000000000000000000000000000000000"

enum {
	RECORD_ID_LENGTH = 27 /* "av_" and 24 lower-case hexadecimal digits */
};

/* What records are found by. Borrowed from the line; NULL where the line does not tell. */
struct record_fields {
	const char *run;
	const char *status; /* passed, failed, skipped or pending */
	const char *strategy;
	const char *session, *provider; /* only when that provider made a sandbox */
};

void record_fields(const json_t *line, struct record_fields *);

bool record_is_id(const char *text);

/*
 * Append LINE to the ledger and add `record` to it. -1 and a fault of status 3 when it was not, or may not have been, written;
 * LINE is then as it was.
 */
int record_append(struct store *, struct line *, int64_t deadline, struct fault *);

/* The columns of a row that record_each gives. The time is in milliseconds; all others but seq are texts. */
enum record_column {
	RECORD_SEQ,
	RECORD_ID,
	RECORD_TIME,
	RECORD_RUN,
	RECORD_STATUS,
	RECORD_STRATEGY,
	RECORD_PROVIDER,
	RECORD_SESSION,
	RECORD_SHA256,
	RECORD_LINE
};

/* Which records; NULL is any. */
struct record_filter {
	const char *id, *run, *status, *strategy, *session, *provider;
};

/* Hand over the records that FILTER names, all of one moment and in their order. Returns 0, or -1 with the fault. */
int record_each(struct store *, const struct record_filter *, store_row_fn *each, void *context, struct fault *);

/*
 * What a pipeline that ends here should say of LINE: its verdict, or where there is none its review, and whether its sandbox is
 * gone. Its error is for line_each.
 */
int record_status(const json_t *line);

/* The SHA-256 that a record's line claims and the one it has. False when it is not the text of a record. */
bool record_digests(const char *line, char claimed[static DIGEST_TEXT], char real[static DIGEST_TEXT]);

#endif
