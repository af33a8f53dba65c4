/* environ - an ordered set of environment variables, each with where it comes from */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "environ.h"
#include "x.h"

bool
environ_is_name(const char *name)
{
	if (!isalpha((unsigned char)*name) && *name != '_')
		return false;
	while (isalnum((unsigned char)*name) || *name == '_')
		name++;
	return *name == '\0';
}

const struct environ_item *
environ_find(const struct environ *e, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < e->count; i++)
		if (e->item[i].name_len == len && memcmp(e->item[i].text, name, len) == 0)
			return &e->item[i];
	return NULL;
}

void
environ_unset(struct environ *e, const char *name)
{
	const struct environ_item *item = environ_find(e, name);
	struct environ_item *gone;

	if (item == NULL)
		return;
	gone = &e->item[item - e->item];
	free(gone->text);
	e->count--;
	memmove(gone, gone + 1, (size_t)(e->item + e->count - gone) * sizeof *gone);
}

void
environ_set(struct environ *e, const char *name, const char *value, const char *source)
{
	/* Made first, since VALUE may be what the set has under NAME. */
	char *text = x_printf("%s=%s", name, value);

	environ_unset(e, name);
	if (e->count == e->room) {
		e->room = e->room == 0 ? 32 : 2 * e->room;
		e->item = x_realloc(e->item, e->room, sizeof *e->item);
	}
	e->item[e->count++] = (struct environ_item) {text, strlen(name), source};
}

const char *
environ_get(const struct environ *e, const char *name)
{
	const struct environ_item *item = environ_find(e, name);

	return item == NULL ? NULL : item->text + item->name_len + 1;
}

void
environ_take(struct environ *e, const char *const *envp, const char *prefix, const char *source)
{
	size_t len = strlen(prefix);

	for (; *envp != NULL; envp++) {
		const char *value = strchr(*envp, '=');
		auto_free char *name = NULL;

		if (value == NULL || strncmp(*envp, prefix, len) != 0 || value <= *envp + len)
			continue;
		name = x_strndup(*envp + len, (size_t)(value - *envp) - len);
		environ_set(e, name, value + 1, source);
	}
}

const char **
environ_list(const struct environ *e)
{
	const char **list = x_zalloc(e->count + 1, sizeof *list);

	for (size_t i = 0; i < e->count; i++)
		list[i] = e->item[i].text;
	return list;
}

void
environ_free(struct environ *e)
{
	for (size_t i = 0; i < e->count; i++)
		free(e->item[i].text);
	free(e->item);
	*e = (struct environ) {0};
}
