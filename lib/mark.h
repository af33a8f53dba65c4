/* mark - processes known by a variable in their environment */
#ifndef MARK_H
#define MARK_H

#include <stdint.h>

/*
 * Kill every process that was started with MARK ("NAME=value") in its environment and that we may look at. Returns 0 when two
 * looks in a row found none, -1 when some still are at DEADLINE. Who gave its environment up is not found.
 */
int mark_end(const char *mark, int64_t deadline);

#endif
