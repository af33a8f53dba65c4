/* plan - which files a bundle has, and where each goes in the workspace */

#include <bsd/stdlib.h>
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "name.h"
#include "plan.h"
#include "x.h"

void
plan_add(struct plan *p, const struct plan_item *item)
{
	if (p->count == p->room) {
		p->room = p->room == 0 ? 256 : 2 * p->room;
		p->item = x_realloc(p->item, p->room, sizeof *p->item);
	}
	p->item[p->count++] = *item;
}

static const struct plan_item *
item_at(const struct plan *p, const char *text)
{
	const struct plan_item *item = p->item;

	while (item->name != text && item->path != text)
		item++;
	return item;
}

/* Refuse two items by their names in the bundle, the later one because of the other. */
static int
refuse_both(const struct plan *p, enum rule rule, const char *a, const char *b, struct refusal *r)
{
	const struct plan_item *first = item_at(p, a), *second = item_at(p, b), *later;

	later = first->offset > second->offset ? first : second;
	rule_fill(r, rule, later->offset, later->name, later->name_len);
	r->other = later == first ? second->name : first->name;
	r->other_len = later == first ? second->name_len : first->name_len;
	return -1;
}

static int
check_names(const struct plan *p, struct refusal *r)
{
	auto_free struct name_item *name = x_zalloc(p->count, sizeof *name);
	const struct name_item *a, *b;
	enum rule broken;

	for (size_t i = 0; i < p->count; i++)
		name[i] = (struct name_item) {p->item[i].name, p->item[i].name_len, p->item[i].directory, 0, 0};
	broken = name_meet(name, p->count, &a, &b);
	return broken == RULE_NONE ? 0 : refuse_both(p, broken, a->text, b->text, r);
}

static int
check_paths(const struct plan *p, struct refusal *r)
{
	auto_free struct name_item *path = x_zalloc(p->count, sizeof *path);
	const struct name_item *a, *b;

	for (size_t i = 0; i < p->count; i++)
		path[i] = (struct name_item) {p->item[i].path, p->item[i].path_len, p->item[i].directory, 0, 0};
	if (name_meet(path, p->count, &a, &b) == RULE_NONE)
		return 0;
	return refuse_both(p, RULE_LAYOUT, a->text, b->text, r);
}

static void
place(struct plan *p, const struct profile *profile)
{
	const char *path;

	for (size_t i = 0; i < p->count; i++) {
		struct plan_item *item = &p->item[i];
		size_t start = p->paths.len;

		profile_place(profile, item->name, item->name_len, item->directory, &p->paths);
		item->path_len = p->paths.len - start;
		buf_add(&p->paths, "", 1);
	}
	/* Only now does the text stay where it is. */
	path = p->paths.data;
	for (size_t i = 0; i < p->count; i++) {
		p->item[i].path = path;
		path += p->item[i].path_len + 1;
	}
}

/* The byte at AT of a path as the tar has it, where directories end in a slash. */
static int
byte_at(const struct plan_item *item, size_t at)
{
	if (at < item->path_len)
		return (unsigned char)item->path[at];
	return item->directory && at == item->path_len ? '/' : -1;
}

static int
by_path(const void *a, const void *b)
{
	const struct plan_item *x = a, *y = b;
	size_t least = x->path_len < y->path_len ? x->path_len : y->path_len;
	int order = memcmp(x->path, y->path, least);

	for (size_t at = least; order == 0 && at <= least + 1; at++)
		order = byte_at(x, at) - byte_at(y, at);
	return order;
}

static bool
is_below(const struct plan_item *item, const struct plan_item *directory)
{
	size_t len = directory->path_len;

	return item->path_len > len && item->path[len] == '/' && memcmp(item->path, directory->path, len) == 0;
}

static void
drop_implied(struct plan *p)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->count; i++)
		if (!p->item[i].directory || i + 1 == p->count || !is_below(&p->item[i + 1], &p->item[i]))
			p->item[kept++] = p->item[i];
	p->count = kept;
}

/* Bytes of the directories that hold both, with their slashes. */
static size_t
shared(const char *path, const char *before)
{
	size_t len = 0;

	for (size_t i = 0; path[i] != '\0' && path[i] == before[i]; i++)
		if (path[i] == '/')
			len = i + 1;
	return len;
}

size_t
plan_next_parent(const char *path, const char *before, size_t at)
{
	size_t from = shared(path, before);
	const char *slash = strchr(path + (from > at + 1 ? from : at + 1), '/');

	return slash != NULL ? (size_t)(slash - path) : 0;
}

/* Names imply directories without end: these count as well. */
static int
check_count(const struct plan *p, uint64_t most, struct refusal *r)
{
	uint64_t count = p->count;

	for (size_t i = 0; i < p->count; i++) {
		const char *path = p->item[i].path, *before = i > 0 ? p->item[i - 1].path : "";

		for (size_t at = 0; (at = plan_next_parent(path, before, at)) != 0;)
			count++;
		if (count > most)
			return rule_refuse(
			    r, RULE_LIMIT_ENTRIES, p->item[i].offset, p->item[i].name, p->item[i].name_len);
	}
	return 0;
}

static int
find_manifest(struct plan *p, const struct profile *profile, struct refusal *r)
{
	auto_buf struct buf path = {0};

	if (!profile->canonical)
		return 0;
	profile_place(profile, "app.json", strlen("app.json"), false, &path);
	for (size_t i = 0; i < p->count && p->manifest == NULL; i++)
		if (!p->item[i].directory && strcmp(p->item[i].path, path.data) == 0)
			p->manifest = &p->item[i];
	return p->manifest != NULL ? 0 : rule_refuse(r, RULE_MANIFEST_MISSING, RULE_NOWHERE, NULL, 0);
}

int
plan_make(struct plan *p, const struct profile *profile, struct refusal *r)
{
	size_t files = 0;

	for (size_t i = 0; i < p->count; i++)
		files += !p->item[i].directory;
	if (files == 0)
		return rule_refuse(r, RULE_BUNDLE_EMPTY, RULE_NOWHERE, NULL, 0);
	if (check_names(p, r) == -1)
		return -1;
	place(p, profile);
	/* In a flat layout these are the names again. */
	if (profile->app_prefix != NULL && check_paths(p, r) == -1)
		return -1;
	if (heapsort(p->item, p->count, sizeof *p->item, by_path) == -1)
		err(2, "names");
	drop_implied(p);
	return check_count(p, profile->limits.entries, r) == -1 ? -1 : find_manifest(p, profile, r);
}

void
plan_free(struct plan *p)
{
	free(p->item);
	buf_free(&p->paths);
	*p = (struct plan) {0};
}
