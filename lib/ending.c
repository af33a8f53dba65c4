/* ending - what people are told when a run is not ready and nothing more will be tried */

#include "ending.h"

enum {
	LISTED = 10
};

static const char unavailable[] =
    "The environment that validates apps was not available, so nothing is known about this one: "
    "restore it, then run the validation again.";
static const char incomplete[] =
    "A validation that is required did not complete, so the app is unverified and may have "
    "defects that nobody looked for.";
static const char unchanged[] = "The bundle is the same as in the run before, and it failed again in the same way.";
static const char unrepaired[] = "What is wrong with the bundle could not be repaired automatically.";

static const char *
headline(const struct judgement *j, enum acceptance a, bool no_progress)
{
	if (j->infrastructure)
		return unavailable;
	if (j->build != BUILD_FAILED && a != ACCEPTANCE_FAILED)
		return incomplete;
	return no_progress ? unchanged : unrepaired;
}

json_t *
ending_message(const struct judgement *j, enum acceptance a, bool no_progress, const json_t *problems)
{
	size_t n = json_array_size(problems);
	auto_buf struct buf b = {0};

	buf_text(&b, headline(j, a, no_progress));
	for (size_t i = 0; i < n && i < LISTED; i++)
		buf_printf(&b, "\n- %s", json_text_at(json_array_get(problems, i), "error"));
	if (n > LISTED)
		buf_printf(&b, "\n- and %zu more", n - LISTED);
	return json_lossy(b.data, b.len);
}
