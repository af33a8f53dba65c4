/* docker - the parts of the Docker provider: calls of the Engine API (docs.docker.com/engine/api, v1.41) and what verbs share */
#ifndef DOCKER_H
#define DOCKER_H

#include "http.h"
#include "provider.h"

#define DOCKER_WORKSPACE "/workspace"
#define DOCKER_WITHIN "/usr/local/libexec/sbx/sbx-within" /* in every image: sbx-image(7) */

extern const struct provider docker_provider;

/* A talk with one Engine. Start from {.site = …}; set `identify` to learn its id with the next calls. */
struct docker {
	const struct site *site;
	bool identify;
	char engine[128]; /* the Engine's id; "" while it is not known */
	int64_t cpus;     /* that the Engine has, known with its id */
	char base[32];    /* the API version that both sides speak; "" while it is not known */
	struct http_server server;
};

/*
 * http_begin and http_send for the Engine. The API version is negotiated and the id asked for in the same curl start, ahead of the
 * requests. Faults: `engine_unreachable`, `engine_unsupported`, or those of http_send. When requests are only to be shown, they are,
 * and the fault is `dry` (0).
 */
struct http *docker_begin(struct docker *, const struct http_request *, size_t count, int64_t deadline, struct fault *);
int docker_send(
    struct docker *, const struct http_request *, struct http_reply *, size_t count, int64_t deadline, struct fault *);

/* Learn the Engine's id now. */
int docker_identify(struct docker *, int64_t deadline, struct fault *);

/* The reply's JSON, a new reference; a fault and NULL when it is none. */
json_t *docker_json(const struct http_reply *, struct fault *);

/* Fill the fault from a reply that says no: SUBJECT, the Engine's own sentence, the status. Returns -1. */
int docker_refused(const struct buf *body, int status, const char *reason, const char *subject, struct fault *);

/* A path with the filters {KEY: VALUES} in its query. VALUES is stolen, the path is the caller's to free. */
char *docker_filtered(const char *path, const char *key, json_t *values);

/* May a sandbox of that purpose have no network, no ports and only one use? */
bool docker_is_offline(const char *purpose);

/* Do these labels say that a container is of this store's making? */
bool docker_is_ours(const struct site *, const json_t *labels);

/* The line's `sandbox` member from a container as inspected; a new reference. NULL and a fault when the Engine left something out. */
json_t *docker_sandbox(const struct docker *, const json_t *inspected, struct fault *);

/* What the store's row tells of a sandbox; not known, and all "", when there is no row. */
struct docker_record {
	bool known;
	char name[64], engine[128], purpose[64], state[16];
};
int docker_recall(const struct site *, const char *id, struct docker_record *, struct fault *);

/*
 * The container as inspected, if it is ours and runs; a new reference. Else NULL and a fault: `sandbox_missing`, `sandbox_ended`,
 * `sandbox_foreign` (1).
 */
json_t *docker_known(const struct docker *, const char *id, const struct http_reply *inspect, struct fault *);

/*
 * Once no other call is under way: that an Engine does not have a sandbox means something only where it was made. Elsewhere turns
 * `sandbox_missing` into `engine_other` (3).
 */
void docker_doubt(struct docker *, const char *id, struct fault *);

/* A container to be ended, by its id or name. */
struct docker_target {
	const char *id;
	const char *engine; /* where it must be, for its absence to mean anything; NULL or "": where we are */
	bool quick;         /* it has nothing to save: kill it at once */
	bool running;       /* it was started, so that its end removes it */
	bool expected;      /* the Engine may be about to make it: that it is not there yet proves nothing */
};

/* End it, and look until it is gone (sandboxes are removed by their own end). A fault unless confirmed. */
enum gone docker_end(struct docker *, const struct docker_target *, struct fault *);

#endif
