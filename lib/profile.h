/* profile - what the operator has done with a bundle: layout, owner, limits, checks (sbx-profile(5)) */
#ifndef PROFILE_H
#define PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "fault.h"
#include "json.h"
#include "limit.h"

struct profile {
	json_t *root;     /* owned: the whole file, its shape checked; what follows is borrowed from it */
	const char *name; /* of the file too */
	bool canonical;   /* the bundle must hold app.json */
	bool needs_acceptance;
	uint32_t uid, gid; /* of everything in the workspace */
	struct limits limits;
	const char *app_prefix; /* "app/"; NULL: the layout is flat */
	const json_t *keep;     /* array of texts: what stays at the workspace's root; NULL when flat */
	const json_t *env;      /* object of texts, or NULL */
	const json_t *rules;    /* array of texts: acceptance rules; NULL: none */
	const json_t *smoke; /* {title, command, limit_s, needs, claims}: what tries the running app; NULL: nothing */
	const json_t *steps; /* array of {id, title, command, cwd, limit_s} */
	const json_t *claims, *not_claimed; /* arrays of texts */
};

#define auto_profile __attribute__((cleanup(profile_free)))

/*
 * Read SHARE/profiles/NAME.json. Returns -1 and a fault with status 2: `profile_unknown` when there is none of that name,
 * `profile_invalid` when it breaks a rule of sbx-profile(5), which the message tells. Free with profile_free in either case.
 */
int profile_find(struct profile *, const char *share, const char *name, struct fault *);

/* Append where the workspace has NAME of the bundle, a file or a directory; no slash stands at the end of either. */
void profile_place(const struct profile *, const char *name, size_t len, bool directory, struct buf *path);

void profile_free(struct profile *);

/* Can NAME be that of an acceptance rule: lower-case letters, digits and underscores, a letter first? */
bool profile_is_rule(const char *name);

/* Is the shape of the profile in FILE right? -1 and `profile_invalid` when not. For profile_find. */
int profile_check(const json_t *root, const char *file, struct fault *);

#endif
