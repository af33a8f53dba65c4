/* local_exec - run one command in a local sandbox, with walls or without, to the end of all that came of it */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bound.h"
#include "clock.h"
#include "confine.h"
#include "local.h"
#include "local_find.h"
#include "local_plain.h"
#include "local_tree.h"
#include "place.h"
#include "x.h"

enum {
	EMPTY_MS = 15000
};

/* Nobody is without walls by accident: what kept bubblewrap from making them it said on the command's standard error. */
static int
check_walls(const struct exec_result *result, const struct confine *c, struct fault *f)
{
	const char *said = result->err.len > 0 ? result->err.data : "bwrap: said nothing";

	if (result->timed_out || result->exit_code > 128 || confine_ran(c))
		return 0;
	if (strstr(said, "chdir") != NULL)
		return fault_set(f, STATUS_NO, "cwd_missing", "%s: no such directory in the sandbox", c->request->cwd);
	return fault_set(f, STATUS_TROUBLE, "confinement_failed", "%.*s: have user namespaces allowed, " LOCAL_ADVICE,
	    (int)strcspn(said, "\n"), said);
}

static int
end_bound(struct local_tree *t, struct bound *b, int status, struct fault *f)
{
	if (bound_killed(b) > 0)
		local_tree_say(t, "sbx: it used up the memory that it may use, and processes of it were ended\n");
	if (bound_end(b, clock_deadline(EMPTY_MS)) == -1)
		return fault_set(f, STATUS_DOUBT, "exec_unended", "sandbox %s: its control group can't be emptied",
		    json_text_at(t->cell->about, "id"));
	return status;
}

static struct confine_request
request_of(const struct local_tools *t, const struct exec_request *r, const char *workspace)
{
	return (struct confine_request) {.bwrap = t->bwrap,
	    .within = t->within,
	    .workspace = workspace,
	    .shell = t->shell,
	    .command = r->command,
	    .cwd = r->cwd != NULL ? r->cwd : CONFINE_WORKSPACE,
	    .limit_ms = r->limit_ms};
}

static int
run_confined(
    struct local_tree *t, const struct local_tools *tools, const char *group, const json_t *env, struct fault *f)
{
	struct confine_request request = request_of(tools, t->request, t->cell->workspace);
	struct bound bound;
	struct tree_spec spec = {.alone = true};
	struct confine confine;
	int status;

	if (bound_make(&bound, group, (int64_t)LOCAL_MEMORY_GIB << 30, LOCAL_PROCESSES, f) == -1) {
		local_advise(f);
		return -1;
	}
	request.env = env;
	request.bound = t->bound = &bound;
	confine_begin(&confine, &request, &spec);
	status = local_tree_start(t, &spec, f);
	confine_started(&confine);
	if (status == 0 && (status = local_tree_follow(t, f)) == 0)
		status = check_walls(t->result, &confine, f);
	confine_free(&confine);
	return end_bound(t, &bound, status, f);
}

/* A path that the shell would take apart can't stand in for one of the image's. */
static int
check_place(const char *path, struct fault *f)
{
	return place_is_plain(path)
	           ? 0
	           : fault_set(f, STATUS_TROUBLE, "path_unfit",
	                 "%s: has characters that a shell would not take for a path: move it, or choose docker", path);
}

static int
run_plain(struct local_tree *t, const struct local_tools *tools, const char *group, const json_t *env, struct fault *f)
{
	const char *cwd = t->request->cwd != NULL ? t->request->cwd : CONFINE_WORKSPACE;
	auto_free char *command = local_place(t->cell, tools->shell, t->request->command);
	auto_free char *here = local_place(t->cell, tools->shell, cwd);
	const char *const argv[] = {"/bin/sh", "-c", command, NULL};
	char **words;
	struct tree_spec spec = {.argv = argv, .cwd = here, .stdio = {-1}, .group = group};
	int status;

	if (check_place(t->cell->workspace, f) == -1 || check_place(tools->shell, f) == -1)
		return -1;
	if (access(here, X_OK) == -1)
		return fault_set(f, STATUS_NO, "cwd_missing", "%s: no such directory in the sandbox", cwd);
	words = local_environment(t->cell, tools->shell, env);
	spec.envp = (const char *const *)words;
	status = local_tree_start(t, &spec, f);
	for (char **word = words; *word != NULL; word++)
		free(*word);
	free(words);
	return status == 0 ? local_tree_follow(t, f) : -1;
}

int
local_run(const struct cell *c, const struct local_tools *tools, const struct exec_request *r,
    struct exec_result *result, struct fault *f)
{
	auto_free char *group = x_printf("sbx-%s-%d", json_text_at(c->about, "id"), (int)getpid());
	int64_t began = clock_now(), left = json_int_at(c->about, "deadline_ms", 0) - clock_wall();
	json_auto_t *env = json_copy(json_object_get(c->about, "env"));
	struct local_tree t = {.cell = c,
	    .request = r,
	    .result = result,
	    .deadline = clock_deadline(r->limit_ms < left ? r->limit_ms : left)};
	int status;

	*result = (struct exec_result) {0};
	if (r->env != NULL)
		json_object_update(env, (json_t *)r->env);
	status = local_is_confined(c) ? run_confined(&t, tools, group, env, f) : run_plain(&t, tools, group, env, f);
	exec_taken(r, result);
	result->duration_ms = clock_now() - began;
	return status;
}

/* Under -n: the sandbox need not be there. */
static int
show(const struct site *s, const struct exec_request *r, struct fault *f)
{
	__attribute__((cleanup(local_forget))) struct local_tools tools = {0};
	auto_free char *dir = local_dir(r->id), *workspace = x_printf("%s/workspace", dir);
	auto_buf struct buf text = {0};
	bool walls;

	if (local_wants_walls(&walls, f) == -1 || local_find(&tools, walls, f) == -1)
		return -1;
	if (walls) {
		struct confine_request request = request_of(&tools, r, workspace);

		request.env = r->env;
		confine_show(&request, &text);
	} else {
		buf_text(&text, "sh -c ");
		buf_shell(&text, r->command);
	}
	return local_show(s, f, "%s", text.data);
}

int
local_exec(const struct site *s, const struct exec_request *r, struct exec_result *result, struct fault *f)
{
	__attribute__((cleanup(local_forget))) struct local_tools tools = {0};
	auto_cell struct cell c = {0};

	*result = (struct exec_result) {0};
	if (exec_check_env(r->env, f) == -1)
		return -1;
	if (r->background)
		return fault_set(
		    f, STATUS_NO, "background_unsupported", "%s: a local sandbox leaves no command running", r->id);
	if (s->show != NULL)
		return show(s, r, f);
	if (local_open(s, r->id, &c, f) == -1 || local_find(&tools, local_is_confined(&c), f) == -1)
		return -1;
	return local_run(&c, &tools, r, result, f);
}
