/* inventory - the approved tasks behind a bundle: who owns which file, and whose work was accepted (sbx-inventory(5)) */

#include <fcntl.h>
#include <fnmatch.h>
#include <string.h>

#include "fd.h"
#include "inventory.h"
#include "x.h"

enum {
	FILE_MOST = 4 << 20
};

int
inventory_read(struct inventory *v, const char *file, struct fault *f)
{
	auto_close int fd = open(file, O_RDONLY | O_CLOEXEC);
	char why[JSON_ERROR_TEXT_LENGTH];
	auto_buf struct buf text = {0};

	*v = (struct inventory) {0};
	if (fd == -1 || fd_read_all(fd, &text, FILE_MOST) == -1)
		return fault_errno(f, STATUS_TROUBLE, "inventory_invalid", "%s", file);
	if ((v->root = json_parse(text.data == NULL ? "" : text.data, text.len, why)) == NULL)
		return fault_set(f, STATUS_TROUBLE, "inventory_invalid", "%s: %s", file, why);
	if (inventory_check(v->root, file, f) == -1)
		return -1;
	v->series = json_text_at(v->root, "series");
	v->tasks = json_object_get(v->root, "plan");
	v->evidence = json_object_get(v->root, "evidence");
	return 0;
}

const json_t *
inventory_task(const struct inventory *v, const char *id)
{
	const json_t *task;
	size_t i;

	json_array_foreach (v->tasks, i, task)
		if (strcmp(json_text_at(task, "task_id"), id) == 0)
			return task;
	return NULL;
}

static bool
owns(const json_t *task, const char *path, bool pattern)
{
	const json_t *owned;
	size_t i;

	json_array_foreach (json_object_get(task, "owned_paths"), i, owned) {
		const char *name = json_string_value(owned);

		if (pattern ? fnmatch(path, name, FNM_PATHNAME | FNM_NOESCAPE) == 0 : strcmp(path, name) == 0)
			return true;
	}
	return false;
}

size_t
inventory_owners(const struct inventory *v, const char *path, const json_t **owner)
{
	/* No file of a bundle has these characters in its name: sbx-bundle(5). */
	bool pattern = strpbrk(path, "*?") != NULL;
	const json_t *task;
	size_t i, n = 0;

	json_array_foreach (v->tasks, i, task)
		if (owns(task, path, pattern)) {
			*owner = task;
			n++;
		}
	return n;
}

const char *
inventory_status(const struct inventory *v, const char *id)
{
	return json_text_at(json_object_get(v->evidence, id), "status");
}

bool
inventory_recoverable(const struct inventory *v, const char *id)
{
	const char *status = inventory_status(v, id);
	const char *recovery = json_text_at(json_object_get(v->evidence, id), "recovery");

	return status != NULL && strcmp(status, "rejected") == 0 && recovery != NULL &&
	       strcmp(recovery, "possible") == 0;
}

void
inventory_free(struct inventory *v)
{
	json_decref(v->root);
	*v = (struct inventory) {0};
}
