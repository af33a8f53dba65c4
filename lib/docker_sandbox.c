/* docker_sandbox - a container seen as a sandbox: whose it is, what it is for, where it can be reached */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "docker.h"
#include "docker_verb.h"
#include "holding.h"

enum {
	LOOK_MS = 15000
};

bool
docker_is_offline(const char *purpose)
{
	return strcmp(purpose, "artifact_preview") != 0;
}

static bool
label_is(const json_t *labels, const char *name, const char *value)
{
	const char *text = json_string_value(json_object_get(labels, name));

	return text != NULL && strcmp(text, value) == 0;
}

bool
docker_is_ours(const struct site *s, const json_t *labels)
{
	return label_is(labels, "mozaiks.sandbox", "true") && label_is(labels, "sbx.owner", s->owner);
}

static int
note_record(const struct holding *h, void *context, struct fault *f)
{
	struct docker_record *r = context;

	(void)f;
	r->known = true;
	snprintf(r->name, sizeof r->name, "%s", h->name);
	snprintf(r->engine, sizeof r->engine, "%s", h->engine != NULL ? h->engine : "");
	snprintf(r->purpose, sizeof r->purpose, "%s", h->purpose);
	snprintf(r->state, sizeof r->state, "%s", h->state);
	return 1;
}

int
docker_recall(const struct site *s, const char *id, struct docker_record *r, struct fault *f)
{
	*r = (struct docker_record) {0};
	return holding_find(s, docker_provider.name, id, note_record, r, f);
}

json_t *
docker_known(const struct docker *d, const char *id, const struct http_reply *inspect, struct fault *f)
{
	json_t *inspected;

	if (inspect->status != 200) {
		if (inspect->status == 404)
			fault_fill(f, STATUS_NO, "sandbox_missing", "%s: the Engine has no such sandbox", id);
		else
			docker_refused(&inspect->body, inspect->status, "inspect_failed", id, f);
		return NULL;
	}
	if ((inspected = docker_json(inspect, f)) == NULL)
		return NULL;
	if (!docker_is_ours(d->site, json_at(inspected, "Config.Labels")))
		fault_fill(f, STATUS_NO, "sandbox_foreign", "%s: not a sandbox of this store: its labels say so", id);
	else if (!json_true_at(inspected, "State.Running"))
		fault_fill(f, STATUS_NO, "sandbox_ended", "%s: it does not run any more (%s)", id,
		    json_text_at(inspected, "State.Status"));
	else
		return inspected;
	json_decref(inspected);
	return NULL;
}

void
docker_doubt(struct docker *d, const char *id, struct fault *f)
{
	struct docker_record r;
	struct fault why = {0};

	if (strcmp(f->reason, "sandbox_missing") != 0)
		return;
	if (docker_recall(d->site, id, &r, &why) == 0 && r.engine[0] == '\0')
		return;
	if (docker_identify(d, clock_deadline(LOOK_MS), &why) == 0 && strcmp(r.engine, d->engine) == 0)
		return;
	fault_clear(f);
	if (fault_is(&why))
		fault_fill(f, STATUS_DOUBT, why.reason, "%s: not seen, and not known to be gone: %s", id, why.message);
	else
		fault_fill(f, STATUS_DOUBT, "engine_other", "%s: it was made on Engine %s, and %s is Engine %s", id,
		    r.engine, d->site->socket, d->engine);
	fault_clear(&why);
}

/* {"3000":49153}: from "3000/tcp":[{"HostIp":"127.0.0.1","HostPort":"49153"}]. */
static json_t *
ports_of(const json_t *inspected)
{
	json_t *ports = json_object(), *bound;
	const char *inside;

	json_object_foreach (json_at(inspected, "NetworkSettings.Ports"), inside, bound) {
		const char *outside = json_text_at(json_array_get(bound, 0), "HostPort");
		auto_free char *port = x_strndup(inside, strcspn(inside, "/"));

		if (outside != NULL)
			json_object_set_new(ports, port, json_integer(strtol(outside, NULL, 10)));
	}
	return ports;
}

static void
copy_label(json_t *sandbox, const char *member, const json_t *labels, const char *name)
{
	json_t *value = json_object_get(labels, name);

	if (value != NULL)
		json_object_set(sandbox, member, value);
}

json_t *
docker_sandbox(const struct docker *d, const json_t *inspected, struct fault *f)
{
	const json_t *labels = json_at(inspected, "Config.Labels");
	const char *id = json_text_at(inspected, "Id"), *name = json_text_at(inspected, "Name"), *metadata;
	const char *image = json_text_at(inspected, "Image");
	json_t *sandbox;

	if (id == NULL || name == NULL || image == NULL) {
		fault_fill(
		    f, STATUS_TROUBLE, "engine_reply_invalid", "the Engine tells no id, name or image of a container");
		return NULL;
	}
	sandbox = json_make("{s:s, s:s, s:s, s:s, s:s}", "provider", docker_provider.name, "id", id, "name",
	    name + (*name == '/'), "engine", d->engine, "image", image);

	copy_label(sandbox, "purpose", labels, "sbx.purpose");
	copy_label(sandbox, "deadline", labels, "sbx.deadline");
	json_object_set_new(sandbox, "ports", ports_of(inspected));
	if ((metadata = json_string_value(json_object_get(labels, "sbx.metadata"))) != NULL) {
		char why[JSON_ERROR_TEXT_LENGTH];
		json_t *object = json_parse(metadata, strlen(metadata), why);

		if (object != NULL)
			json_object_set_new(sandbox, "metadata", object);
	}
	return sandbox;
}

static json_t *
inspect(struct docker *d, const char *id, struct fault *f)
{
	auto_free char *path = x_printf("/containers/%s/json", id);
	struct http_request look = {.method = "GET", .path = path};
	struct http_reply reply = {0};
	json_t *inspected = NULL;

	if (docker_send(d, &look, &reply, 1, clock_deadline(LOOK_MS), f) == 0)
		inspected = docker_known(d, id, &reply, f);
	http_free(&reply, 1);
	docker_doubt(d, id, f);
	return inspected;
}

json_t *
docker_connect(const struct site *s, const char *id, struct fault *f)
{
	struct docker d = {.site = s, .identify = true};
	json_t *inspected = inspect(&d, id, f), *sandbox = NULL;

	if (inspected != NULL)
		sandbox = docker_sandbox(&d, inspected, f);
	json_decref(inspected);
	return sandbox;
}

json_t *
docker_url(const struct site *s, const char *id, int port, struct fault *f)
{
	struct docker d = {.site = s};
	json_t *inspected = inspect(&d, id, f), *ports, *url = json_null();
	auto_free char *inside = x_printf("%d", port);
	int64_t outside;

	if (inspected == NULL)
		return NULL;
	ports = ports_of(inspected);
	if ((outside = json_int_at(ports, inside, 0)) != 0) {
		auto_free char *text = x_printf("http://localhost:%lld", (long long)outside);

		url = json_string(text);
	}
	json_decref(ports);
	json_decref(inspected);
	return url;
}
