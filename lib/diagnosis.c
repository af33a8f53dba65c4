/* diagnosis - the diagnostics of what a line's steps printed */

#include <string.h>

#include "bundle.h"
#include "diagnosis.h"
#include "findings.h"
#include "lexical.h"
#include "output.h"
#include "x.h"

enum {
	ROOM = 65536 /* bytes: with the outputs and the result, a line still has room for them */
};

/* Where a sandbox has the bundle, in the words of the profile and, unless `sandbox.workspace` says otherwise, in fact. */
static const char workspace[] = "/workspace";

/* The end of a stream whose whole was not kept. What it starts with may be the rest of a line. */
static void
look_at_tail(struct findings *found, const char *tail, bool cut)
{
	const char *line = tail == NULL || !cut ? tail : strchr(tail, '\n');

	if (line != NULL)
		findings_look(found, line, strlen(line));
}

static void
look_at_step(struct findings *found, const char *dir, const json_t *step)
{
	auto_close int fd = output_open(dir, json_text_at(step, "output"));
	bool cut = json_true_at(step, "cut");

	if (fd == -1 || findings_read(found, fd) == -1 || cut) {
		look_at_tail(found, json_text_at(step, "stdout_tail"), cut);
		look_at_tail(found, json_text_at(step, "stderr_tail"), cut);
	}
}

/* Where the step really ran: an unconfined one has the workspace elsewhere. The caller frees it. */
static char *
cwd_of(const json_t *step, const char *root)
{
	const char *cwd = json_text_at(step, "cwd");
	auto_buf struct buf path = {0};
	const char *below;

	lexical_resolve(&path, workspace, text_of(cwd == NULL ? "" : cwd));
	below = lexical_inside(path.data, workspace);
	if (below != NULL)
		return x_printf("%s/%s", root, below);
	return x_strdup(strcmp(path.data, workspace) == 0 ? root : path.data);
}

static void
look_at_steps(struct findings *found, const char *dir, const json_t *steps)
{
	const json_t *step;
	size_t i;

	json_array_foreach (steps, i, step) {
		const char *status = json_text_at(step, "status");
		auto_free char *cwd = cwd_of(step, found->root);

		if (status == NULL || strcmp(status, "not_run") == 0)
			continue;
		found->cwd = cwd;
		found->passed = strcmp(status, "passed") == 0;
		look_at_step(found, dir, step);
		found->cwd = NULL;
	}
}

int
diagnosis_of(const struct line *l, const char *state, json_t **list, struct fault *f)
{
	const char *run = line_run(l, f);
	const char *elsewhere = json_text_at(l->root, "sandbox.workspace");
	const json_t *steps = json_object_get(l->root, "steps");
	struct findings found = {.room = ROOM};
	auto_buf struct buf root = {0};
	auto_free char *dir = NULL;
	json_t *manifest, *staged;

	*list = NULL;
	if (run == NULL)
		return -1;
	if (json_array_size(steps) == 0)
		return 0;
	if ((manifest = bundle_manifest(l, f)) == NULL)
		return -1;
	staged = findings_staged(manifest, f);
	json_decref(manifest);
	if (staged == NULL)
		return -1;
	lexical_resolve(&root, "/", text_of(elsewhere != NULL ? elsewhere : workspace));
	found.root = root.data;
	found.staged = staged;
	dir = x_printf("%s/runs/%s", state, run);
	look_at_steps(&found, dir, steps);
	*list = findings_end(&found);
	json_decref(staged);
	return 0;
}
