/* holding - the store's rows of sandboxes: what may exist at a provider because of us */
#ifndef HOLDING_H
#define HOLDING_H

#include <stddef.h>
#include <stdint.h>

#include "fault.h"
#include "site.h"

/* A site without a store holds nothing: reads find no row, and writes do nothing. */
struct holding {
	const char *provider;
	const char *name; /* of our own choice, and unique */
	const char *run;
	const char *purpose;
	const char *id;            /* the provider's; NULL until it answered */
	const char *engine;        /* which Docker Engine; NULL elsewhere */
	const char *image;         /* NULL until it is known */
	const char *bundle_sha256; /* NULL: none */
	const char *state;         /* creating, live, gone, unconfirmed */
	int64_t deadline, created; /* clock_wall */
};

/* A row in state `creating`, on disk when this returns 0: from then on a sweep finds what is about to be made. */
int holding_begin(const struct site *, const struct holding *, struct fault *);

/* It was made: state `live`. */
int holding_live(const struct site *, const char *name, const char *id, const char *image, struct fault *);

/* State `gone` or `unconfirmed`. A sandbox without a row is fine. */
int holding_end(const struct site *, const char *name, const char *state, struct fault *);

/* Hands each row to SEE, which borrows it until it returns: 0 to go on, 1 for no more, -1 with the fault. */
typedef int holding_fn(const struct holding *, void *context, struct fault *);

/* A holding_fn that collects names: NAMES is a JSON object, in which each becomes a key. */
int holding_note(const struct holding *, void *names, struct fault *);

/* The row of the provider's sandbox with that id or name; rows of a run that are not gone. */
int holding_find(
    const struct site *, const char *provider, const char *id, holding_fn *see, void *context, struct fault *);
int holding_of_run(
    const struct site *, const char *provider, const char *run, holding_fn *see, void *context, struct fault *);

/* Rows that nobody may come back for: begun or in doubt, or past their deadline. */
int holding_stale(const struct site *, const char *provider, holding_fn *, void *context, struct fault *);

/* Its deadline was moved. A sandbox without a row is fine. */
int holding_extend(const struct site *, const char *id, int64_t deadline, struct fault *);

/* Fill OWNER of the site from the store, and choose one when the store is new. */
int holding_owner(struct site *, struct fault *);

#endif
