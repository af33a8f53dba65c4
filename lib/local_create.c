/* local_create - make a local sandbox and try its walls, or leave nothing of the attempt */

#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "crash.h"
#include "holding.h"
#include "id.h"
#include "local.h"
#include "local_find.h"
#include "room.h"
#include "setting.h"
#include "stop.h"
#include "x.h"

enum {
	TRIAL_MS = 20000
};

/* Also shows that a command can be run between these walls, and ended. */
#define TRIAL "command -v node && command -v python"

static int
check(const struct sandbox_request *r, struct fault *f)
{
	if (strcmp(r->purpose, "app_validation") != 0)
		return fault_set(f, STATUS_NO, "purpose_unsupported",
		    "local: can't host sandboxes of purpose %s, as it never previews: choose docker", r->purpose);
	if (r->image != NULL && strcmp(r->image, "host") != 0)
		return fault_set(f, STATUS_NO, "image_unsupported",
		    "local: has no images, so not %s either: leave it out, or choose docker", r->image);
	return exec_check_env(r->env, f);
}

/* What is kept of the request beside the workspace. */
static json_t *
about(const struct site *s, const struct sandbox_request *r, bool walls, const struct holding *row)
{
	auto_free char *boot = local_boot();
	const char *id = local_id(row->name);
	char deadline[CLOCK_TEXT];
	json_t *all;

	clock_format(row->deadline, deadline);
	all = json_make("{s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:b, s:s, s:s, s:s}", "provider", row->provider, "id", id,
	    "name", row->name, "engine", row->engine, "purpose", r->purpose, "deadline", deadline, "deadline_ms",
	    (json_int_t)row->deadline, "confined", walls, "boot", boot, "owner", s->owner, "run", r->run);
	if (!walls) {
		auto_free char *workspace = x_printf("%s/local/%s/workspace", setting_state(), id);

		json_object_set_new(all, "workspace", json_string(workspace));
	}
	if (r->bundle_sha256 != NULL)
		json_object_set_new(all, "bundle", json_string(r->bundle_sha256));
	if (json_object_size(r->metadata) > 0)
		json_object_set(all, "metadata", (json_t *)r->metadata);
	json_object_set_new(all, "env", r->env != NULL ? json_copy((json_t *)r->env) : json_object());
	return all;
}

static int
try_out(const struct cell *c, const struct local_tools *t, struct fault *f)
{
	const struct exec_request trial = {.command = TRIAL, .limit_ms = TRIAL_MS, .keep = 1024, .whole_fd = -1};
	struct exec_result result = {0};
	int status = local_run(c, t, &trial, &result, f);

	if (status == 0 && result.exit_code != 0)
		status = fault_set(f, STATUS_TROUBLE, "shell_missing",
		    "%s/bin: node and python are neither there nor in the system: run \"make shell install\", or "
		    "choose docker",
		    t->shell);
	exec_free(&result);
	return status;
}

/* Without walls, files of the workspace find what the shell has by a link above it. */
static int
make_workspace(const struct cell *c, const struct local_tools *t, struct fault *f)
{
	auto_free char *link = x_printf("%s/node_modules", c->dir);
	auto_free char *target = x_printf("%s/web_shell/node_modules", t->shell);
	uid_t user = local_user(c);
	bool mounted = user != geteuid();

	if (room_make(c->workspace, mounted, user, mounted ? (gid_t)user : getegid(), f) == -1) {
		if (mounted)
			local_advise(f);
		return -1;
	}
	if (!local_is_confined(c) && symlink(target, link) == -1)
		return fault_errno(f, STATUS_TROUBLE, "workspace_failed", "%s", link);
	return 0;
}

static json_t *
make(const json_t *all, const struct local_tools *t, struct fault *f)
{
	auto_cell struct cell c = {0};
	const char *id = json_text_at(all, "id");

	if (cell_make(setting_state(), id, all, f) == -1)
		return NULL;
	crash_point("local.create.made");
	if (cell_open(&c, setting_state(), id) == -1) {
		fault_fill(f, STATUS_TROUBLE, "sandbox_failed", "sandbox %s: was removed while it was made", id);
		return NULL;
	}
	if (make_workspace(&c, t, f) == -1)
		return NULL;
	crash_point("local.create.workspace");
	return try_out(&c, t, f) == -1 ? NULL : local_sandbox(&c);
}

/* Remove what came of a failed attempt; what can't be seen to be gone makes the fault one of doubt. */
static void
undo(const struct site *s, const struct holding *row, struct fault *f)
{
	struct fault unclear = {0};

	stop_hold(true);
	if (local_rm(s, row->name, row->engine, &unclear) != GONE_CONFIRMED) {
		struct fault first = *f;

		*f = (struct fault) {0};
		fault_fill(f, STATUS_DOUBT, first.reason, "%s; and what was made of it may be left: %s", first.message,
		    unclear.message);
	}
	stop_hold(false);
	fault_clear(&unclear);
}

json_t *
local_create(const struct site *s, const struct sandbox_request *r, struct fault *f)
{
	__attribute__((cleanup(local_forget))) struct local_tools tools = {0};
	auto_free char *engine = local_engine();
	char name[sizeof "sbx-" + ID_RUN] = "sbx-";
	const struct holding row = {.provider = local_provider.name,
	    .name = name,
	    .run = r->run,
	    .purpose = r->purpose,
	    .engine = engine,
	    .bundle_sha256 = r->bundle_sha256,
	    .deadline = clock_wall() + (r->lifetime_ms > 0 ? r->lifetime_ms : s->lifetime_ms)};
	json_auto_t *all = NULL;
	json_t *sandbox;
	bool walls;

	if (check(r, f) == -1 || local_wants_walls(&walls, f) == -1 || local_find(&tools, walls, f) == -1)
		return NULL;
	if (s->show != NULL) {
		auto_free char *dir = local_dir(name);

		local_show(s, f, "mkdir -p %s/workspace%s", dir,
		    geteuid() == 0 && walls ? " && mount -t tmpfs -o size=1g sbx $_" : "");
		return NULL;
	}
	id_hex(name + strlen(name), ID_RUN);
	all = about(s, r, walls, &row);
	if (holding_begin(s, &row, f) == -1)
		return NULL;
	crash_point("local.create.noted");
	sandbox = make(all, &tools, f);
	if (sandbox != NULL && holding_live(s, name, local_id(name), NULL, f) == 0)
		return sandbox;
	json_decref(sandbox);
	undo(s, &row, f);
	return NULL;
}
