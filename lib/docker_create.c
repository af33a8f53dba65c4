/* docker_create - make a sandbox, or leave nothing of the attempt */

#include <string.h>

#include "clock.h"
#include "crash.h"
#include "docker.h"
#include "docker_body.h"
#include "docker_verb.h"
#include "holding.h"
#include "id.h"
#include "stop.h"

enum {
	IDENTIFY_MS = 15000,
	CREATE_MS = 30000
};

/* The calls that make a sandbox, in one curl start since its name is of our own choice. */
enum {
	MAKE,
	START,
	INSPECT,
	CALLS
};

struct attempt {
	struct docker *docker;
	const char *name, *image;
	const json_t *body;
	struct http_reply reply[CALLS];
};

static int
check(const struct sandbox_request *r, struct fault *f)
{
	if (strcmp(r->purpose, "sealed_candidate_preview") == 0)
		return fault_set(
		    f, STATUS_NO, "purpose_unsupported", "sealed candidates can't be staged by this version");
	return exec_check_env(r->env, f);
}

static int
send_calls(struct attempt *a, struct fault *f)
{
	auto_free char *make = x_printf("/containers/create?name=%s", a->name);
	auto_free char *start = x_printf("/containers/%s/start", a->name);
	auto_free char *look = x_printf("/containers/%s/json", a->name);
	auto_buf struct buf text = {0};
	struct http *h;
	int status;

	json_add_text(&text, a->body);
	h = docker_begin(a->docker,
	    (const struct http_request[CALLS]) {
	        [MAKE] =
	            {.method = "POST", .path = make, .type = "application/json", .body = text.data, .len = text.len},
	        [START] = {.method = "POST", .path = start},
	        [INSPECT] = {.method = "GET", .path = look},
	    },
	    CALLS, clock_deadline(CREATE_MS), f);
	crash_point("docker.create.asked");
	status = http_collect(h, a->reply, CALLS, f);
	http_end(h);
	return status;
}

/* Why the Engine did not make it, in words that help. */
static int
explain(const struct attempt *a, struct fault *f)
{
	const struct http_reply *make = &a->reply[MAKE], *start = &a->reply[START];

	if (make->status == 404)
		return fault_set(f, STATUS_TROUBLE, "image_missing",
		    "%s: the Engine has no such image: run \"make image\", or name another with --image or "
		    "DOCKER_SANDBOX_IMAGE",
		    a->image);
	if (make->status != 201)
		return docker_refused(&make->body, make->status, "create_refused", a->name, f);
	if (start->status != 204)
		return docker_refused(&start->body, start->status, "start_failed", a->name, f);
	return docker_refused(&a->reply[INSPECT].body, a->reply[INSPECT].status, "inspect_failed", a->name, f);
}

/* From the replies to the `sandbox` member; the row is live when it is returned. */
static json_t *
accept(struct attempt *a, struct fault *f)
{
	const struct site *s = a->docker->site;
	json_t *inspected = NULL, *sandbox = NULL;

	if (a->reply[INSPECT].status != 200)
		explain(a, f);
	else if ((inspected = docker_json(&a->reply[INSPECT], f)) != NULL &&
	         docker_confirm(a->body, inspected, f) == 0 &&
	         (sandbox = docker_sandbox(a->docker, inspected, f)) != NULL) {
		crash_point("docker.create.made");
		if (docker_check_image(inspected, sandbox, f) == -1 ||
		    holding_live(s, a->name, json_text_at(sandbox, "id"), json_text_at(sandbox, "image"), f) == -1) {
			json_decref(sandbox);
			sandbox = NULL;
		}
		crash_point("docker.create.live");
	}
	json_decref(inspected);
	return sandbox;
}

/* The Engine said that it made nothing, or was not even asked. A conflict of names is our own call, which curl repeated. */
static bool
nothing_made(const struct attempt *a)
{
	const struct http_reply *make = &a->reply[MAKE];

	return !make->sent || (make->status >= 400 && make->status < 500 && make->status != 409);
}

/* Remove what came of a failed attempt. Whatever can't be seen to be gone makes the fault one of doubt. */
static void
undo(const struct attempt *a, struct fault *f)
{
	const struct docker_target target = {
	    .id = a->name, .quick = true, .expected = a->reply[MAKE].sent && a->reply[MAKE].status == 0};
	struct fault unclear = {0}, first = *f;
	enum gone gone = GONE_CONFIRMED;

	stop_hold(true);
	if (!nothing_made(a))
		gone = docker_end(a->docker, &target, &unclear);
	crash_point("docker.create.undone");
	if (gone != GONE_CONFIRMED) {
		*f = (struct fault) {0};
		fault_fill(f, STATUS_DOUBT, first.reason, "%s; a sandbox of it may be left: %s", first.message,
		    unclear.message);
		fault_clear(&unclear);
	}
	/* If this fails, the row says that there may be something: untrue, but on the safe side. */
	holding_end(a->docker->site, a->name, gone == GONE_CONFIRMED ? "gone" : "unconfirmed", &unclear);
	fault_clear(&unclear);
	stop_hold(false);
}

static json_t *
make(struct attempt *a, struct fault *f)
{
	json_t *sandbox = NULL;

	if (send_calls(a, f) == 0) {
		crash_point("docker.create.sent");
		sandbox = accept(a, f);
	}
	if (sandbox != NULL && stop_pending()) {
		json_decref(sandbox);
		sandbox = NULL;
		fault_fill(f, 128 + stop_signal(), "stopped", "stopped by signal %d, and the sandbox was removed",
		    stop_signal());
	}
	if (sandbox == NULL && a->docker->site->show == NULL)
		undo(a, f);
	http_free(a->reply, CALLS);
	return sandbox;
}

static json_t *
begin(struct docker *d, const struct sandbox_request *r, struct fault *f)
{
	int64_t lifetime = r->lifetime_ms > 0 ? r->lifetime_ms : d->site->lifetime_ms;
	char name[sizeof "sbx-" + ID_RUN] = "sbx-", deadline[CLOCK_TEXT];
	const struct holding row = {.provider = docker_provider.name,
	    .name = name,
	    .run = r->run,
	    .purpose = r->purpose,
	    .engine = d->engine,
	    .bundle_sha256 = r->bundle_sha256,
	    .deadline = clock_wall() + lifetime};
	struct attempt a = {.docker = d, .name = name, .image = r->image != NULL ? r->image : d->site->image};
	json_t *body, *sandbox = NULL;

	id_hex(name + strlen(name), ID_RUN);
	clock_format(row.deadline, deadline);
	a.body = body = docker_body(d, r, lifetime, deadline);
	if (holding_begin(d->site, &row, f) == 0) {
		crash_point("docker.create.noted");
		sandbox = make(&a, f);
	}
	json_decref(body);
	return sandbox;
}

json_t *
docker_create(const struct site *s, const struct sandbox_request *r, struct fault *f)
{
	struct docker d = {.site = s};

	if (check(r, f) == -1)
		return NULL;
	/* On its own, since the row must name the Engine before the Engine is asked to make anything. */
	if (s->show == NULL && docker_identify(&d, clock_deadline(IDENTIFY_MS), f) == -1)
		return NULL;
	return begin(&d, r, f);
}
