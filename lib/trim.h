/* trim - how much of a build's output evidence keeps (the seeds' APP_VALIDATION_BUILD_OUTPUT_MAX_CHARS) */
#ifndef TRIM_H
#define TRIM_H

#include <stdint.h>

#include "line.h"

enum {
	TRIM_DEFAULT = 20000 /* characters */
};

/*
 * Bring the line's result.build_output to the last MOST characters and say so in build_output_truncated; with MOST at 0 or
 * below, and when it is no text, take it out. Every other byte of the line stays.
 */
void trim_output(struct line *, int64_t most);

#endif
