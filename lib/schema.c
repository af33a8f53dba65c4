/* schema - the tables of the store, and how an older store becomes ours */

#include <stddef.h>

#include "schema.h"

/*
 * A sandbox has its row, under a name of our own choice, before its provider is asked to make it; whatever happens to us then, a
 * sweep can find it. provider_id is NULL until the provider answered. deadline, created, updated: milliseconds.
 *
 * A record is one line of evidence; `line` is what counts, as it was printed, and the other columns are for finding it.
 */
static const char *const first[] = {
    "CREATE TABLE schema (version BIGINT NOT NULL)",
    "INSERT INTO schema (version) VALUES (0)",
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
    "CREATE INDEX records_run ON records (run)",
    "CREATE INDEX records_session ON records (session)",
    NULL,
};

const char *const *const schema_steps[] = {first, NULL};

int
schema_version(void)
{
	int version = 0;

	while (schema_steps[version] != NULL)
		version++;
	return version;
}
