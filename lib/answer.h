/* answer - what came back from a repair: admitted whole, or rejected whole */
#ifndef ANSWER_H
#define ANSWER_H

#include "line.h"
#include "store.h"

struct answer_site {
	const char *request; /* that the staged bundle answers */
	const char *place;   /* for store_open */
	struct store *store; /* opened when it is first needed; the caller closes it */
};

/*
 * What an answer to a request may change, as text for history_add: the ALLOWED paths, and the files of the bundle that failed, by
 * its MANIFEST, a file. NULL when there is none, so that no answer can be compared with it. The caller's.
 */
char *answer_scope(const json_t *allowed, const char *manifest);

/*
 * The work of a line_stage whose context is a struct answer_site: add `answer`, and settle the request. Admitted, 0, when the
 * staged bundle has all files of the one that failed, unchanged, but for those that the request allows to change. Otherwise, or when
 * sbx-stage refused it, rejected, 1, and the line carries the error `answer_rejected` if it had none. A request that waits for no
 * answer is `request_unknown` or `request_settled`, 1, unless this very answer settled it; one whose bundle is not known
 * `request_unbounded`. A line with another error is passed on, and the request waits on.
 */
int answer_work(struct line *, void *site, struct fault *);

#endif
