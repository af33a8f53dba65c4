/* sbx-check - run the fixed checks of a profile on the bundle in a sandbox */

#include "check.h"
#include "cli.h"
#include "setting.h"
#include "stop.h"

static long long limit_s;
static const char *engine_at;

static const struct cli_option options[] = {
    {'t', "timeout", "SECONDS", "the most that one check may take, when its profile allows more", cli_seconds,
        &limit_s},
    {0, "socket", "PATH", "the Docker Engine's socket", cli_text, &engine_at},
    {0},
};

int
main(int argc, char *argv[])
{
	static const struct cli cli = {SBX_TITLE, "", options, .command = false};
	static const struct line_stage stage = {{"smoke", "steps"}, .work = check_work};
	struct check_site site;

	cli_parse(&cli, &argc, &argv);
	if (argc > 0)
		cli_usage("it takes no operands");

	stop_catch();
	site = (struct check_site) {setting_state(), setting_share(), engine_at, limit_s * 1000};
	return line_each(&stage, &site);
}
