/* template_build - have E2B build a template: send the files, start the build, follow it (e2b.dev/docs/template) */
#ifndef TEMPLATE_BUILD_H
#define TEMPLATE_BUILD_H

#include "e2b.h"
#include "template_context.h"

struct template_build {
	const char *name;
	int64_t cpu_count, memory_mb;
	const struct context *context;
	const char *context_path; /* the directory it was read from */
	const char *spare;        /* a file's name that is free, for the archives */
	json_t *spec;             /* of dockerfile_read; the COPY steps get their filesHash */
	int64_t deadline;
	/* What came of it, also when it failed. */
	char template_id[64], build_id[64]; /* "" until the service told */
	const char *state; /* of the build: what the service told last, or `unknown`; NULL: there is none */
};

/*
 * Request the build, send what the service has not yet, start it, and pass its log on until it ended. 0 when the service calls it
 * ready. Else -1 and a fault: `template_refused`, `upload_refused`, `stage_failed`, `build_failed`, `build_unknown` (the service won't
 * tell), `build_timeout`, those of e2b_refused and http_send (2). Nothing takes a build back that was started.
 */
int template_build(struct e2b *, struct template_build *, struct fault *);

#endif
