/* provider - where sandboxes come from: one face for docker, e2b and local (the seeds' SandboxPort) */
#ifndef PROVIDER_H
#define PROVIDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "fault.h"
#include "json.h"

struct store;

/* What a provider's functions need to know about this machine and this call. Filled by provider_open from the settings. */
struct site {
	const char *state; /* $SBX_STATE */
	struct store *store;
	const char *socket;  /* docker: the Engine's */
	const char *image;   /* docker: the image when a request names none */
	int64_t lifetime_ms; /* when a request names none */
	int preview_port;    /* one more port to publish for ordinary purposes */
	bool dry;            /* -n: print the exact commands instead of running them */
};

struct sandbox_request {
	const char *run;
	const char *purpose;       /* one of the three known words */
	const char *image;         /* or template; NULL: the site's */
	int64_t lifetime_ms;       /* 0: the site's */
	const char *bundle_sha256; /* for the label; NULL: none */
	const json_t *metadata;    /* object of strings, borrowed; NULL: none */
	const json_t *env;         /* object of strings, borrowed; NULL: none */
};

struct exec_request {
	const char *id;
	const char *purpose;
	const char *command; /* for sh -c */
	const char *cwd;     /* NULL: the workspace */
	const json_t *env;   /* object of strings, borrowed; NULL: none */
	int64_t limit_ms;    /* its whole process tree is ended then */
	size_t keep;         /* bytes of the end of each stream that are kept in the result */
	int whole_fd;        /* a file for both streams as they came, at most `most` bytes; -1: none */
	size_t most;
};

struct exec_result {
	int exit_code; /* 124 at the time limit */
	bool timed_out;
	bool cut; /* less than all of the output is in out and err */
	int64_t duration_ms;
	int64_t out_bytes, err_bytes; /* what the command really wrote */
	struct buf out, err;          /* the tails */
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

	/* The line's `sandbox` member: provider, id, engine, image, deadline, purpose, ports. On failure nothing is left. */
	json_t *(*create)(const struct site *, const struct sandbox_request *, struct fault *);
	json_t *(*connect)(const struct site *, const char *id, struct fault *);
	/* Unpack a tar into the workspace and read back that every file of the manifest arrived; gives the `put` member. */
	json_t *(*put)(const struct site *, const char *id, int tar_fd, const json_t *manifest, struct fault *);
	/* The bytes of one file. */
	int (*get)(const struct site *, const char *id, const char *path, int out_fd, struct fault *);
	int (*exec)(const struct site *, const struct exec_request *, struct exec_result *, struct fault *);
	/* A URL for the port, JSON null when it has none. */
	json_t *(*url)(const struct site *, const char *id, int port, struct fault *);
	json_t *(*extend)(const struct site *, const char *id, int64_t lifetime_ms, struct fault *);
	enum gone (*rm)(const struct site *, const char *id, struct fault *);
	/* An array of `sandbox` objects that carry all of LABELS ("name=value"). */
	json_t *(*list)(const struct site *, const char *const *labels, size_t count, struct fault *);
	/* supports_preview, supports_file_io, supports_command_execution, supports_timeout_extension, and the provider's name */
	json_t *(*caps)(const struct site *, struct fault *);
};

/* The provider of that name, or NULL. */
const struct provider *provider_find(const char *name);

void exec_free(struct exec_result *);

/*
 * The command-line face that sbx-docker, sbx-e2b and sbx-local share: verbs, options, lines. Returns the exit status.
 */
int provider_main(const struct provider *, const char *title, int argc, char *argv[]);

#endif
