/* schema - the tables of the store, and how an older store becomes ours */
#ifndef SCHEMA_H
#define SCHEMA_H

#include <stdint.h>

#include "fault.h"

struct store;

/*
 * Bring the store to our schema, in one transaction; nothing is written when it is there. -1 and a fault: `store_newer` when a later
 * sbx made it, else what store_change says.
 */
int schema_apply(struct store *, int64_t deadline, struct fault *);

#endif
