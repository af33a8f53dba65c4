/* services - what a preview consists of, in the order in which it starts: /etc/sbx/services.json (sbx-services(5)) */
#ifndef SERVICES_H
#define SERVICES_H

#include <stddef.h>
#include <stdint.h>

#include "environ.h"
#include "fault.h"
#include "json.h"
#include "ready.h"

enum {
	SERVICES_MOST = 16
};

/* One service, ready to be run. All of it is owned by its struct services. */
struct service {
	const char *name;
	const char *const *argv;
	const char *const *envp;
	const char *cwd;
	struct ready ready;
	int64_t ready_ms; /* how long it may take to become so */
	int stop_signal;
	int64_t stop_ms;
	struct environ environ;
};

struct services {
	json_t *root; /* the file, its shape checked */
	struct service *service;
	size_t count;
};

#define auto_services __attribute__((cleanup(services_free)))

/*
 * Read FILE. Returns 0, or -1 and a fault with status 2: `services_missing`, or `services_invalid`, whose message names the place and
 * the rule. Free with services_free in either case.
 */
int services_read(struct services *, const char *file, struct fault *);

/*
 * Give each its environment, which is ENVIRON and what the file adds to it, and put the value of a variable of it in each place that
 * says ${NAME}. -1 and `services_invalid` for a variable that is not there, or a text that is not fit for its place any more.
 */
int services_fill(struct services *, const char *file, const struct environ *, struct fault *);

void services_free(struct services *);

/* Is the shape of FILE right? For services_read. */
int services_check(const json_t *root, const char *file, struct fault *);

/* The number of a signal that may ask a service to end: TERM, INT, QUIT, HUP, USR1 or USR2; 0 for any other name. */
int services_signal(const char *name);

#endif
