/* plan - which files a bundle has, and where each goes in the workspace */
#ifndef PLAN_H
#define PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "profile.h"
#include "rule.h"

struct plan_item {
	const char *name; /* in the bundle; borrowed; no slash at its end, passed name_check */
	size_t name_len;
	bool directory;
	uint64_t size;
	uint64_t offset;  /* for refusals */
	size_t source;    /* which of its source's things it is */
	const char *path; /* in the workspace; borrowed from the plan */
	size_t path_len;
};

struct plan {
	struct plan_item *item; /* owned */
	size_t count, room;
	struct buf paths;
	const struct plan_item *manifest; /* app.json of a canonical bundle, or NULL */
};

#define auto_plan __attribute__((cleanup(plan_free)))

/* Add a thing, before plan_make; its path is found there. */
void plan_add(struct plan *, const struct plan_item *);

/*
 * Give every item its place and sort them as the tar has them. Directories that have something in them are dropped, since names
 * imply them. Returns 0, or -1 and the refusal.
 */
int plan_make(struct plan *, const struct profile *, struct refusal *);

/*
 * How many bytes of PATH, more than AT, name the next directory above it that BEFORE, the path before it in the tar, is not in;
 * 0 when there is none.
 */
size_t plan_next_parent(const char *path, const char *before, size_t at);

void plan_free(struct plan *);

#endif
