/* environ - an ordered set of environment variables, each with where it comes from */
#ifndef ENVIRON_H
#define ENVIRON_H

#include <stdbool.h>
#include <stddef.h>

struct environ_item {
	char *text; /* owned: NAME=value, as execve(2) takes it */
	size_t name_len;
	const char *source; /* where it comes from, in words; borrowed for good */
};

struct environ {
	struct environ_item *item; /* owned; no two have one name */
	size_t count, room;
};

#define auto_environ __attribute__((cleanup(environ_free)))

/* Is NAME an identifier of C, which every shell and every provider takes as a variable's name? */
bool environ_is_name(const char *name);

/* Give NAME that value. It becomes the last of the set, whether it was there before or not. */
void environ_set(struct environ *, const char *name, const char *value, const char *source);

/* Take NAME out; one that is not there is fine. */
void environ_unset(struct environ *, const char *name);

/* The variable, or its value, borrowed until the set changes; NULL when it is not there. */
const struct environ_item *environ_find(const struct environ *, const char *name);
const char *environ_get(const struct environ *, const char *name);

/*
 * Set every variable of ENVP, a list of NAME=value that ends with NULL, whose name begins with PREFIX and goes on, under what its
 * name goes on with. No name is checked.
 */
void environ_take(struct environ *, const char *const *envp, const char *prefix, const char *source);

/* For execve(2): the variables in their order, then NULL. The caller frees the list; its strings are borrowed from the set. */
const char **environ_list(const struct environ *);

void environ_free(struct environ *);

#endif
