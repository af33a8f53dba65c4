/* store - rows that all programs share and that outlive them (SQLite; its face fits PostgreSQL) */
#ifndef STORE_H
#define STORE_H

#include <stddef.h>
#include <stdint.h>

#include "fault.h"

/*
 * SQL here keeps to what SQLite and PostgreSQL share: columns are TEXT and BIGINT, times are milliseconds of clock_wall,
 * parameters are $1, $2, … numbered in the order in which they first appear. schema.c has the tables.
 */
struct store;

enum {
	STORE_WAIT_MS = 10000 /* what a program waits for its turn, unless it has a reason */
};

/*
 * PLACE is setting_store(): a private directory, in which sbx.db is made (0600) when it is missing and brought to our schema when
 * it is older. NULL and a fault (store_*, status 2) when that fails or when the schema is newer than ours.
 */
struct store *store_open(const char *place, struct fault *);
void store_close(struct store *);

struct store_value {
	enum store_kind {
		STORE_END,
		STORE_INTEGER,
		STORE_TEXT
	} kind;
	int64_t integer;
	const char *text; /* borrowed; NULL is SQL's NULL */
};

#define STORE_VALUES(...) ((const struct store_value[]) {__VA_ARGS__, {.kind = STORE_END}})
struct store_value store_text(const char *);
struct store_value store_integer(int64_t);

/* A row, good until the function it was handed to returns; so is its text, which is NULL for NULL. Columns count from 0. */
struct store_row;
const char *store_row_text(const struct store_row *, int column);
int64_t store_row_integer(const struct store_row *, int column);

/* Gets a row. Returns 0 to go on, 1 to see no more of them, -1 with the fault. */
typedef int store_row_fn(const struct store_row *, void *context, struct fault *);

/* The inside of a transaction: returns 0, or -1 with the fault, which undoes it. It starts no process and waits for nothing. */
typedef int store_work_fn(struct store *, void *context, struct fault *);

/*
 * Run WORK alone: writers take turns in the order they came, and what it wrote is on disk, whole, when this returns 0. -1 and a
 * fault: `store_busy` or `gate_busy` (75: no turn before DEADLINE), `store_failed` (2: nothing was written) or
 * `store_unconfirmed` (3).
 */
int store_change(struct store *, store_work_fn *work, void *context, int64_t deadline, struct fault *);

/* The same for reading: all that WORK reads is of one moment. It waits for no writer and no writer waits for it. */
int store_view(struct store *, store_work_fn *work, void *context, int64_t deadline, struct fault *);

/* One statement, inside WORK. VALUES may be NULL. store_run gives the number of rows it changed, or -1 with the fault. */
int64_t store_run(struct store *, const char *sql, const struct store_value *values, struct fault *);
int store_each(struct store *, const char *sql, const struct store_value *values, store_row_fn *each, void *context,
    struct fault *);

/* One statement that is a transaction by itself. */
int64_t store_write(
    struct store *, const char *sql, const struct store_value *values, int64_t deadline, struct fault *);
int store_read(struct store *, const char *sql, const struct store_value *values, store_row_fn *each, void *context,
    int64_t deadline, struct fault *);

#endif
