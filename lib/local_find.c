/* local_find - what a local run needs of this machine, and advice where it is not there */

#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "local_find.h"
#include "setting.h"
#include "x.h"

#define BUILDER "web_shell/node_modules/vite/bin/vite.js"

/* Beside the running program: the two are built and installed together. */
static char *
find_within(void)
{
	char self[4096];
	ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
	auto_free char *path = NULL;

	if (len == -1)
		return NULL;
	self[len] = '\0';
	path = x_printf("%s/sbx-within", dirname(self));
	return access(path, X_OK) == 0 ? x_steal(path) : NULL;
}

/* The seeds' two conditions for a local run. */
static int
check_build(const char *shell, struct fault *f)
{
	auto_free char *npm = setting_program("npm"), *builder = x_printf("%s/%s", shell, BUILDER);

	if (npm == NULL)
		return fault_set(f, STATUS_TROUBLE, "npm_missing",
		    "npm: not on PATH: a local run needs it; install it, or choose docker");
	if (shell[0] != '/' || access(builder, R_OK) == -1)
		return fault_set(f, STATUS_TROUBLE, "shell_missing",
		    "%s: not there: run \"make shell install\", name the shared shell in SBX_SHELL, or choose docker",
		    builder);
	return 0;
}

static int
find_walls(struct local_tools *t, struct fault *f)
{
	if ((t->bwrap = setting_program("bwrap")) == NULL)
		return fault_set(f, STATUS_TROUBLE, "bubblewrap_missing",
		    "bwrap: not on PATH: install bubblewrap, choose docker, or set SBX_LOCAL_UNCONFINED=1 to do "
		    "without walls");
	if ((t->within = find_within()) == NULL)
		return fault_set(
		    f, STATUS_TROUBLE, "within_missing", "sbx-within: not beside this program: install sbx as a whole");
	return 0;
}

void
local_advise(struct fault *f)
{
	struct fault first = *f;

	*f = (struct fault) {0};
	fault_fill(f, first.status, first.reason, "%s; or " LOCAL_ADVICE, first.message);
	fault_clear(&first);
}

int
local_wants_walls(bool *walls, struct fault *f)
{
	const char *unconfined = setting_text("SBX_LOCAL_UNCONFINED", "0");

	if (strcmp(unconfined, "0") != 0 && strcmp(unconfined, "1") != 0)
		return fault_set(
		    f, STATUS_TROUBLE, "setting_invalid", "SBX_LOCAL_UNCONFINED: must be 0 or 1, not '%s'", unconfined);
	*walls = strcmp(unconfined, "0") == 0;
	return 0;
}

int
local_find(struct local_tools *t, bool walls, struct fault *f)
{
	auto_free char *installed = x_printf("%s/shell", setting_share());

	*t = (struct local_tools) {.shell = x_strdup(setting_text("SBX_SHELL", installed))};
	return check_build(t->shell, f) == -1 || (walls && find_walls(t, f) == -1) ? -1 : 0;
}

void
local_forget(struct local_tools *t)
{
	free(t->shell);
	free(t->bwrap);
	free(t->within);
	*t = (struct local_tools) {0};
}
