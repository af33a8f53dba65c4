/* limit - how much a bundle may hold */
#ifndef LIMIT_H
#define LIMIT_H

#include <stdint.h>

/* All count what is really there or really comes out, not what a header declares. */
struct limits {
	uint64_t input_bytes; /* the archive */
	uint64_t entries;     /* its entries, directories included */
	uint64_t entry_bytes; /* one file */
	uint64_t total_bytes; /* all files */
	uint64_t ratio;       /* total bytes for one byte of archive */
};

/* What a bundle may hold when its profile says nothing; a profile can lower each of them. */
#define LIMITS_DEFAULT ((struct limits) {200000000, 10000, 64000000, 512000000, 200})

#endif
