/* ci - what was found, in the forms that CI systems read */
#ifndef CI_H
#define CI_H

#include <stdbool.h>

#include "buf.h"
#include "json.h"

struct ci_report {
	const char *name; /* of the run, or of the log */
	const json_t
	    *findings;      /* [{tool, code, severity, file, line, column, message, owned}]; texts may hold anything */
	const json_t *line; /* the run's line; NULL for a log */
};

/* A document is what begin, any number of reports and end append, in this order; each report but the first follows another. */
struct ci_format {
	const char *name;
	void (*begin)(struct buf *);
	void (*add)(struct buf *, const struct ci_report *, bool first);
	void (*end)(struct buf *);
};

/* jsonl, sarif, junit or github; NULL for another name. */
const struct ci_format *ci_find(const char *name);

/*
 * All that speaks against a run, as findings: its diagnostics, what acceptance and the smoke found, and its line's error. A new reference.
 */
json_t *ci_findings(const json_t *line, const json_t *diagnostics);

extern const struct ci_format ci_sarif, ci_junit, ci_github;

#endif
