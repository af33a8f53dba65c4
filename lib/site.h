/* site - what the providers need to know about this machine and this call */
#ifndef SITE_H
#define SITE_H

#include <stdint.h>
#include <stdio.h>

#include "fault.h"
#include "id.h"

struct store;

/* How the E2B service is reached: what its own clients read from the same variables. */
struct e2b_site {
	const char *key;         /* a secret; NULL: there is none */
	const char *domain;      /* "e2b.app" */
	const char *api;         /* URL of the control plane; NULL: the domain tells */
	const char *sandbox_url; /* URL of the sandboxes' own daemons; NULL: the domain tells */
	const char *workdir;     /* the workspace inside */
	const char *state;       /* the directory for the traffic tokens; NULL under -n, and after site_e2b */
};

struct site {
	struct store *store;    /* NULL under -n */
	char owner[ID_RUN + 1]; /* names this store on labels: what carries another owner is not ours */
	char *socket;           /* docker: the Engine's */
	const char *image;      /* or template, when a request names none; e2b: may be NULL */
	int64_t lifetime_ms;    /* when a request names none */
	int preview_port;       /* one more port to publish for ordinary purposes */
	struct e2b_site e2b;    /* for this provider alone */
	FILE *show;             /* -n: print the exact commands there instead of running them; else NULL */
};

/*
 * Fill SITE from the operator's settings for PROVIDER and, unless commands are only to be shown, open the store. SOCKET is an option's, or NULL.
 * Returns 0, or -1 with the fault; site_close either way.
 */
int site_open(struct site *, const char *provider, const char *socket, FILE *show, struct fault *);
void site_close(struct site *);

/* What the settings tell of E2B and nothing else: for what makes no sandbox, and so has no use for a store. */
void site_e2b(struct site *);

#endif
