/* sbx-accept - hold a staged bundle against the acceptance rules of its profile */

#include <stdio.h>

#include "accept.h"
#include "cli.h"
#include "setting.h"
#include "stop.h"

static bool list, json;

static const struct cli_option options[] = {
    {'l', "list", NULL, "list the rules, and which profiles apply them", cli_flag, &list},
    {0, "json", NULL, "with --list: one JSON object a line", cli_flag, &json},
    {0},
};

static void
print_rule(const json_t *rule)
{
	const json_t *profiles = json_object_get(rule, "profiles"), *step = json_object_get(rule, "step"), *name;
	size_t i;

	printf("%s: %s\n    because %s\n    profiles:", json_text_at(rule, "rule"), json_text_at(rule, "title"),
	    json_text_at(rule, "reason"));
	json_array_foreach ((json_t *)profiles, i, name)
		printf(" %s", json_string_value(name));
	if (step != NULL)
		printf("; decided in the sandbox by the step %s", json_string_value(step));
	putchar('\n');
}

static int
print_rules(void)
{
	struct fault f = {0};
	json_auto_t *rules = accept_list(setting_share(), &f);
	json_t *rule;
	size_t i;

	if (rules == NULL) {
		cli_warn("%s", f.message);
		return cli_end(f.status);
	}
	json_array_foreach (rules, i, rule)
		if (json) {
			json_dumpf(rule, stdout, JSON_COMPACT);
			putchar('\n');
		} else
			print_rule(rule);
	return cli_end(STATUS_YES);
}

int
main(int argc, char *argv[])
{
	static const struct cli cli = {SBX_TITLE, "", options, false};
	static const struct line_stage stage = {{"acceptance"}, .work = accept_work};

	cli_parse(&cli, &argc, &argv);
	if (argc > 0)
		cli_usage("it takes no operands");
	if (json && !list)
		cli_usage("--json goes with --list");

	stop_catch();
	return list ? print_rules() : line_each(&stage, (void *)setting_share());
}
