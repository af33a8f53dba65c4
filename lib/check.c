/* check - runs the fixed steps of a profile in a sandbox */

#include <bsd/stdlib.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bundle.h"
#include "check.h"
#include "cli.h"
#include "clock.h"
#include "crash.h"
#include "findings.h"
#include "needs.h"
#include "path.h"
#include "profile.h"
#include "provider.h"
#include "smoke.h"
#include "stop.h"
#include "x.h"

enum {
	WHOLE_MOST = 16 << 20, /* bytes of a step's output that its file takes */
	TAIL_MOST = 8192,
	TAILS_MOST = 65536,    /* of all steps together: six times that, when escaped, still fits into a line */
	DEADLINE_MARGIN = 2000 /* ms before the sandbox ends itself, so that a slow step is told from a lost sandbox */
};

struct run {
	const struct check_site *site;
	const struct provider *provider;
	struct site provider_site;
	struct profile profile;
	const char *id; /* the sandbox's */
	char *dir;      /* owned: the run's files */
	int64_t end;    /* monotonic: when the sandbox's time is over */
};

#define auto_run __attribute__((cleanup(run_close)))

static void
run_close(struct run *r)
{
	if (r->provider != NULL)
		site_close(&r->provider_site);
	profile_free(&r->profile);
	free(r->dir);
}

/* Everything that must be so before anything is run. */
static int
run_open(struct run *r, const struct line *l, struct fault *f)
{
	const char *provider = json_text_at(l->root, "sandbox.provider"), *run = line_run(l, f);
	const char *profile = json_text_at(l->root, "bundle.profile");
	const char *deadline = json_text_at(l->root, "sandbox.deadline");
	int64_t ends = deadline == NULL ? -1 : clock_parse(deadline);

	r->id = json_text_at(l->root, "sandbox.id");
	if (run == NULL)
		return -1;
	if (provider == NULL || r->id == NULL || ends == -1)
		return fault_set(f, STATUS_TROUBLE, "sandbox_missing",
		    "stdin:%lu: no sandbox with provider, id and deadline: create comes before", l->number);
	if (!json_true_at(l->root, "put.verified"))
		return fault_set(f, STATUS_TROUBLE, "put_unverified",
		    "stdin:%lu: nobody verified that the bundle is in the sandbox: put comes before", l->number);
	if (profile == NULL)
		return fault_set(
		    f, STATUS_TROUBLE, "profile_missing", "stdin:%lu: the bundle names no profile", l->number);
	if (profile_find(&r->profile, r->site->share, profile, f) == -1)
		return -1;
	if (json_array_size(r->profile.steps) == 0)
		return fault_set(f, STATUS_TROUBLE, "profile_empty",
		    "profile %s: it has no steps, so it can prove nothing", profile);
	if ((r->provider = provider_find(provider)) == NULL || r->provider->exec == NULL)
		return fault_set(
		    f, STATUS_TROUBLE, "provider_unknown", "provider '%s': unknown, or it runs no commands", provider);
	r->end = clock_deadline(ends - clock_wall() - DEADLINE_MARGIN);
	r->dir = path_run(r->site->state, run);
	return site_open(&r->provider_site, provider, r->site->socket, NULL, f);
}

/* On a terminal only, and gone when the step is. */
static void
show_progress(const char *title)
{
	if (cli_quiet || !isatty(STDERR_FILENO))
		return;
	if (title == NULL)
		fputs("\r\033[K", stderr);
	else
		fprintf(stderr, "%s: %s", getprogname(), title);
}

static const char *
status_of(const struct exec_result *result)
{
	return result->timed_out ? "timed_out" : result->exit_code == 0 ? "passed" : "failed";
}

static int64_t
limit_of(const struct run *r, const json_t *step)
{
	int64_t limit = json_int_at(step, "limit_s", 0) * 1000, left = clock_left(r->end);

	if (r->site->limit_ms > 0 && r->site->limit_ms < limit)
		limit = r->site->limit_ms;
	return left < limit ? left : limit;
}

static void
add_result(json_t *step, const struct exec_result *result)
{
	json_t *more = json_make("{s:s, s:i, s:I, s:o, s:o, s:b}", "status", status_of(result), "exit_code",
	    result->exit_code, "duration_ms", (json_int_t)result->duration_ms, "stdout_tail",
	    json_lossy(result->out.data, result->out.len), "stderr_tail", json_lossy(result->err.data, result->err.len),
	    "cut", result->out_bytes + result->err_bytes > WHOLE_MOST);

	json_object_update(step, more);
	json_decref(more);
}

/*
 * Run the command that FROM, a step or the smoke of the profile, has, into REQUEST's file in the run's directory. -1 also where
 * how it ended tells nothing of the bundle. The caller frees the result.
 */
static int
run_command(
    const struct run *r, const json_t *from, struct exec_request *request, struct exec_result *result, struct fault *f)
{
	int status;

	request->id = r->id;
	request->command = json_text_at(from, "command");
	request->cwd = json_text_at(from, "cwd");
	request->env = r->profile.env;
	request->most = WHOLE_MOST;
	show_progress(json_text_at(from, "title"));
	status = r->provider->exec(&r->provider_site, request, result, f);
	crash_point("check.step.ended");
	show_progress(NULL);
	if (status == -1)
		return -1;
	return needs_check(r->provider, &r->provider_site, r->id, json_object_get(from, "needs"), result, f);
}

/* Its file, which the caller closes. */
static int
open_output(const char *path, struct fault *f)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd == -1)
		return fault_errno(f, STATUS_TROUBLE, "write_failed", "%s", path);
	crash_point("check.log.opened");
	return fd;
}

static int
run_step(const struct run *r, size_t i, json_t *step, struct fault *f)
{
	auto_free char *path = x_printf("%s/step-%zu.log", r->dir, i + 1);
	auto_close int fd = open_output(path, f);
	size_t share = TAILS_MOST / 2 / json_array_size(r->profile.steps);
	struct exec_request request = {.limit_ms = json_int_at(step, "limit_ms", 0),
	    .keep = share < TAIL_MOST ? share : TAIL_MOST,
	    .whole_fd = fd};
	struct exec_result result = {0};
	int status;

	if (fd == -1)
		return -1;
	if (request.limit_ms == 0) {
		json_object_set_new(step, "status", json_string("timed_out"));
		return 0;
	}
	json_object_set_new(step, "output", json_string(path));
	if ((status = run_command(r, json_array_get(r->profile.steps, i), &request, &result, f)) == 0) {
		add_result(step, &result);
		cli_explain("%s: %s after %lld ms", json_text_at(step, "id"), status_of(&result),
		    (long long)result.duration_ms);
	}
	exec_free(&result);
	return status;
}

/* What the smoke told, or an error where nobody knows how it ended. */
static int
make_smoke(const struct run *r, const struct line *l, const char *path, json_t **smoke, struct fault *f)
{
	json_auto_t *manifest = bundle_manifest(l, f);
	json_auto_t *staged = manifest == NULL ? NULL : findings_staged(manifest, f);
	struct exec_request request = {.limit_ms = limit_of(r, r->profile.smoke), .keep = SMOKE_KEEP};
	struct exec_result result = {0};
	auto_close int fd = staged == NULL ? -1 : open_output(path, f);
	int status = -1;

	if (fd != -1 && request.limit_ms == 0) {
		*smoke = json_make("{s:s, s:s, s:s}", "status", "skipped", "reason", "time_over", "message",
		    "the sandbox had no time left for it");
		return 0;
	}
	request.whole_fd = fd;
	if (fd != -1 && (status = run_command(r, r->profile.smoke, &request, &result, f)) == 0)
		*smoke = smoke_read(&result, staged);
	exec_free(&result);
	return status;
}

/* Returns 1 when the app failed, which leaves nothing to build. */
static int
run_smoke(const struct run *r, struct line *l, struct fault *f)
{
	auto_free char *path = x_printf("%s/smoke.log", r->dir);
	json_t *smoke = NULL;
	int status;

	if (r->profile.smoke == NULL)
		return 0;
	if ((status = make_smoke(r, l, path, &smoke, f)) == -1)
		smoke = json_make("{s:s}", "status", "error");
	json_object_set_new(smoke, "output", json_string(path));
	line_add(l, "smoke", smoke);
	if (smoke_is(l->root, "failed")) {
		cli_warn("smoke: %s", smoke_message(l->root));
		return STATUS_NO;
	}
	return status;
}

/* A step that has not run yet, as it stands in the line. */
static json_t *
make_step(const struct run *r, const json_t *from)
{
	return json_make("{s:O, s:O, s:O, s:O, s:s, s:I}", "id", json_object_get(from, "id"), "title",
	    json_object_get(from, "title"), "command", json_object_get(from, "command"), "cwd",
	    json_object_get(from, "cwd"), "status", "not_run", "limit_ms", (json_int_t)limit_of(r, from));
}

/* None of them runs unless STATUS is 0. */
static int
run_steps(const struct run *r, json_t *steps, int status, struct fault *f)
{
	const json_t *from;
	size_t i;

	json_array_foreach (r->profile.steps, i, from) {
		json_t *step = make_step(r, from);

		json_array_append_new(steps, step);
		if (status != 0)
			continue;
		if (run_step(r, i, step, f) == -1) {
			json_object_set_new(step, "status", json_string("error"));
			status = -1;
		} else if (strcmp(json_text_at(step, "status"), "passed") != 0) {
			cli_warn("%s: %s", json_text_at(step, "id"), json_text_at(step, "status"));
			status = STATUS_NO;
		}
	}
	return status;
}

int
check_work(struct line *l, void *context, struct fault *f)
{
	auto_run struct run r = {.site = context};
	const char *acceptance = json_text_at(l->root, "acceptance.status");
	json_t *steps;
	int status;

	if (stop_signal())
		return fault_set(
		    f, 128 + stop_signal(), "interrupted", "ended by signal %d before any check", stop_signal());
	/* It comes first: what failed it is not built, which its verdict calls pending. */
	if (acceptance != NULL && strcmp(acceptance, "failed") == 0) {
		cli_warn("no check is run: acceptance must pass first");
		return STATUS_NO;
	}
	if (run_open(&r, l, f) == -1)
		return -1;
	status = run_smoke(&r, l, f);
	steps = json_array();
	status = run_steps(&r, steps, status, f);
	line_add(l, "steps", steps);
	return status;
}
