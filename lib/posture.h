/* posture - how an app is previewed: who must sign in, and the environment that no forwarded value can change */
#ifndef POSTURE_H
#define POSTURE_H

#include <stdbool.h>

#include "environ.h"
#include "fault.h"
#include "json.h"

enum {
	POSTURE_ID_MOST = 128 /* bytes of an app's id */
};

struct posture {
	char app_id[POSTURE_ID_MOST + 1];
	char *callback_path; /* owned: where the provider sends a signed-in user; NULL: a public app, nobody signs in */
};

#define auto_posture __attribute__((cleanup(posture_free)))

struct posture_place {
	const char *app_root;    /* "/workspace/app": absolute, no slash at its end; the workspace is what it lies in */
	const char *state;       /* "/tmp/mozaiks-preview" */
	const char *preview_url; /* where its users find it: http or https, a host, perhaps a port, and no path */
};

/*
 * From app.json and, where it names one, its authentication contract (else NULL), both as sbx-bundle(5) has them. Returns 0, or -1
 * with status 1 and `app_id_missing`, `app_id_invalid` or `auth_invalid`. Free with posture_free either way.
 */
int posture_from(struct posture *, const json_t *manifest, const json_t *contract, struct fault *);

/* The contract's name in a manifest, borrowed; NULL without a fault when it names none; `auth_invalid` (1) when it is no name. */
const char *posture_contract(const json_t *manifest, struct fault *);

/*
 * The same from the files below the directory APP_ROOT, of which no symbolic link leads out. Besides posture_from's faults
 * `app_missing` (2) and `app_invalid` (1).
 */
int posture_read(struct posture *, const char *app_root, struct fault *);

/* What every sandbox with the image's resources is told at its creation: where they are, and that it is a draft. */
void posture_resources(struct environ *);

/* Has ENVIRON what the app's sign-in needs? `auth_disabled` or `oidc_missing` (2) if not; a public app needs nothing. */
int posture_check(const struct posture *, const struct environ *, struct fault *);

/*
 * Turn ENVIRON, what the sandbox was given, into what the preview's services get: the app's sign-in as its contract has it, a
 * fresh internal key, the private database, all of it whatever stood there before. Returns -1 and `url_invalid` (2) or
 * posture_check's fault; then ENVIRON is of no use.
 */
int posture_apply(const struct posture *, const struct posture_place *, struct environ *, struct fault *);

void posture_free(struct posture *);

#endif
