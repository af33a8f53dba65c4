/* dockerfile_parts - what the parts of the dockerfile module share */
#ifndef DOCKERFILE_PARTS_H
#define DOCKERFILE_PARTS_H

#include <stdbool.h>

#include "dockerfile.h"
#include "text.h"

enum {
	DOCKERFILE_WORDS = 64
};

struct reader {
	const char *name;
	struct text left; /* what is unread */
	int line;         /* of the instruction at hand */
	int next;         /* of what is unread */
	json_t *spec;     /* owned */
	json_t *steps;    /* borrowed from it */
	bool user, workdir;
	struct fault *fault;
};

/* An instruction's words, without their quotes. */
struct words {
	struct buf text; /* owned; each ends in a NUL */
	const char *word[DOCKERFILE_WORDS];
	size_t count;
};

/* Fill the fault with the place and this sentence; returns -1. */
int dockerfile_refuse(struct reader *, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What follows an instruction's name, in words; the caller frees their text either way. */
int dockerfile_split(struct reader *, struct text, struct words *);

/* Add what a whole instruction means to the steps. */
int dockerfile_take(struct reader *, struct text whole);

int dockerfile_step(struct reader *, const char *type, json_t *args);

#endif
