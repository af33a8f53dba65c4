/* sbx-supervise - inside a sandbox, install what an app needs, run its services, end them, check that they are healthy */

#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "preview.h"
#include "stop.h"

static struct preview preview = {.app_root = "/workspace/app", .port = 3000};

static const struct cli_option options[] = {
    {'a', "app-root", "DIR", "where the app is; what it lies in is the workspace (/workspace/app)", cli_text,
        &preview.app_root},
    {'u', "preview-url", "URL", "where its users find it (http://localhost:PORT)", cli_text, &preview.url},
    {'p', "port", "PORT", "that of the frontend, inside (3000)", cli_port, &preview.port},
    {0},
};

static int
act(const char *action, struct fault *f)
{
	if (strcmp(action, "install") == 0)
		return preview_install(&preview, f);
	if (strcmp(action, "start") == 0)
		return preview_start(&preview, f);
	if (strcmp(action, "stop") == 0)
		return preview_stop(f);
	if (strcmp(action, "check") == 0)
		return preview_check(&preview, f);
	cli_usage("'%s' is no action: install, start, stop or check", action);
}

int
main(int argc, char *argv[])
{
	static const struct cli cli = {SBX_TITLE, "install|start|stop|check", options, .command = false};
	struct fault f = {0};
	int status = STATUS_YES;

	cli_parse(&cli, &argc, &argv);
	if (argc != 1)
		cli_usage("one action: install, start, stop or check");
	if (preview.app_root[0] != '/' || preview.app_root[strlen(preview.app_root) - 1] == '/')
		cli_usage("--app-root must be an absolute path below a workspace, without a slash at its end, not '%s'",
		    preview.app_root);
	preview.envp = (const char *const *)environ;
	stop_catch();
	if (act(argv[0], &f) == -1) {
		cli_warn("%s: %s", argv[0], f.message);
		status = f.status;
	}
	fault_clear(&f);
	return cli_end(status);
}
