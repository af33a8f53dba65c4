/* provider - where sandboxes come from: one face for docker, e2b and local (the seeds' SandboxPort) */
#ifndef PROVIDER_H
#define PROVIDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "exec.h"
#include "fault.h"
#include "json.h"
#include "site.h"

struct sandbox_request {
	const char *run;
	const char *purpose;       /* one of the three known words */
	const char *image;         /* or template; NULL: the site's */
	int64_t lifetime_ms;       /* 0: the site's */
	const char *bundle_sha256; /* for the label; NULL: none */
	const json_t *metadata;    /* object of strings, borrowed; NULL: none */
	const json_t *env;         /* object of strings, borrowed; NULL: none */
};

enum gone {
	GONE_CONFIRMED,   /* the provider said that it is not there */
	GONE_UNCONFIRMED, /* it may still be there: status 3 */
	GONE_NOT_OURS     /* refused: it does not carry our labels */
};

/*
 * Each function returns 0, or -1 with the fault. A NULL function is a verb that the provider lacks. JSON that comes back is a new
 * reference. Every call has its own deadline, derived from its request or fixed in the provider.
 */
struct provider {
	const char *name;
	bool previews; /* a command can outlive the call that started it, so that there can be a supervisor */
	bool hosted;   /* by a service: it has no local socket, and its lists go by metadata instead of labels */
	/* One more verb, with options of its own, which its program looks for before them; NULL: none. */
	const char *own_verb;

	/*
	 * The line's `sandbox` member: provider, id, name, engine, image, purpose, deadline, ports. After a failure nothing is left, or
	 * the fault's status is 3 and the store's row tells what to look for.
	 */
	json_t *(*create)(const struct site *, const struct sandbox_request *, struct fault *);
	json_t *(*connect)(const struct site *, const char *id, struct fault *);
	/* Unpack a tar into the workspace and read back that every file of the manifest arrived; gives the `put` member. */
	json_t *(*put)(const struct site *, const char *id, int tar_fd, const json_t *manifest, struct fault *);
	/* The bytes of one regular file; a relative path is under the workspace. */
	int (*get)(const struct site *, const char *id, const char *path, int out_fd, struct fault *);
	/*
	 * Run a command to its end. Only in sandboxes of purpose app_validation: the others run nobody's commands (sbx(7), the
	 * boundary). That the command failed or met its limit is a result, not a fault.
	 */
	int (*exec)(const struct site *, const struct exec_request *, struct exec_result *, struct fault *);
	/* A URL for the port, JSON null when it has none. */
	json_t *(*url)(const struct site *, const char *id, int port, struct fault *);
	json_t *(*extend)(const struct site *, const char *id, int64_t lifetime_ms, struct fault *);
	/* ID or name; ENGINE is what its maker recorded, NULL when only the store may know. */
	enum gone (*rm)(const struct site *, const char *id, const char *engine, struct fault *);
	/* All that is left of a run, whatever the store or the provider knows of it. */
	enum gone (*sweep)(const struct site *, const char *run, struct fault *);
	/* What programs that died have left at the provider: what the store holds but nobody will come back for, and what it does not hold. */
	enum gone (*orphans)(const struct site *, struct fault *);
	/* An array of `sandbox` objects that carry all of LABELS, or metadata ("name=value"). */
	json_t *(*list)(const struct site *, const char *const *labels, size_t count, struct fault *);
	/* supports_preview, supports_file_io, supports_command_execution, supports_timeout_extension, and the provider's name */
	json_t *(*caps)(const struct site *, struct fault *);
};

/* The provider of that name, or NULL. */
const struct provider *provider_find(const char *name);

/* rm of each of NAMES, the keys of an object, also after one could not be removed: the worst that came of one, and the first fault. */
enum gone provider_rm_all(
    const struct provider *, const struct site *, const json_t *names, const char *engine, struct fault *);

/* What came of a sweep: whatever went wrong leaves it in doubt, and makes the fault one of doubt. */
enum gone provider_swept(struct fault *);

/*
 * The command-line face that sbx-docker, sbx-e2b and sbx-local share: verbs, options, lines. Returns the exit status.
 */
int provider_main(const struct provider *, const char *title, int argc, char *argv[]);

#endif
