/* holding - the store's rows of sandboxes: what may exist at a provider because of us */

#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "crash.h"
#include "holding.h"
#include "json.h"
#include "store.h"
#include "x.h"

#define COLUMNS "provider, name, run, purpose, provider_id, engine, image, bundle_sha256, state, deadline"

static int64_t
turn(void)
{
	return clock_deadline(STORE_WAIT_MS);
}

static int
change(const struct site *s, const char *sql, const struct store_value *values, struct fault *f)
{
	return s->store == NULL || store_write(s->store, sql, values, turn(), f) != -1 ? 0 : -1;
}

int
holding_begin(const struct site *s, const struct holding *h, struct fault *f)
{
	int64_t now = clock_wall();

	return change(s,
	    "INSERT INTO sandboxes (" COLUMNS ", created, updated)"
	    " VALUES ($1, $2, $3, $4, NULL, $5, NULL, $6, 'creating', $7, $8, $9)",
	    STORE_VALUES(store_text(h->provider), store_text(h->name), store_text(h->run), store_text(h->purpose),
	        store_text(h->engine), store_text(h->bundle_sha256), store_integer(h->deadline), store_integer(now),
	        store_integer(now)),
	    f);
}

int
holding_live(const struct site *s, const char *name, const char *id, const char *image, struct fault *f)
{
	return change(s,
	    "UPDATE sandboxes SET state = 'live', provider_id = $1, image = $2, updated = $3 WHERE name = $4",
	    STORE_VALUES(store_text(id), store_text(image), store_integer(clock_wall()), store_text(name)), f);
}

int
holding_end(const struct site *s, const char *name, const char *state, struct fault *f)
{
	return change(s, "UPDATE sandboxes SET state = $1, updated = $2 WHERE name = $3",
	    STORE_VALUES(store_text(state), store_integer(clock_wall()), store_text(name)), f);
}

int
holding_extend(const struct site *s, const char *id, int64_t deadline, struct fault *f)
{
	return change(s, "UPDATE sandboxes SET deadline = $1, updated = $2 WHERE provider_id = $3",
	    STORE_VALUES(store_integer(deadline), store_integer(clock_wall()), store_text(id)), f);
}

struct seer {
	holding_fn *see;
	void *context;
};

static int
see_row(const struct store_row *row, void *context, struct fault *f)
{
	const struct seer *seer = context;
	const struct holding h = {.provider = store_row_text(row, 0),
	    .name = store_row_text(row, 1),
	    .run = store_row_text(row, 2),
	    .purpose = store_row_text(row, 3),
	    .id = store_row_text(row, 4),
	    .engine = store_row_text(row, 5),
	    .image = store_row_text(row, 6),
	    .bundle_sha256 = store_row_text(row, 7),
	    .state = store_row_text(row, 8),
	    .deadline = store_row_integer(row, 9),
	    .created = store_row_integer(row, 10)};

	return seer->see(&h, seer->context, f);
}

static int
see_all(
    const struct site *s, const char *sql, const char *provider, const char *key, struct seer *seer, struct fault *f)
{
	const struct store_value values[] = {store_text(provider), store_text(key), {.kind = STORE_END}};

	return s->store == NULL ? 0 : store_read(s->store, sql, values, see_row, seer, turn(), f);
}

int
holding_find(
    const struct site *s, const char *provider, const char *id, holding_fn *see, void *context, struct fault *f)
{
	return see_all(s,
	    "SELECT " COLUMNS ", created FROM sandboxes WHERE provider = $1 AND (provider_id = $2 OR name = $2)",
	    provider, id, &(struct seer) {see, context}, f);
}

int
holding_of_run(
    const struct site *s, const char *provider, const char *run, holding_fn *see, void *context, struct fault *f)
{
	return see_all(s,
	    "SELECT " COLUMNS
	    ", created FROM sandboxes WHERE provider = $1 AND run = $2 AND state <> 'gone' ORDER BY created",
	    provider, run, &(struct seer) {see, context}, f);
}

int
holding_stale(const struct site *s, const char *provider, holding_fn *see, void *context, struct fault *f)
{
	auto_free char *now = x_printf("%lld", (long long)clock_wall());

	return see_all(s,
	    "SELECT " COLUMNS ", created FROM sandboxes WHERE provider = $1 AND (state IN ('creating', 'unconfirmed')"
	    " OR (state = 'live' AND deadline < CAST($2 AS BIGINT))) ORDER BY created",
	    provider, now, &(struct seer) {see, context}, f);
}

static int
see_owner(const struct store_row *row, void *context, struct fault *f)
{
	struct site *s = context;

	(void)f;
	snprintf(s->owner, sizeof s->owner, "%s", store_row_text(row, 0));
	return 1;
}

/* Whoever comes first chooses; the others, which waited for their turn, find it. */
static int
choose_owner(struct store *store, void *context, struct fault *f)
{
	struct site *s = context;

	if (store_each(store, "SELECT id FROM owner", NULL, see_owner, s, f) == -1)
		return -1;
	if (s->owner[0] != '\0')
		return 0;
	id_hex(s->owner, ID_RUN);
	return store_run(store, "INSERT INTO owner (id) VALUES ($1)", STORE_VALUES(store_text(s->owner)), f) == -1 ? -1
	                                                                                                           : 0;
}

int
holding_owner(struct site *s, struct fault *f)
{
	if (store_read(s->store, "SELECT id FROM owner", NULL, see_owner, s, turn(), f) == -1)
		return -1;
	return s->owner[0] != '\0' ? 0 : store_change(s->store, choose_owner, s, turn(), f);
}

int
holding_note(const struct holding *h, void *names, struct fault *f)
{
	(void)f;
	json_object_set_new(names, h->name, json_true());
	return 0;
}
