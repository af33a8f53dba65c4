/* site - what the providers need to know about this machine and this call */
#ifndef SITE_H
#define SITE_H

#include <stdbool.h>
#include <stdint.h>

#include "fault.h"
#include "id.h"

struct store;

struct site {
	struct store *store;    /* NULL when dry */
	char owner[ID_RUN + 1]; /* names this store on labels: what carries another owner is not ours */
	char *socket;           /* docker: the Engine's */
	const char *image;      /* docker: the image when a request names none */
	int64_t lifetime_ms;    /* when a request names none */
	int preview_port;       /* one more port to publish for ordinary purposes */
	bool dry;               /* -n: print the exact commands instead of running them */
};

/*
 * Fill SITE from the operator's settings and, unless DRY, open the store. SOCKET is an option's, or NULL. Returns 0, or -1 with the
 * fault; site_close either way.
 */
int site_open(struct site *, const char *socket, bool dry, struct fault *);
void site_close(struct site *);

#endif
