/* smoke - what the runtime smoke told of a running app, as the line has it */
#ifndef SMOKE_H
#define SMOKE_H

#include "exec.h"
#include "json.h"

enum {
	SMOKE_KEEP = 1 << 18 /* bytes of what it wrote that smoke_read needs */
};

/*
 * The member `smoke` (sbx-check(1)) of a command that ran to its end or was ended: a new reference. Its events are JSON lines on
 * standard output, {"event": "check", "id", "status", "message", "path"} and at last {"event": "end", "status", "reason",
 * "message"}. The app runs beside what writes them, so a line that is no event counts for nothing, and passed is only what ended
 * with 0, said so, and has a check that passed and none that failed. STAGED gives for a path in the workspace the one in the bundle
 * (findings_staged); a path that it does not know is left out.
 */
json_t *smoke_read(const struct exec_result *, const json_t *staged);

/* Is that the status of the line's smoke? */
bool smoke_is(const json_t *line, const char *status);

/* The sentence that tells how it came to its status. */
const char *smoke_message(const json_t *line);

#endif
