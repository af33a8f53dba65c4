/* accept_rules - the acceptance rules: programs for jq, one a file, run in one jq process */

#include <unistd.h>

#include "accept_rules.h"
#include "clock.h"
#include "fd.h"
#include "profile.h"
#include "program.h"
#include "x.h"

enum {
	RUN_MS = 30000,
	OUTPUT_MOST = 8 << 20
};

/* The one value that PROGRAM makes of INPUT, a new reference; NULL and a fault. */
static json_t *
run(const char *share, const char *program, int input, struct fault *f)
{
	auto_free char *rules = x_printf("%s/rules", share);
	/* Without a home in its environment: jq would read programs of the user's from there. */
	const char *argv[] = {"jq", "-c", "-L", rules, program, NULL};
	const struct program jq = {.argv = argv,
	    .in = input,
	    .out = -1,
	    .most = OUTPUT_MOST,
	    .deadline = clock_deadline(RUN_MS),
	    .alone = true,
	    .reason = "rules_failed",
	    .subject = "the acceptance rules"};
	char why[JSON_ERROR_TEXT_LENGTH];
	auto_buf struct buf output = {0};
	json_t *value;

	if (program_run(&jq, &output, f) == -1)
		return NULL;
	if ((value = json_parse_any(output.data, output.len, why)) == NULL)
		fault_fill(f, STATUS_TROUBLE, jq.reason, "%s: %s", jq.subject, why);
	return value;
}

static bool
is_rule(const char *share, const char *rule)
{
	auto_free char *file = x_printf("%s/rules/%s.jq", share, rule);

	return profile_is_rule(rule) && access(file, R_OK) == 0;
}

json_t *
accept_rules_run(const char *share, const json_t *rules, int input, struct fault *f)
{
	auto_buf struct buf program = {0}, calls = {0};
	const json_t *value;
	size_t i;

	buf_text(&program, "include \"lib/bundle\"; include \"lib/report\"; ");
	json_array_foreach (rules, i, value) {
		const char *rule = json_string_value(value);

		if (!is_rule(share, rule)) {
			fault_fill(f, STATUS_TROUBLE, "rule_unknown", "%s/rules: no rule '%s'", share, rule);
			return NULL;
		}
		buf_printf(&program, "import \"%s\" as %s; ", rule, rule);
		buf_printf(&calls, "%sreport(\"%s\"; %d; %s::check)", i > 0 ? ", " : "", rule, ACCEPT_FOUND_MOST, rule);
	}
	buf_printf(&program, "view | [%s]", calls.len > 0 ? calls.data : "");
	return run(share, program.data, input, f);
}

json_t *
accept_rules_tell(const char *share, const json_t *rules, struct fault *f)
{
	auto_close int input = -1;
	auto_buf struct buf text = {0};

	json_add_text(&text, rules);
	input = fd_memory_with("input", text.data, text.len);
	return run(share, "map({rule: ., meta: modulemeta})", input, f);
}
