/* local_list - the local sandboxes that are here, and the end of all that are left of a run */

#include <dirent.h>
#include <string.h>

#include "holding.h"
#include "local.h"
#include "setting.h"
#include "x.h"

/* What a container would carry as labels, and where a local sandbox has it. */
static const struct {
	const char *label, *member;
} labels_of[] = {
    {"sbx.owner", "owner"},
    {"sbx.run", "run"},
    {"sbx.purpose", "purpose"},
    {"sbx.deadline", "deadline"},
    {"sbx.bundle", "bundle"},
};

static bool
has_label(const json_t *about, const char *label)
{
	size_t len = strcspn(label, "=");

	if (strcmp(label, "mozaiks.sandbox=true") == 0 || strcmp(label, "mozaiks.sandbox") == 0)
		return true;
	for (size_t i = 0; i < sizeof labels_of / sizeof *labels_of; i++) {
		const char *value = json_text_at(about, labels_of[i].member);

		if (value != NULL && strlen(labels_of[i].label) == len && strncmp(label, labels_of[i].label, len) == 0)
			return label[len] == '\0' || strcmp(label + len + 1, value) == 0;
	}
	return false;
}

static void
add_sandbox(json_t *all, const struct cell *c, const char *const *labels, size_t count)
{
	json_t *sandbox;

	for (size_t i = 0; i < count; i++)
		if (!has_label(c->about, labels[i]))
			return;
	sandbox = local_sandbox(c);
	json_object_set(sandbox, "run", json_object_get(c->about, "run"));
	json_object_set_new(sandbox, "state", json_string(local_has_ended(c) ? "ended" : "running"));
	json_array_append_new(all, sandbox);
}

json_t *
local_list(const struct site *s, const char *const *labels, size_t count, struct fault *f)
{
	auto_free char *above = x_printf("%s/local", setting_state());
	json_t *all;
	struct dirent *entry;
	DIR *list;

	if (s->show != NULL) {
		local_show(s, f, "cat %s/*/about", above);
		return NULL;
	}
	list = opendir(above);
	all = json_array();
	while (list != NULL && (entry = readdir(list)) != NULL) {
		auto_cell struct cell c = {0};

		if (local_id(entry->d_name) != NULL && cell_look(&c, setting_state(), entry->d_name) == 0)
			add_sandbox(all, &c, labels, count);
	}
	if (list != NULL)
		closedir(list);
	return all;
}

/* The names of all that may be left of the run: what the store holds, and what is here. */
static json_t *
names_of_run(const struct site *s, const char *run, struct fault *f)
{
	auto_free char *label = x_printf("sbx.run=%s", run);
	const char *const labels[] = {label};
	json_t *names = json_object(), *here = local_list(s, labels, 1, f), *one;
	size_t i;

	if (s->show == NULL)
		holding_of_run(s, local_provider.name, run, holding_note, names, f);
	json_array_foreach (here, i, one)
		json_object_set_new(names, json_text_at(one, "name"), json_true());
	json_decref(here);
	return names;
}

enum gone
local_sweep(const struct site *s, const char *run, struct fault *f)
{
	json_auto_t *names = names_of_run(s, run, f);

	provider_rm_all(&local_provider, s, names, NULL, f);
	return provider_swept(f);
}
