/* inventory - the approved tasks behind a bundle: who owns which file, and whose work was accepted (sbx-inventory(5)) */
#ifndef INVENTORY_H
#define INVENTORY_H

#include <stdbool.h>

#include "fault.h"
#include "json.h"

struct inventory {
	json_t *root;           /* owned: the whole file, its rules checked; what follows is borrowed from it */
	const char *series;     /* the build whose runs share one history */
	const json_t *tasks;    /* array of {task_id, task_type, initial_agent, owned_paths, depends_on} */
	const json_t *evidence; /* object: what became of the task of that id */
};

#define auto_inventory __attribute__((cleanup(inventory_free)))

/*
 * Read FILE. -1 and a fault with status 2 and the reason `inventory_invalid` when it can't be read or breaks a rule of
 * sbx-inventory(5), which the message tells. Free with inventory_free in either case.
 */
int inventory_read(struct inventory *, const char *file, struct fault *);

/* The task of that id, or NULL. Borrowed. */
const json_t *inventory_task(const struct inventory *, const char *id);

/*
 * How many tasks own PATH, exactly; a path with * or ? in it stands for all owned paths that it matches. *OWNER is one of them.
 * Borrowed.
 */
size_t inventory_owners(const struct inventory *, const char *path, const json_t **owner);

/* The word that the evidence has on the task of that id: accepted, rejected or failed; NULL when it has none. */
const char *inventory_status(const struct inventory *, const char *id);

/* Can the rejected output of that task be recovered, and has nobody tried? */
bool inventory_recoverable(const struct inventory *, const char *id);

void inventory_free(struct inventory *);

/* Are the rules kept? -1 and `inventory_invalid` when not. For inventory_read. */
int inventory_check(const json_t *root, const char *file, struct fault *);

#endif
