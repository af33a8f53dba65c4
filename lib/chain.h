/* chain - whether the evidence ledger is what was written, or where it is not */
#ifndef CHAIN_H
#define CHAIN_H

#include <stdint.h>

#include "digest.h"
#include "record.h"
#include "store.h"

/*
 * One place where the chain does not hold. KIND is a stable word:
 *   altered        the record's bytes do not have its SHA-256
 *   columns_differ what it is found by is not what its line says
 *   reordered      it stands at the number of another
 *   missing        there is no record between it and the one before it, but should be
 *   unlinked       the record before it is not the one it was bound to
 *   head_missing   no record has the SHA-256 that was asked for: the end was cut off, or all was written anew
 */
struct chain_break {
	int64_t seq;    /* where it stands; 0: nowhere */
	const char *id; /* NULL: nowhere */
	const char *kind;
	const char *text; /* a sentence about it */
};

typedef void chain_see(const struct chain_break *, void *context);

struct chain {
	int64_t records, breaks;
	int64_t seq; /* of the last record */
	char id[RECORD_ID_LENGTH + 1];
	char sha256[DIGEST_TEXT];
};

/*
 * Read the whole ledger, hand each break to SEE, and tell in CHAIN what there is. HEAD is the sha256 of a record that must be in it,
 * or NULL. Returns 0 whether it holds or not; -1 and a fault when it could not be read.
 */
int chain_verify(struct store *, const char *head, chain_see *see, void *context, struct chain *, struct fault *);

#endif
