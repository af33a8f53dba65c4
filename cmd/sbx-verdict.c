/* sbx-verdict - combine what is known of a run into its result, and what is not into words */

#include "cli.h"
#include "setting.h"
#include "verdict.h"

static const struct cli_option options[] = {
    {0},
};

int
main(int argc, char *argv[])
{
	static const struct cli cli = {SBX_TITLE, "", options, .command = false};
	static const struct line_stage stage = {{"result", "verdict"}, .always = true, .work = verdict_work};
	struct verdict_site site;

	cli_parse(&cli, &argc, &argv);
	if (argc > 0)
		cli_usage("it takes no operands");

	site = (struct verdict_site) {.state = setting_state(), .share = setting_share()};
	return line_each(&stage, &site);
}
