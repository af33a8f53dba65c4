/* pack - the contents of a planned bundle, into a tar and a list of digests */
#ifndef PACK_H
#define PACK_H

#include <stdbool.h>
#include <stdint.h>

#include "digest.h"
#include "plan.h"
#include "tar.h"

enum {
	PACK_APP_ID_MOST = 128
};

/* Where contents come from: a zip, a directory. ROOM has the size that was planned for the item. */
struct pack_source {
	int (*contents)(void *context, const struct plan_item *, void *room, const void **bytes, struct refusal *);
	void *context;
};

/* Where they go to; file comes once for each, in the order of the tar. Each returns 0, or -1 to stop. */
struct pack_sink {
	tar_sink *tar;
	int (*file)(const struct plan_item *, const uint8_t digest[static DIGEST_BYTES], void *context);
	void *context;
};

/* What app.json told. */
struct pack_result {
	bool has_app_id;
	char app_id[PACK_APP_ID_MOST + 1];
};

/* Returns 0; or -1 with the refusal, whose rule is RULE_NONE when the sink stopped. */
int pack(const struct plan *, const struct profile *, const struct pack_source *, const struct pack_sink *,
    struct pack_result *, struct refusal *);

#endif
