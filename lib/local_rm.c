/* local_rm - end a local sandbox, and say gone only after a look */

#include <string.h>

#include "bound.h"
#include "cli.h"
#include "clock.h"
#include "crash.h"
#include "holding.h"
#include "local.h"
#include "mark.h"
#include "setting.h"
#include "x.h"

/* End what runs for the sandbox, whoever started it; 0: nothing does. */
static int
end_processes(const char *id, int64_t deadline)
{
	auto_free char *groups = x_printf("sbx-%s", id), *mark = x_printf(LOCAL_MARK "=%s", id);
	int grouped = bound_remove(groups, deadline), marked = mark_end(mark, deadline);

	return grouped == 0 && marked == 0 ? 0 : -1;
}

static enum gone
end_here(const struct site *s, const char *id, struct fault *f)
{
	auto_free char *name = x_printf("sbx-%s", id);
	struct fault unwritten = {0};
	enum gone gone = GONE_CONFIRMED;

	if (cell_remove(setting_state(), id, end_processes, clock_deadline(LOCAL_RM_MS), f) == -1)
		gone = GONE_UNCONFIRMED;
	crash_point("local.rm.ended");
	if (holding_end(s, name, gone == GONE_CONFIRMED ? "gone" : "unconfirmed", &unwritten) == -1)
		cli_warn("%s: %s", id, unwritten.message);
	fault_clear(&unwritten);
	return gone;
}

enum gone
local_rm(const struct site *s, const char *id, const char *engine, struct fault *f)
{
	auto_free char *recorded = NULL, *here = local_engine();
	const char *own = local_id(id);

	if (own == NULL) {
		fault_fill(f, STATUS_NO, "sandbox_foreign", "%s: not the id of a local sandbox", id);
		return GONE_NOT_OURS;
	}
	if (s->show != NULL) {
		auto_free char *dir = local_dir(id);

		local_show(s, f, "umount -l %s/workspace; rm -rf %s", dir, dir);
		return GONE_UNCONFIRMED;
	}
	if (local_recall(s, id, &recorded, f) == -1) {
		f->status = STATUS_DOUBT;
		return GONE_UNCONFIRMED;
	}
	if (recorded != NULL)
		engine = recorded;
	/* Where it can't be, that it is not there tells nothing. */
	if (engine != NULL && *engine != '\0' && strcmp(engine, here) != 0) {
		fault_fill(f, STATUS_DOUBT, "engine_other",
		    "%s: it was made on another machine, or under another SBX_STATE", id);
		return GONE_UNCONFIRMED;
	}
	return end_here(s, own, f);
}
