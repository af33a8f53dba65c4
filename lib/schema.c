/* schema - the tables of the store, and how an older store becomes ours */

#include <stddef.h>

#include "schema.h"
#include "store.h"

/*
 * A sandbox has its row, under a name of our own choice, before its provider is asked to make it; whatever happens to us then, a
 * sweep can find it. provider_id is NULL until the provider answered. deadline, created, updated: milliseconds.
 *
 * A record is one line of evidence; `line` is what counts, as it was printed, and the other columns are for finding it.
 */
static const char *const first[] = {
    /* One row, made when it is first asked for: it tells what this store's sandboxes carry as their owner. */
    "CREATE TABLE owner (id TEXT NOT NULL)",
    "CREATE TABLE sandboxes ("
    " name TEXT NOT NULL PRIMARY KEY,"
    " provider TEXT NOT NULL,"
    " run TEXT NOT NULL,"
    " purpose TEXT NOT NULL,"
    " provider_id TEXT,"
    " engine TEXT,"
    " image TEXT,"
    " bundle_sha256 TEXT,"
    " deadline BIGINT NOT NULL,"
    " state TEXT NOT NULL CHECK (state IN ('creating', 'live', 'gone', 'unconfirmed')),"
    " created BIGINT NOT NULL,"
    " updated BIGINT NOT NULL)",
    "CREATE INDEX sandboxes_run ON sandboxes (run)",
    "CREATE INDEX sandboxes_provider_id ON sandboxes (provider, provider_id)",
    "CREATE INDEX sandboxes_state ON sandboxes (state, deadline)",
    "CREATE TABLE records ("
    " seq BIGINT NOT NULL PRIMARY KEY,"
    " id TEXT NOT NULL UNIQUE,"
    " time BIGINT NOT NULL,"
    " run TEXT,"
    " status TEXT NOT NULL,"
    " strategy TEXT,"
    " session TEXT,"
    " provider TEXT,"
    " sha256 TEXT NOT NULL,"
    " line TEXT NOT NULL)",
    NULL,
};

/*
 * What verdicts remember of the runs of one build (a series): what a task was asked to repair and what came of it, and how the last
 * runs failed, the latest with the highest seq.
 */
static const char *const second[] = {
    "CREATE TABLE repairs ("
    " request TEXT NOT NULL PRIMARY KEY,"
    " series TEXT NOT NULL,"
    " task TEXT NOT NULL,"
    " attempt BIGINT NOT NULL,"
    " fingerprint TEXT NOT NULL,"
    " status TEXT NOT NULL CHECK (status IN ('selected', 'responded', 'rejected', 'interrupted')),"
    " run TEXT NOT NULL,"
    " time BIGINT NOT NULL)",
    "CREATE INDEX repairs_series ON repairs (series, attempt)",
    "CREATE TABLE failures ("
    " series TEXT NOT NULL,"
    " seq BIGINT NOT NULL,"
    " run TEXT NOT NULL,"
    " bundle TEXT NOT NULL,"
    " outcome TEXT NOT NULL,"
    " time BIGINT NOT NULL,"
    " PRIMARY KEY (series, seq))",
    NULL,
};

/*
 * scope: what an answer to a request may change, and what it may not, while one is waited for (answer.c); answer: the digest of
 * the bundle that came.
 */
static const char *const third[] = {
    "ALTER TABLE repairs ADD COLUMN scope TEXT",
    "ALTER TABLE repairs ADD COLUMN answer TEXT",
    NULL,
};

/* Step N leads from version N to N + 1. A step that was ever released stays as it is. */
static const char *const *const steps[] = {first, second, third};

enum {
	VERSION = sizeof steps / sizeof *steps
};

static int
see_version(const struct store_row *row, void *context, struct fault *f)
{
	(void)f;
	*(int64_t *)context = store_row_integer(row, 0);
	return 1;
}

static int
refuse_newer(int64_t version, struct fault *f)
{
	return fault_set(f, STATUS_TROUBLE, "store_newer",
	    "store: its schema is version %lld and this sbx knows %d: a newer sbx made it, use that one",
	    (long long)version, VERSION);
}

static int
run_step(struct store *s, const char *const *statements, struct fault *f)
{
	for (; *statements != NULL; statements++)
		if (store_run(s, *statements, NULL, f) == -1)
			return -1;
	return 0;
}

static int
migrate(struct store *s, void *context, struct fault *f)
{
	int64_t version = -1;

	(void)context;
	if (store_run(s, "CREATE TABLE IF NOT EXISTS schema (version BIGINT NOT NULL)", NULL, f) == -1 ||
	    store_each(s, "SELECT version FROM schema", NULL, see_version, &version, f) == -1)
		return -1;
	if (version > VERSION)
		return refuse_newer(version, f);
	if (version == -1 && store_run(s, "INSERT INTO schema (version) VALUES (0)", NULL, f) == -1)
		return -1;
	for (int64_t i = version == -1 ? 0 : version; i < VERSION; i++)
		if (run_step(s, steps[i], f) == -1)
			return -1;
	return store_run(s, "UPDATE schema SET version = $1", STORE_VALUES(store_integer(VERSION)), f) == -1 ? -1 : 0;
}

int
schema_apply(struct store *s, int64_t deadline, struct fault *f)
{
	struct fault unread = {0};
	int64_t version = -1;

	/* A new store has no such table; whatever else is wrong, migrate meets it again and says so. */
	if (store_read(s, "SELECT version FROM schema", NULL, see_version, &version, deadline, &unread) == -1)
		fault_clear(&unread);
	if (version > VERSION)
		return refuse_newer(version, f);
	return version == VERSION ? 0 : store_change(s, migrate, NULL, deadline, f);
}
