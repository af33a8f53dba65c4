/* output - what the steps of a run printed, put together as the seeds' build_output */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdbool.h>

#include "json.h"

enum {
	OUTPUT_MOST = 65536 /* bytes */
};

/*
 * The file that a step's `output` names, opened; -1 when there is none. The line may come from anywhere and its files end up in
 * evidence, so only regular files right in the run's own directory are read.
 */
int output_open(const char *dir, const char *path);

/*
 * For each step that ran: a header that names its command, then its output file in DIR. Only the last MOST bytes, at most
 * OUTPUT_MOST, are given, and CUT says when that was not all. A file that is not there is replaced by the step's tails. A new reference.
 */
json_t *output_of_steps(const char *dir, const json_t *steps, size_t most, bool *cut);

#endif
