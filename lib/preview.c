/* preview - the app of a sandbox at work: its dependencies, its services, whether they are the right app's */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"
#include "clock.h"
#include "instance.h"
#include "logfile.h"
#include "path.h"
#include "posture.h"
#include "preview.h"
#include "supervise.h"
#include "x.h"

enum {
	STOP_MS = 15000
};

static struct logfile runtime_log;

char *
preview_workspace(const struct preview *p)
{
	const char *slash = strrchr(p->app_root, '/');

	return slash == p->app_root ? x_strdup("/") : x_strndup(p->app_root, (size_t)(slash - p->app_root));
}

char *
preview_packages(const struct preview *p)
{
	auto_free char *workspace = preview_workspace(p);

	return x_printf("%s/.python", workspace);
}

static int
compose(const struct preview *p, struct environ *e, struct fault *f)
{
	auto_free char *url = p->url != NULL ? x_strdup(p->url) : x_printf("http://localhost:%d", p->port);
	auto_free char *packages = preview_packages(p), *port = x_printf("%d", p->port);
	const struct posture_place place = {.app_root = p->app_root, .state = PREVIEW_STATE, .preview_url = url};
	auto_posture struct posture posture = {0};

	if (posture_read(&posture, p->app_root, f) == -1)
		return -1;
	environ_take(e, p->envp, "", "the sandbox's environment");
	if (posture_apply(&posture, &place, e, f) == -1)
		return -1;
	environ_set(e, "PYTHONUSERBASE", packages, "where its packages were installed");
	environ_set(e, "PYTHONDONTWRITEBYTECODE", "1", "pinned in every preview");
	environ_set(e, "SANDBOX_PREVIEW_PORT", port, "the frontend's port");
	return 0;
}

/* The names of the image's parts in the environment, and a file that tells whether the part is there. */
static int
check_image(const struct environ *e, struct fault *f)
{
	static const char *const parts[][2] = {{"MOZAIKS_WEB_SHELL_PATH", "node_modules/vite/bin/vite.js"},
	    {"MOZAIKS_CHAT_UI_PATH", "src"}, {"MOZAIKS_FACTORY_APP_PATH", "."}};

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		auto_free char *path = x_printf("%s/%s", environ_get(e, parts[i][0]), parts[i][1]);

		if (access(path, R_OK) == -1)
			return fault_errno(f, STATUS_TROUBLE, "image_incomplete", "%s", path);
	}
	return 0;
}

/* Where there is none the backend would miss it. A source that nobody may write to was given one when it was made. */
static int
make_workflows(const struct environ *e, struct fault *f)
{
	const char *dir = environ_get(e, "MOZAIKS_WORKFLOWS_PATH");

	if (mkdir(dir, 0755) == 0 || errno == EEXIST)
		return 0;
	return fault_errno(f, STATUS_TROUBLE, "workspace_unwritable", "%s", dir);
}

/* Both for people and, with the time, for the log that is there for whoever comes later. */
static void
say(const char *name, const char *words, bool trouble)
{
	char now[CLOCK_TEXT];
	auto_free char *line = NULL;

	clock_format(clock_wall(), now);
	line = x_printf("%s %s: %s\n", now, name, words);
	logfile_write(&runtime_log, line, strlen(line));
	if (trouble)
		cli_warn("%s: %s", name, words);
	else
		cli_explain("%s: %s", name, words);
}

static int
run(const struct services *services, struct fault *f)
{
	int lock, status;

	if ((lock = instance_claim(PREVIEW_PID, f)) == -1)
		return -1;
	status = supervise(services, PREVIEW_LOGS, say, f);
	instance_release(lock, PREVIEW_PID);
	return status;
}

static int
prepare_and_run(const struct preview *p, struct fault *f)
{
	auto_services struct services services = {0};
	auto_environ struct environ e = {0};

	if (compose(p, &e, f) == -1 || check_image(&e, f) == -1 ||
	    services_read(&services, PREVIEW_SERVICES, f) == -1 ||
	    services_fill(&services, PREVIEW_SERVICES, &e, f) == -1 || make_workflows(&e, f) == -1)
		return -1;
	return run(&services, f);
}

int
preview_start(const struct preview *p, struct fault *f)
{
	int status;

	/* First of all, since whoever started this in the background has nothing but the log. */
	path_make_private(PREVIEW_STATE);
	path_make_private(PREVIEW_LOGS);
	logfile_open(&runtime_log, PREVIEW_LOG);
	status = prepare_and_run(p, f);
	say("supervisor", status == 0 ? "stopped, as it was asked to" : f->message, false);
	logfile_close(&runtime_log);
	return status;
}

int
preview_stop(struct fault *f)
{
	return instance_stop(PREVIEW_PID, clock_deadline(STOP_MS), f);
}
