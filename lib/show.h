/* show - evidence, written for people */
#ifndef SHOW_H
#define SHOW_H

#include "chain.h"
#include "fault.h"
#include "json.h"
#include "store.h"

/*
 * All print to standard output. What stands in records came from anyone, so it is shown without what a terminal would obey. The
 * rows are those of record_each.
 */
void show_heading(void);
store_row_fn show_row;

/* -1 and a fault when its line can't be read. */
int show_record(const struct store_row *, struct fault *);

/* BREAKS is an array of {kind, message} and, where there is one, the record's seq and id. */
void show_chain(const struct chain *, const json_t *breaks);

#endif
