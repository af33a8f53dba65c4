/* fuzz-inventory - fuzzes lib/inventory.c lib/inventory_check.c lib/owner.c lib/repair.c */

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "digest.h"
#include "fd.h"
#include "repair.h"
#include "x.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The inventory that TEXT is, approved and executed as it stands, since nobody guesses a digest; NULL when it is refused. */
static struct inventory *
approved(const char *text, size_t len)
{
	static struct inventory v;
	char why[JSON_ERROR_TEXT_LENGTH], digest[DIGEST_TEXT];
	json_t *root = json_parse(text, len, why);
	struct fault f = {0};
	struct buf b = {0};
	char *path;
	int fd;

	if (root == NULL)
		return NULL;
	if (json_object_get(root, "plan") != NULL) {
		json_digest(json_object_get(root, "plan"), digest);
		json_object_set_new(root, "plan_sha256", json_string(digest));
		json_object_set(root, "executed", json_object_get(root, "plan"));
	}
	json_add_text(&b, root);
	fd = fd_memory_with("inventory", b.data, b.len);
	path = x_printf("/proc/self/fd/%d", fd);
	if (inventory_read(&v, path, &f) == -1) {
		if (strcmp(f.reason, "inventory_invalid") != 0)
			abort();
		inventory_free(&v);
		v.root = NULL;
	}
	fault_clear(&f);
	close(fd);
	free(path);
	buf_free(&b);
	json_decref(root);
	return v.root == NULL ? NULL : &v;
}

/* What was accepted keeps its promises: each path has one owner, and each prerequisite is a task. */
static void
check_owners(const struct inventory *v)
{
	const json_t *task, *path, *owner;
	size_t i, k;

	json_array_foreach (v->tasks, i, task) {
		json_array_foreach (json_object_get(task, "owned_paths"), k, path)
			if (inventory_owners(v, json_string_value(path), &owner) != 1 || owner != task)
				abort();
		json_array_foreach (json_object_get(task, "depends_on"), k, path)
			if (inventory_task(v, json_string_value(path)) == NULL)
				abort();
	}
}

/* A problem a line: a path, a tab, a message. */
static json_t *
read_problems(const char *text, size_t len)
{
	json_t *problems = json_array();
	const char *end = text + len;

	while (text < end && json_array_size(problems) < 50) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		size_t line = (size_t)((stop == NULL ? end : stop) - text);
		const char *tab = memchr(text, '\t', line);
		json_t *problem = json_object();

		if (tab != NULL && tab > text)
			json_object_set_new(problem, "path", json_lossy(text, (size_t)(tab - text)));
		tab = tab == NULL ? text : tab + 1;
		json_object_set_new(problem, "error", json_lossy(tab, (size_t)(text + line - tab)));
		json_array_append_new(problems, problem);
		text += line + 1;
	}
	return problems;
}

static json_t *
make_history(const struct inventory *v, unsigned which)
{
	static const char *const words[] = {"responded", "rejected", "interrupted", "responded"};
	const char *id = json_text_at(json_array_get(v->tasks, 0), "task_id");
	json_t *history = json_array();

	for (unsigned i = 0; i < which % 3; i++)
		json_array_append_new(
		    history, json_make("{s:s, s:s, s:i, s:s, s:s}", "request_id", "00", "task_id", id, "attempt",
		                 (int)i + 1, "fingerprint", "00", "status", words[which / 3 % 4]));
	return history;
}

/* Who is asked owns what it may change, was accepted, and is asked only when nothing comes before. */
static void
check_decision(const struct inventory *v, const struct repair *r, size_t asked)
{
	const char *id = r->entry == NULL ? NULL : json_text_at(r->entry, "task_id");
	const json_t *allowed = json_at(r->bundle, "repair_request.allowed_paths");

	if ((strcmp(json_text_at(r->bundle, "status"), "needs_revision") == 0) != (r->entry != NULL))
		abort();
	if (r->entry == NULL)
		return;
	if (inventory_task(v, id) == NULL || strcmp(inventory_status(v, id), "accepted") != 0 ||
	    !json_equal(allowed, json_object_get(inventory_task(v, id), "owned_paths")))
		abort();
	if (json_array_size(r->recoveries) > 0 || asked >= REPAIR_ATTEMPTS)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data + 1, *rest = size < 2 ? NULL : memchr(text, '\n', size - 1);
	struct inventory *v = rest == NULL ? NULL : approved(text, (size_t)(rest - text));
	json_t *problems, *history;
	struct repair r;

	if (v == NULL)
		return 0;
	check_owners(v);
	problems = read_problems(rest + 1, size - 2 - (size_t)(rest - text));
	history = make_history(v, data[0]);
	repair_decide(&r, v, problems, history);
	check_decision(v, &r, json_array_size(history));
	repair_free(&r);
	json_decref(history);
	json_decref(problems);
	inventory_free(v);
	v->root = NULL;
	return 0;
}
