/* needs - did a command fail by itself, or did the ground under it give way: its sandbox, files of the image */

#include <string.h>

#include "needs.h"

enum {
	PROBE_MS = 10000,
	TAIL_MOST = 8192
};

/* "true", and a look for each file of the image that the step stands on. */
static void
add_look(struct buf *command, const json_t *needs)
{
	const json_t *path;
	size_t i;

	buf_text(command, "true");
	json_array_foreach (needs, i, path)
		buf_printf(command, " && { test -e '%s' || { echo '%s'; exit 1; }; }", json_string_value(path),
		    json_string_value(path));
}

int
needs_check(const struct provider *provider, const struct site *site, const char *id, const json_t *needs,
    const struct exec_result *failed, struct fault *f)
{
	auto_buf struct buf command = {0};
	struct exec_request request = {.id = id, .limit_ms = PROBE_MS, .keep = TAIL_MOST, .whole_fd = -1};
	struct exec_result result = {0};
	struct fault gone = {0};
	int status = 0;

	if (failed->exit_code <= 128 && (failed->exit_code == 0 || json_array_size(needs) == 0))
		return 0;
	add_look(&command, needs);
	request.command = command.data;
	if (provider->exec(site, &request, &result, &gone) == -1 || result.exit_code > 1)
		status =
		    fault_set(f, STATUS_TROUBLE, "sandbox_lost", "%s: the sandbox ended while a check ran in it", id);
	else if (result.exit_code == 1)
		status = fault_set(f, STATUS_TROUBLE, "image_unfit",
		    "%.*s: not in the sandbox, and the profile's step needs it: build the image again (make image)",
		    (int)strcspn(result.out.data, "\n"), result.out.data);
	exec_free(&result);
	fault_clear(&gone);
	return status;
}
