/* provider_line - the verbs that act on lines: create, connect, put, supervise, rm */

#include <string.h>
#include <unistd.h>

#include "bundle.h"
#include "holding.h"
#include "line.h"
#include "provider_face.h"
#include "stop.h"

/* The line's strategy and sandbox, where it has them, must be this provider's. */
static int
check_provider(const struct face *c, const struct line *l, struct fault *f)
{
	static const char *const paths[] = {"strategy.name", "sandbox.provider"};

	for (size_t i = 0; i < 2; i++) {
		const char *name = json_text_at(l->root, paths[i]);

		if (name != NULL && strcmp(name, c->provider->name) != 0)
			return fault_set(f, STATUS_TROUBLE, "provider_mismatch",
			    "stdin:%lu: %s is '%s', and this is %s", l->number, paths[i], name, c->provider->name);
	}
	return 0;
}

/* The id of the line's sandbox, borrowed; NULL and a fault when it has none that could be one. */
static const char *
sandbox_id(const struct line *l, struct fault *f)
{
	const char *id = json_text_at(l->root, "sandbox.id");

	if (id != NULL && face_is_id(id))
		return id;
	fault_fill(
	    f, STATUS_TROUBLE, "sandbox_missing", "stdin:%lu: no sandbox with an id: create comes before", l->number);
	return NULL;
}

static int
create_work(struct line *l, void *context, struct fault *f)
{
	struct face *c = context;
	struct sandbox_request r = {.image = c->image,
	    .lifetime_ms = c->seconds * 1000,
	    .bundle_sha256 = json_text_at(l->root, "bundle.sha256"),
	    .metadata = c->metadata,
	    .env = c->env};
	json_t *sandbox;

	if (check_provider(c, l, f) == -1 || (r.run = line_run(l, f)) == NULL ||
	    (r.purpose = line_purpose(l, f)) == NULL || face_open(c, stderr, f) == -1)
		return -1;
	sandbox = c->provider->create(&c->site, &r, f);
	if (sandbox == NULL)
		return c->show ? 0 : -1;
	line_add(l, "sandbox", sandbox);
	return 0;
}

static int
note_live(const struct holding *h, void *id, struct fault *f)
{
	(void)f;
	if (strcmp(h->state, "live") != 0)
		return 0;
	snprintf(id, 129, "%s", h->id);
	return 1;
}

/* The sandbox that the store holds for the line's run: the way back to it for somebody who has lost the rest of the line. */
static int
connect_work(struct line *l, void *context, struct fault *f)
{
	struct face *c = context;
	const char *run = line_run(l, f);
	char id[129] = "";
	json_t *sandbox;

	if (run == NULL || check_provider(c, l, f) == -1 || face_open(c, stderr, f) == -1 ||
	    holding_of_run(&c->site, c->provider->name, run, note_live, id, f) == -1)
		return -1;
	if (c->show)
		return 0;
	if (*id == '\0')
		return fault_set(f, STATUS_NO, "sandbox_missing",
		    "stdin:%lu: the store holds no live sandbox of run %s", l->number, run);
	if ((sandbox = c->provider->connect(&c->site, id, f)) == NULL)
		return -1;
	line_add(l, "sandbox", sandbox);
	return 0;
}

static int
put_work(struct line *l, void *context, struct fault *f)
{
	struct face *c = context;
	auto_close int tar = -1;
	json_t *manifest, *put = NULL;
	const char *id;

	if (check_provider(c, l, f) == -1 || (id = sandbox_id(l, f)) == NULL || (tar = bundle_tar(l, f)) == -1 ||
	    face_open(c, stderr, f) == -1)
		return -1;
	if ((manifest = bundle_manifest(l, f)) != NULL)
		put = c->provider->put(&c->site, id, tar, manifest, f);
	json_decref(manifest);
	if (put == NULL)
		return c->show ? 0 : -1;
	line_add(l, "put", put);
	return 0;
}

/* Its output is for who asks by hand: it may tell what no line may. */
static json_t *
done(const char *action, const struct exec_result *result)
{
	if (strcmp(action, "start") == 0)
		return json_make("{s:s, s:s}", "action", action, "status", "started");
	return json_make("{s:s, s:s, s:i, s:I}", "action", action, "status",
	    result->timed_out        ? "timed_out"
	    : result->exit_code == 0 ? "passed"
	                             : "failed",
	    "exit_code", result->exit_code, "duration_ms", (json_int_t)result->duration_ms);
}

static int
supervise_work(struct line *l, void *context, struct fault *f)
{
	struct face *c = context;
	struct exec_result result;
	const char *id;
	int status;

	if (check_provider(c, l, f) == -1 || (id = sandbox_id(l, f)) == NULL || face_open(c, stderr, f) == -1)
		return -1;
	status = face_act(c, id, c->action, false, &result, f);
	exec_free(&result);
	if (status == -1)
		return c->show ? 0 : -1;
	line_add(l, "supervise", done(c->action[0], &result));
	if (result.exit_code != 0)
		return fault_set(f, STATUS_NO, "supervise_failed", "%s: %s: the supervisor says no (%d)", id,
		    c->action[0], result.exit_code);
	return 0;
}

/* Whatever the run has: the line's sandbox, and others that the store holds, of a create whose line never came. */
static int
note_name(const struct holding *h, void *names, struct fault *f)
{
	(void)f;
	json_object_set_new(names, h->id != NULL ? h->id : h->name, json_true());
	return 0;
}

static int
find_leftovers(struct face *c, const struct line *l, json_t *names, struct fault *f)
{
	const char *run = json_text_at(l->root, "run"), *id;

	if (json_object_get(l->root, "sandbox") != NULL) {
		if (check_provider(c, l, f) == -1 || (id = sandbox_id(l, f)) == NULL)
			return -1;
		json_object_set_new(names, id, json_true());
	}
	if (json_object_size(names) == 0 && run == NULL)
		return 0;
	if (face_open(c, stderr, f) == -1)
		return -1;
	return run == NULL ? 0 : holding_of_run(&c->site, c->provider->name, run, note_name, names, f);
}

static json_t *
teardown(enum gone gone)
{
	static const char *const words[] = {"confirmed", "unconfirmed", "refused"};

	return json_make("{s:b, s:s}", "confirmed", gone == GONE_CONFIRMED, "result", words[gone]);
}

static int
rm_work(struct line *l, void *context, struct fault *f)
{
	struct face *c = context;
	json_t *names = json_object();
	enum gone gone = GONE_UNCONFIRMED;

	if (find_leftovers(c, l, names, f) == -1)
		f->status = STATUS_DOUBT;
	else
		gone = provider_rm_all(c->provider, &c->site, names, json_text_at(l->root, "sandbox.engine"), f);
	if (!c->show && (json_object_size(names) > 0 || fault_is(f)))
		line_add(l, "teardown", teardown(gone));
	json_decref(names);
	return fault_is(f) && !c->show ? -1 : 0;
}

int
face_lines(struct face *c, const char *verb)
{
	static const struct {
		const char *verb;
		struct line_stage stage;
	} all[] = {
	    {"create", {.members = {"sandbox"}, .work = create_work}},
	    {"connect", {.members = {"sandbox"}, .work = connect_work}},
	    {"put", {.members = {"put"}, .work = put_work}},
	    {"supervise", {.members = {"supervise"}, .work = supervise_work}},
	    {"rm", {.members = {"teardown"}, .always = true, .work = rm_work}},
	};
	size_t i = 0;
	int status;

	while (strcmp(verb, all[i].verb) != 0)
		i++;
	stop_catch();
	/* Those before us in the pipe die of the signal that reaches all; teardown is for what they leave. */
	if (all[i].stage.always)
		stop_hold(true);
	status = line_each(&all[i].stage, c);
	return stop_signal() ? status_worse(status, 128 + stop_signal()) : status;
}
