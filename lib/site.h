/* site - what the providers need to know about this machine and this call */
#ifndef SITE_H
#define SITE_H

#include <stdint.h>
#include <stdio.h>

#include "fault.h"
#include "id.h"

struct store;

struct site {
	struct store *store;    /* NULL under -n */
	char owner[ID_RUN + 1]; /* names this store on labels: what carries another owner is not ours */
	char *socket;           /* docker: the Engine's */
	const char *image;      /* docker: the image when a request names none */
	int64_t lifetime_ms;    /* when a request names none */
	int preview_port;       /* one more port to publish for ordinary purposes */
	FILE *show;             /* -n: print the exact commands there instead of running them; else NULL */
};

/*
 * Fill SITE from the operator's settings and, unless commands are only to be shown, open the store. SOCKET is an option's, or NULL.
 * Returns 0, or -1 with the fault; site_close either way.
 */
int site_open(struct site *, const char *socket, FILE *show, struct fault *);
void site_close(struct site *);

#endif
