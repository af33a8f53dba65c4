/* lexical - paths judged by their text alone, as the files they name are in a sandbox that is gone */
#ifndef LEXICAL_H
#define LEXICAL_H

#include "buf.h"
#include "text.h"

/*
 * Put into OUT what PATH means to a program that runs in the absolute directory CWD: backslashes become slashes, a path that
 * starts with a slash or a drive letter is absolute, and ".", ".." and empty parts are gone. ".." ends at the root.
 */
void lexical_resolve(struct buf *out, const char *cwd, struct text path);

/* What follows "ROOT/" in PATH, both resolved; NULL when PATH is elsewhere, or ROOT itself. Borrowed from PATH. */
const char *lexical_inside(const char *path, const char *root);

#endif
