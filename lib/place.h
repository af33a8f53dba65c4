/* place - paths of the image in a text become those of where they are in fact */
#ifndef PLACE_H
#define PLACE_H

#include <stdbool.h>
#include <stddef.h>

struct place {
	const char *inside; /* as the image, and so profiles, have it */
	const char *here;
};

/*
 * TEXT, such as a command, with each path that is one of the PLACES, or begins with one, moved there. A path that only looks alike
 * ("/workspace2", "/a/workspace") stays. The caller frees it.
 */
char *place_text(const struct place *places, size_t count, const char *text);

/* Would a shell take the path for one word, unquoted? What stands in a command must be such. */
bool place_is_plain(const char *path);

#endif
