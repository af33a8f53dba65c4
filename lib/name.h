/* name - names of files that mean the same on every system, and which of them meet */
#ifndef NAME_H
#define NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "rule.h"

enum {
	NAME_MOST = 4096,
	NAME_PART_MOST = 255
};

/*
 * The first rule of names that NAME breaks, a path relative to the bundle without a slash at its end, or RULE_NONE. Bytes, since
 * file systems count those.
 */
enum rule name_check(const char *name, size_t len);

struct name_item {
	const char *text; /* borrowed; passed name_check */
	size_t len;
	bool directory;
	size_t key, key_len; /* for name_meet alone */
};

/*
 * Look for two of COUNT names that are one, or differ only in case or Unicode form in any of their parts, or of which one is a
 * file where the other has a directory. Returns the rule they break with the two in A and B, or RULE_NONE. Sorts the items.
 */
enum rule name_meet(struct name_item *, size_t count, const struct name_item **a, const struct name_item **b);

#endif
