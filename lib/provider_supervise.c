/* provider_supervise - the verb that has a sandbox's supervisor install, start, stop or check an app */

#include <stdio.h>
#include <string.h>

#include "provider_face.h"

enum {
	LOOK_MS = 10000
};

#define PROGRAM "/usr/local/libexec/sbx/sbx-supervise" /* in every image that previews: sbx-image(7) */

/* What the supervisor can be asked for, and how long that may take when nobody says. */
static const struct {
	const char *name;
	int seconds;
} actions[] = {{"install", 300}, {"start", 0}, {"stop", 30}, {"check", 10}};

/* -1 for what is no action. */
static int
seconds_for(const char *action)
{
	for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
		if (strcmp(action, actions[i].name) == 0)
			return actions[i].seconds;
	return -1;
}

bool
face_is_action(const char *word)
{
	return seconds_for(word) != -1;
}

static int
unfit(const char *id, struct fault *f)
{
	return fault_set(
	    f, STATUS_TROUBLE, "image_unfit", "%s: its image has no " PROGRAM " that runs (see sbx-image(7))", id);
}

/* What is left to itself can't say that it is not there. */
static int
look(struct face *c, const char *id, struct fault *f)
{
	const struct exec_request r = {
	    .id = id, .command = "test -x " PROGRAM, .limit_ms = LOOK_MS, .whole_fd = -1, .own = true};
	struct exec_result result;
	int status = c->provider->exec(&c->site, &r, &result, f);

	exec_free(&result);
	if (status == 0 && result.exit_code != 0)
		return unfit(id, f);
	return c->show ? 0 : status;
}

int
face_act(struct face *c, const char *id, char **words, bool live, struct exec_result *result, struct fault *f)
{
	bool start = strcmp(words[0], "start") == 0;
	auto_buf struct buf command = {0};
	struct exec_request r = {.id = id,
	    .env = c->env,
	    .limit_ms = (c->seconds > 0 ? c->seconds : seconds_for(words[0])) * 1000,
	    .whole_fd = -1,
	    .live = live,
	    .own = true,
	    .background = start};

	*result = (struct exec_result) {0};
	if (start && look(c, id, f) == -1)
		return -1;
	fault_clear(f);
	buf_text(&command, "exec " PROGRAM);
	for (; *words != NULL; words++) {
		buf_text(&command, " ");
		buf_shell(&command, *words);
	}
	r.command = command.data;
	if (c->provider->exec(&c->site, &r, result, f) == -1)
		return -1;
	return result->exit_code == 126 || result->exit_code == 127 ? unfit(id, f) : 0;
}

int
face_supervise(struct face *c, char **operands)
{
	struct exec_result result;
	struct fault f = {0};
	int status;

	if (operands[1] == NULL || !face_is_action(operands[1]))
		cli_usage("supervise takes install, start, stop or check, not '%s'",
		    operands[1] != NULL ? operands[1] : operands[0]);
	status = face_act(c, operands[0], operands + 1, true, &result, &f) == 0 ? result.exit_code : face_told(c, &f);
	if (result.timed_out)
		cli_warn("%s: %s: time limit reached", operands[0], operands[1]);
	exec_free(&result);
	return status;
}
