/* docker_list - the sandboxes of this store that an Engine has, and the end of all that are left of a run */

#include <string.h>

#include "clock.h"
#include "docker.h"
#include "docker_verb.h"
#include "holding.h"

enum {
	LIST_MS = 15000,
	LIST_MOST = 64 << 20
};

static json_t *
ports_of(const json_t *listed)
{
	json_t *ports = json_object(), *port;
	size_t i;

	json_array_foreach (json_object_get(listed, "Ports"), i, port) {
		auto_free char *inside = x_printf("%lld", (long long)json_int_at(port, "PrivatePort", 0));
		json_t *outside = json_object_get(port, "PublicPort");

		if (outside != NULL)
			json_object_set(ports, inside, outside);
	}
	return ports;
}

/* The `sandbox` member, and what the list adds: its run and state. */
static json_t *
sandbox_of(const struct docker *d, const json_t *listed, struct fault *f)
{
	static const char *const members[][2] = {
	    {"purpose", "sbx.purpose"}, {"deadline", "sbx.deadline"}, {"run", "sbx.run"}};
	const char *id = json_text_at(listed, "Id"), *image = json_text_at(listed, "ImageID");
	const char *name = json_string_value(json_array_get(json_object_get(listed, "Names"), 0));
	const char *state = json_text_at(listed, "State");
	json_t *sandbox;

	if (id == NULL || image == NULL || name == NULL || state == NULL) {
		fault_fill(
		    f, STATUS_TROUBLE, "engine_reply_invalid", "the Engine's list leaves out what a container is");
		return NULL;
	}
	sandbox = json_make("{s:s, s:s, s:s, s:s, s:s, s:s}", "provider", docker_provider.name, "id", id, "name",
	    name + (*name == '/'), "engine", d->engine, "image", image, "state", state);

	for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
		json_t *value = json_object_get(json_object_get(listed, "Labels"), members[i][1]);

		if (value != NULL)
			json_object_set(sandbox, members[i][0], value);
	}
	json_object_set_new(sandbox, "ports", ports_of(listed));
	return sandbox;
}

/* Those labels that every container of ours carries, and MORE. */
static json_t *
our_labels(const struct site *s, const char *const *more, size_t count)
{
	auto_free char *owner = x_printf("sbx.owner=%s", s->owner);
	json_t *all = json_make("[s, s]", "mozaiks.sandbox=true", owner);

	for (size_t i = 0; i < count; i++)
		json_array_append_new(all, json_string(more[i]));
	return all;
}

static json_t *
list(struct docker *d, const char *const *labels, size_t count, struct fault *f)
{
	auto_free char *path = docker_filtered("/containers/json?all=1", "label", our_labels(d->site, labels, count));
	struct http_request ask = {.method = "GET", .path = path, .most = LIST_MOST};
	struct http_reply reply = {0};
	json_t *listed = NULL, *all = NULL, *one;
	size_t i;

	d->identify = true;
	if (docker_send(d, &ask, &reply, 1, clock_deadline(LIST_MS), f) == 0) {
		if (reply.status != 200)
			docker_refused(&reply.body, reply.status, "list_failed", d->site->socket, f);
		else
			listed = docker_json(&reply, f);
	}
	if (listed != NULL) {
		all = json_array();
		json_array_foreach (listed, i, one)
			json_array_append_new(all, sandbox_of(d, one, f));
	}
	json_decref(listed);
	http_free(&reply, 1);
	if (!fault_is(f))
		return all;
	json_decref(all);
	return NULL;
}

json_t *
docker_list(const struct site *s, const char *const *labels, size_t count, struct fault *f)
{
	struct docker d = {.site = s};

	return list(&d, labels, count, f);
}

/* Volumes go with their containers, except where the Engine itself was killed. */
static int
remove_volume(struct docker *d, const char *name, struct fault *f)
{
	auto_free char *path = x_printf("/volumes/%s?force=1", name);
	struct http_request remove = {.method = "DELETE", .path = path};
	struct http_reply reply = {0};

	if (docker_send(d, &remove, &reply, 1, clock_deadline(LIST_MS), f) == 0 && reply.status != 204 &&
	    reply.status != 404)
		docker_refused(&reply.body, reply.status, "volume_left", name, f);
	http_free(&reply, 1);
	return fault_is(f) ? -1 : 0;
}

static int
remove_volumes(struct docker *d, const char *const *labels, size_t count, struct fault *f)
{
	auto_free char *path = docker_filtered("/volumes", "label", our_labels(d->site, labels, count));
	struct http_request ask = {.method = "GET", .path = path, .most = LIST_MOST};
	struct http_reply reply = {0};
	json_t *answer = NULL, *volume;
	size_t i;

	if (docker_send(d, &ask, &reply, 1, clock_deadline(LIST_MS), f) == 0) {
		if (reply.status != 200)
			docker_refused(&reply.body, reply.status, "list_failed", d->site->socket, f);
		else
			answer = docker_json(&reply, f);
	}
	json_array_foreach (json_object_get(answer, "Volumes"), i, volume)
		if (json_text_at(volume, "Name") != NULL)
			remove_volume(d, json_text_at(volume, "Name"), f);
	json_decref(answer);
	http_free(&reply, 1);
	return fault_is(f) ? -1 : 0;
}

/* The names of all that may be left of the run: what the store holds, and what the Engine has. */
static json_t *
names_of_run(struct docker *d, const char *run, const char *label, struct fault *f)
{
	json_t *names = json_object(), *listed, *one;
	size_t i;

	holding_of_run(d->site, docker_provider.name, run, holding_note, names, f);
	listed = list(d, &label, 1, f);
	json_array_foreach (listed, i, one)
		json_object_set_new(names, json_text_at(one, "name"), json_true());
	json_decref(listed);
	return names;
}

enum gone
docker_sweep(const struct site *s, const char *run, struct fault *f)
{
	auto_free char *label = x_printf("sbx.run=%s", run);
	const char *const labels[] = {label};
	struct docker d = {.site = s};
	json_auto_t *names = names_of_run(&d, run, label, f);

	provider_rm_all(&docker_provider, s, names, NULL, f);
	remove_volumes(&d, labels, 1, f);
	return provider_swept(f);
}
