/* permit - may what a record tells of be exported or promoted? */
#ifndef PERMIT_H
#define PERMIT_H

#include <stdbool.h>

#include "json.h"
#include "store.h"

struct permit {
	bool given;
	const char *id;  /* of the record, borrowed from the caller */
	char *sha256;    /* owned: the digest of the bundle that it is for; NULL: the record names none */
	json_t *reasons; /* owned: sentences that say why not */
};

/*
 * Judge the record of that id, and the whole ledger with it. PROMOTE asks for more than export does. Returns 0 with the answer
 * in PERMIT; -1 and a fault when there is none to be had: `record_missing` (1), `ledger_broken` (2), or what the store says.
 * Free with permit_free in either case.
 */
int permit_judge(struct permit *, struct store *, const char *id, bool promote, struct fault *);

void permit_free(struct permit *);

#endif
