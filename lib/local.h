/* local - the parts of the provider that runs commands on this machine itself */
#ifndef LOCAL_H
#define LOCAL_H

#include <stdbool.h>
#include <sys/types.h>

#include "cell.h"
#include "provider.h"

enum {
	LOCAL_MEMORY_GIB = 2, /* as docker's */
	LOCAL_PROCESSES = 512,
	LOCAL_RM_MS = 15000
};

/* In the environment of unconfined commands, so that what is left of them can be found. */
#define LOCAL_MARK "SBX_SANDBOX"

extern const struct provider local_provider;

/* Names the directory in which this machine's sandboxes are, as an Engine's id names an Engine. The caller frees it. */
char *local_engine(void);

/* Which start of this machine it is. The caller frees it. */
char *local_boot(void);

/* The engine that the store has for a sandbox; NULL without a row. The caller frees it. -1 when the store can't be read. */
int local_recall(const struct site *, const char *id, char **engine, struct fault *);

/* The directory of a sandbox, or of one to come when ID is none. The caller frees it. */
char *local_dir(const char *id);

/* Under -n: print a command that comes to the same, and set the fault that says that nothing was done. Returns -1. */
int local_show(const struct site *, struct fault *, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The id in an id or a name of ours, NULL when it is neither. */
const char *local_id(const char *id_or_name);

/*
 * Open the sandbox of that id or name, if it may still be used: else `sandbox_missing` or `sandbox_ended` (1), or `engine_other`
 * (3) when the store knows it elsewhere.
 */
int local_open(const struct site *, const char *id, struct cell *, struct fault *);

/* The line's `sandbox` member; a new reference. */
json_t *local_sandbox(const struct cell *);

/* Has its deadline passed, or the machine been started anew since? */
bool local_has_ended(const struct cell *);

bool local_is_confined(const struct cell *);

/* Whose processes and files they are. */
uid_t local_user(const struct cell *);

struct local_tools;

/* Run a command in a sandbox that is open: what exec does. */
int local_run(
    const struct cell *, const struct local_tools *, const struct exec_request *, struct exec_result *, struct fault *);

/* The verbs. */
json_t *local_create(const struct site *, const struct sandbox_request *, struct fault *);
json_t *local_connect(const struct site *, const char *id, struct fault *);
json_t *local_put(const struct site *, const char *id, int tar_fd, const json_t *manifest, struct fault *);
int local_get(const struct site *, const char *id, const char *path, int out_fd, struct fault *);
int local_exec(const struct site *, const struct exec_request *, struct exec_result *, struct fault *);
enum gone local_rm(const struct site *, const char *id, const char *engine, struct fault *);
enum gone local_sweep(const struct site *, const char *run, struct fault *);
json_t *local_list(const struct site *, const char *const *labels, size_t count, struct fault *);

#endif
