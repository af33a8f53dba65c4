/* pack - the contents of a planned bundle, into a tar and a list of digests */

#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "pack.h"
#include "x.h"

enum {
	MANIFEST_MOST = 1 << 20
};

/* A bundle's identity, when its app.json gives one: the export invents none, and neither do we. */
static int
read_manifest(const struct plan_item *item, const void *bytes, struct pack_result *result, struct refusal *r)
{
	char why[JSON_ERROR_TEXT_LENGTH];
	json_auto_t *root = item->size <= MANIFEST_MOST ? json_parse(bytes, (size_t)item->size, why) : NULL;
	const json_t *id = json_object_get(root, "appId");

	if (root == NULL)
		return rule_refuse(r, RULE_MANIFEST_JSON, item->offset, item->name, item->name_len);
	if (id == NULL || json_is_null(id))
		return 0;
	if (!json_is_string(id) || json_string_length(id) > PACK_APP_ID_MOST)
		return rule_refuse(r, RULE_MANIFEST_APP_ID, item->offset, item->name, item->name_len);
	result->has_app_id = true;
	memcpy(result->app_id, json_string_value(id), json_string_length(id) + 1);
	return 0;
}

static int
add_parents(struct tar *t, const char *path, const char *before)
{
	auto_free char *parent = x_strdup(path);

	for (size_t at = 0; (at = plan_next_parent(path, before, at)) != 0;) {
		parent[at] = '\0';
		if (tar_directory(t, parent) == -1)
			return -1;
		parent[at] = '/';
	}
	return 0;
}

/* Everything one packing needs at each item. */
struct packing {
	const struct plan *plan;
	const struct pack_source *source;
	const struct pack_sink *sink;
	struct pack_result *result;
	struct tar *tar;
	void *room; /* for the largest file, used again for each */
};

static int
add_file(const struct packing *p, const struct plan_item *item, struct refusal *r)
{
	uint8_t digest[DIGEST_BYTES];
	const void *bytes;

	if (p->source->contents(p->source->context, item, p->room, &bytes, r) == -1)
		return -1;
	if (item == p->plan->manifest && read_manifest(item, bytes, p->result, r) == -1)
		return -1;
	digest_of(bytes, (size_t)item->size, digest);
	if (tar_file(p->tar, item->path, bytes, (size_t)item->size) == -1)
		return -1;
	return p->sink->file(item, digest, p->sink->context);
}

static int
add_all(const struct packing *p, struct refusal *r)
{
	const char *before = "";

	for (size_t i = 0; i < p->plan->count; i++) {
		const struct plan_item *item = &p->plan->item[i];

		if (add_parents(p->tar, item->path, before) == -1)
			return -1;
		if (item->directory ? tar_directory(p->tar, item->path) == -1 : add_file(p, item, r) == -1)
			return -1;
		before = item->path;
	}
	return tar_end(p->tar);
}

int
pack(const struct plan *plan, const struct profile *profile, const struct pack_source *source,
    const struct pack_sink *sink, struct pack_result *result, struct refusal *r)
{
	struct packing p = {.plan = plan, .source = source, .sink = sink, .result = result};
	uint64_t largest = 0;
	int status;

	*result = (struct pack_result) {0};
	*r = (struct refusal) {0};
	for (size_t i = 0; i < plan->count; i++)
		if (plan->item[i].size > largest)
			largest = plan->item[i].size;
	p.room = x_alloc((size_t)largest);
	p.tar = tar_new(sink->tar, sink->context, profile->uid, profile->gid);
	status = add_all(&p, r);
	tar_free(p.tar);
	free(p.room);
	return status;
}
