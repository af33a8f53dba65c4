/* accept_rules - the acceptance rules: programs for jq, one a file, run in one jq process */
#ifndef ACCEPT_RULES_H
#define ACCEPT_RULES_H

#include "fault.h"
#include "json.h"

/*
 * Run RULES, an array of names, over the document that the descriptor INPUT holds from its start (accept_input). Gives a new
 * reference to an array with one member for each rule, in their order: {"rule", "meta": {"title", "reason", "group"},
 * "found": […]}, and "step" in meta where a step of the profile decides. What is found are {"file", "failure"}, {"file",
 * "warning"} and {"skip"}, all texts; ACCEPT_FOUND_MOST at most. NULL and a fault otherwise: `rule_unknown`, `rules_failed` (2) when
 * jq is missing, fails, takes too long or says anything else; 128+n `stopped` by a signal.
 */
json_t *accept_rules_run(const char *share, const json_t *rules, int input, struct fault *);

enum {
	ACCEPT_FOUND_MOST = 200
};

/* What RULES tell of themselves: [{"rule", "meta"}], a new reference; NULL and a fault. */
json_t *accept_rules_tell(const char *share, const json_t *rules, struct fault *);

#endif
