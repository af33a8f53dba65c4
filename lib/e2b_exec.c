/* e2b_exec - run one command in a sandbox, to its end or to its start */

#include <string.h>

#include "clock.h"
#include "e2b_process.h"
#include "e2b_verbs.h"
#include "holding.h"
#include "stop.h"

enum {
	GRACE_MS = 15000, /* beyond its limit, for what is inside to end it and for the service to tell */
	KILLED = 137      /* what timeout(1) tells when the command did not go in peace */
};

/*
 * The command runs under sbx-within, where the template has it, which ends all that came of it. Elsewhere under timeout(1), which
 * leads a process group of its own: the group is killed when the command has ended or the wrapper is asked to end. The limit holds
 * whatever becomes of us.
 */
static const char script[] = "[ -z \"$3\" ] || { mkdir -p \"$3\" && cd \"$3\" || exit 126; }\n"
                             "within=/usr/local/libexec/sbx/sbx-within\n"
                             "[ ! -x $within ] || exec $within --time \"$1\" -- sh -c \"$2\"\n"
                             "timeout -k 5 \"$1\" sh -c \"$2\" </dev/null & group=$!\n"
                             "trap 'kill -KILL -$group; exit 143' TERM\n"
                             "wait $group; status=$?\n"
                             "kill -KILL -$group 2>/dev/null\n"
                             "exit $status\n";

/* With no pipe of ours in its hands it neither fills one nor holds the stream, which we leave. */
static const char script_left[] = "[ -z \"$3\" ] || { mkdir -p \"$3\" && cd \"$3\" || exit 126; }\n"
                                  "exec sh -c \"$2\" </dev/null >/dev/null 2>&1\n";

struct run {
	const struct exec_request *request;
	struct exec_result *result;
};

static int
take(bool error, const char *bytes, size_t len, void *context, struct fault *f)
{
	struct run *run = context;

	return exec_take(run->request, run->result, error, bytes, len, f);
}

static json_t *
env_inside(const struct site *s, const json_t *env)
{
	json_t *inside = json_object(), *value;
	const char *name;

	json_object_foreach ((json_t *)env, name, value) {
		auto_free char *text = e2b_place(s, json_string_value(value));

		json_object_set_new(inside, name, json_string(text));
	}
	return inside;
}

/*
 * We know no more of the command's end. It is asked to end; if it is not seen to, the sandbox goes, as it is for one run alone.
 */
static void
abandon(struct e2b *e, struct e2b_sandbox *s, const struct e2b_process *p, struct fault *f)
{
	struct e2b_target target = {.id = s->id};
	struct fault unclear = {0}, first = *f;

	stop_hold(true);
	if (p->pid == 0 || e2b_process_end(e, s, p->pid, &unclear) == -1) {
		fault_clear(&unclear);
		*f = (struct fault) {0};
		if (e2b_end(e, &target, &unclear) == GONE_CONFIRMED)
			fault_fill(f, first.status, first.reason,
			    "%s; its command may have gone on, so the sandbox was removed", first.message);
		else
			fault_fill(f, STATUS_DOUBT, "exec_unended", "%s; the command may go on: %s", first.message,
			    unclear.message);
	}
	stop_hold(false);
	fault_clear(&unclear);
}

/* What the stream's silence means is for the daemon to say: that its sandbox is gone, or that only the stream is. */
static void
explain_silence(struct e2b *e, struct e2b_sandbox *s, struct fault *f)
{
	struct fault why = {0};

	if (strcmp(f->reason, "service_silent") != 0 || e2b_process_probe(e, s, &why) == 0)
		return;
	if (strcmp(why.reason, "sandbox_ended") == 0) {
		fault_clear(f);
		fault_fill(f, why.status, why.reason, "%s", why.message);
	}
	fault_clear(&why);
}

/* Did nothing start? Then there is nothing to end, and the sandbox is as good as before. */
static bool
was_refused(const struct e2b_process *p, const struct fault *f)
{
	static const char *const reasons[] = {"exec_refused", "sandbox_missing", "sandbox_ended", "service_refused",
	    "rate_limited", "access_refused", "key_refused", "exec_limited"};

	for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
		if (strcmp(f->reason, reasons[i]) == 0)
			return p->pid == 0 || strncmp(reasons[i], "sandbox_", 8) == 0;
	return false;
}

static int
run(struct e2b *e, struct e2b_sandbox *s, const struct exec_request *r, struct exec_result *result, struct fault *f)
{
	auto_free char *seconds = x_printf("%lld", (long long)((r->limit_ms + 999) / 1000));
	auto_free char *cwd = r->cwd != NULL ? e2b_inside(e->site, r->cwd) : NULL;
	auto_free char *command = e2b_place(e->site, r->command);
	/* The workspace is made by the first who needs it. */
	const char *const args[] = {"/bin/sh", "-c", r->background ? script_left : script, "sbx", seconds, command,
	    cwd == NULL ? e->site->e2b.workdir : "", NULL};
	int64_t limit = r->background ? E2B_CALL_MS : r->limit_ms + GRACE_MS;
	json_auto_t *env = env_inside(e->site, r->env);
	struct e2b_process process = {0};
	struct run context = {r, result};
	struct e2b_reader reader = {&process, r->background ? NULL : take, &context, .leave = r->background};

	if (e2b_process_run(e, s, args, env, cwd, clock_deadline(limit), &reader, f) == -1) {
		if (e->site->show == NULL)
			explain_silence(e, s, f);
		if (e->site->show == NULL && !was_refused(&process, f))
			abandon(e, s, &process, f);
		return -1;
	}
	if (r->background)
		return 0;
	/* Only somebody else's signal ends the wrapper, and then the command's own end is not known. */
	if (!process.exited) {
		fault_fill(
		    f, STATUS_TROUBLE, "command_lost", "%s: what ran the command was ended: %s", s->id, process.words);
		return -1;
	}
	result->exit_code = process.exit_code;
	return 0;
}

int
e2b_exec(const struct site *s, const struct exec_request *r, struct exec_result *result, struct fault *f)
{
	auto_e2b struct e2b e = {0};
	auto_sandbox struct e2b_sandbox sandbox = {0};
	int64_t began;
	int status;

	*result = (struct exec_result) {0};
	if (exec_check_env(r->env, f) == -1 || e2b_open(&e, s, f) == -1 ||
	    e2b_look(&e, r->id, E2B_TOUCH, &sandbox, f) == -1 ||
	    exec_check_purpose(r, e2b_metadata(sandbox.detail, "purpose"), f) == -1)
		return -1;
	began = clock_now();
	status = run(&e, &sandbox, r, result, f);
	result->duration_ms = clock_now() - began;
	/* Either may be the command's own: only with the time gone is it the limit's word. */
	result->timed_out = status == 0 && (result->exit_code == 124 || result->exit_code == KILLED) &&
	                    result->duration_ms >= r->limit_ms;
	if (result->timed_out)
		result->exit_code = 124;
	exec_taken(r, result);
	return status;
}
