/* strategy - where a build is validated, and which provider hosts a preview */
#ifndef STRATEGY_H
#define STRATEGY_H

#include <stdbool.h>
#include <stdint.h>

#include "fault.h"
#include "json.h"

/* All that a choice depends on. Texts are borrowed; NULL is "not given", which a blank text is not. */
struct strategy_question {
	const char *operator; /* MOZAIKS_APP_VALIDATION_STRATEGY or MOZAIKS_PREVIEW_PROVIDER: blank counts as unset */
	const char *argument; /* the request's */
	const char *context;  /* the workflow's */
	const char *socket;   /* of the Docker Engine; NULL: as engine_socket chooses */
	const char *path;     /* where programs are: PATH */
	bool e2b_key;         /* is there an E2B_API_KEY? */
	int64_t deadline;     /* for the Engine's answer: STRATEGY_PROBE_MS from now */
};

enum {
	STRATEGY_PROBE_MS = 5000
};

struct strategy {
	const char *name;   /* docker, e2b, local or skip; NULL: a preview without any */
	const char *source; /* environment, argument, context or automatic */
	char *reason;       /* owned: free it */
};

/*
 * Choose a strategy for a one-shot validation: the operator's word, else the request's, else the workflow's, else the first of
 * docker, local and skip that can work here. -1 and a fault for a word that is none of the four (`strategy_invalid`; the strategy
 * is then skip) and for one that was asked for and can't work here (`engine_unreachable`, `e2b_key_missing`, `socket_invalid`).
 */
int strategy_validation(const struct strategy_question *, struct strategy *, struct fault *);

/* The same for the provider of a new preview: the operator's word, docker or e2b, else docker. */
int strategy_preview(const struct strategy_question *, struct strategy *, struct fault *);

/* The line's `strategy` member, or NULL when there is none. */
json_t *strategy_json(const struct strategy *);

/*
 * For people and user interfaces: allowed_values, default_value and default_reason (what is chosen when request and workflow say
 * nothing), options with value, label, description and available. NULL and a fault when the operator's word is not valid.
 */
json_t *strategy_summary(const struct strategy_question *, struct fault *);

#endif
