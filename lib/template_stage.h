/* template_stage - what a commit's template is built from, laid out in a directory that goes away */
#ifndef TEMPLATE_STAGE_H
#define TEMPLATE_STAGE_H

#include <stdbool.h>

#include "digest.h"
#include "fault.h"

/* The recipe's name in the context, whatever it is called in the checkout. */
#define TEMPLATE_RECIPE "Dockerfile.preview"

struct template_stage {
	char *dir;                /* owned; all of it is removed by template_stage_end */
	char *context;            /* owned: the directory in it that is to be sent */
	int fd;                   /* of the same; -1: it is not there yet */
	char commit[DIGEST_TEXT]; /* the checkout's HEAD */
};

/* May a file below the checkout be called so? Relative, without "..", backslashes and what is not printable ASCII. */
bool template_is_plain(const char *path);

/*
 * The working directory must be the top of a git checkout with nothing uncommitted or untracked in it, and DOCKERFILE a name below it
 * of a tracked file: `checkout_refused`, `dockerfile_untracked` (1). The commit's files below the declared paths are unpacked from
 * `git archive`, each as the commit has it (`context_refused` for links and odd names), and `make context` runs among them: it makes
 * the context from those files and from what their lock files name. `git_failed`, `stage_failed` (2) when a program fails.
 *
 * template_stage_end either way. It removes everything, signals or not, and warns when it can't.
 */
int template_stage_begin(struct template_stage *, const char *dockerfile, struct fault *);
void template_stage_end(struct template_stage *);

#endif
