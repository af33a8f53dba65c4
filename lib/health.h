/* health - is the app in a sandbox up, and is it the one that it should be? */
#ifndef HEALTH_H
#define HEALTH_H

#include "cli.h"
#include "line.h"
#include "probe.h"

struct health {
	struct probe
	    probe; /* for lines its url may be a path alone, and the host of its tcp empty: the line's sandbox is meant */
	const char *socket; /* an option's, or NULL */
	int port;           /* of the app, inside */
	int64_t limit_ms;
};

#ifdef SBX_INSIDE

/* The program that images hold knows neither providers nor lines. */
static inline int
health_via(const struct health *h, const char *via, int64_t deadline, struct probe_tally *t, struct fault *f)
{
	(void)h, (void)deadline, (void)t;
	return fault_set(f, STATUS_TROUBLE, "probe_invalid", "--via %s: this is the program for the inside", via);
}

static inline int
health_lines(struct health *h)
{
	(void)h;
	cli_usage("which --tcp or --http?");
}

#else

/* probe_wait, carried out by the program in the sandbox that VIA names: "docker:ID". Further faults: those of its provider, and `image_unfit`. */
int health_via(const struct health *, const char *via, int64_t deadline, struct probe_tally *, struct fault *);

/* Check the sandbox of each line on standard input and add `health`. Returns the exit status. */
int health_lines(struct health *);

#endif

#endif
