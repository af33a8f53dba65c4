/* sbx-stage - check a bundle and write it once as a deterministic tar in workspace layout */

#include <stdio.h>

#include "cli.h"
#include "digest.h"
#include "line.h"
#include "path.h"
#include "rule.h"
#include "setting.h"
#include "stage.h"
#include "stop.h"
#include "x.h"

static const char *profile_name = "mozaiks";
static const char *sha256;
static bool list_rules;

static const struct cli_option options[] = {
    {'p', "profile", "NAME", "whose layout, owner and limits to use (mozaiks)", cli_text, &profile_name},
    {'s', "sha256", "HEX", "the SHA-256 that the archive must have", cli_text, &sha256},
    {'r', "rules", NULL, "print the rules that a bundle must keep, and stage nothing", cli_flag, &list_rules},
    {0},
};

/* One rule a line: its name, a tab, its sentence. */
static int
print_rules(void)
{
	for (enum rule r = RULE_NONE + 1; r < RULE_COUNT; r++)
		printf("%s\t%s\n", rule_name(r), rule_sentence(r));
	return cli_end(STATUS_YES);
}

static int
work(struct line *l, void *request, struct fault *f)
{
	const char *run = line_run(l, f);
	auto_free char *dir = run != NULL ? path_run(setting_state(), run) : NULL;
	auto_profile struct profile profile = {0};
	struct stage_request q = *(const struct stage_request *)request;
	json_t *bundle;

	if (dir == NULL || profile_find(&profile, setting_share(), profile_name, f) == -1)
		return -1;
	q.dir = dir;
	q.profile = &profile;
	if (stage_bundle(&q, &bundle, f) == -1)
		return -1;
	cli_explain("%s: %lld files, %lld bytes", q.path, (long long)json_int_at(bundle, "files", 0),
	    (long long)json_int_at(bundle, "total_bytes", 0));
	line_add(l, "bundle", bundle);
	return 0;
}

int
main(int argc, char *argv[])
{
	static const struct cli cli = {SBX_TITLE, "FILE|DIR\n--rules", options, false};
	static const struct line_stage stage = {{"bundle"}, .work = work};
	struct stage_request request = {0};
	uint8_t digest[DIGEST_BYTES];

	cli_parse(&cli, &argc, &argv);
	if (list_rules && argc == 0)
		return print_rules();
	if (argc != 1 || list_rules)
		cli_usage("one bundle must be named");
	if (sha256 != NULL && !digest_parse(sha256, digest))
		cli_usage("--sha256 takes 64 hexadecimal digits, not '%s'", sha256);

	request.path = argv[0];
	request.sha256 = sha256 != NULL ? digest : NULL;
	stop_catch();
	return line_each(&stage, &request);
}
