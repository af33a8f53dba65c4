/* provider_env - the variables that a command or a sandbox is given, which no argument ever holds */

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "fd.h"
#include "provider_face.h"
#include "setting.h"

enum {
	FILE_MOST = 1 << 20
};

/* Others can read a program's arguments, so they have the name alone. */
static void
add_names(json_t *all, const struct cli_words *names)
{
	for (size_t i = 0; i < names->count; i++) {
		const char *name = names->word[i], *value = setting_raw(name);

		if (strchr(name, '=') != NULL)
			cli_usage("--env takes a NAME: its value comes from the environment");
		if (value == NULL)
			cli_usage("--env %s: it is not set", name);
		if (json_object_set_new(all, name, json_string(value)) == -1)
			cli_usage("--env %s: is not UTF-8", name);
	}
}

static json_t *
read_file(const char *path)
{
	auto_close int fd = open(path, O_RDONLY | O_CLOEXEC);
	auto_buf struct buf text = {0};
	char why[JSON_ERROR_TEXT_LENGTH];
	json_t *all;

	if (fd == -1 || fd_read_all(fd, &text, FILE_MOST) == -1)
		cli_usage("--env-from %s: %s", path, strerror(errno));
	if ((all = json_parse(text.data, text.len, why)) == NULL)
		cli_usage("--env-from %s: %s", path, why);
	return all;
}

/* A command that is shown has the names. */
static void
mask(json_t *all)
{
	const char *name;
	json_t *value;

	json_object_foreach (all, name, value) {
		auto_free char *shown = x_printf("$%s", name);

		json_object_set_new(all, name, json_string(shown));
	}
}

json_t *
face_env(const struct cli_words *names, const char *file, bool show)
{
	json_t *all = file != NULL ? read_file(file) : json_object();
	struct fault f = {0};

	add_names(all, names);
	if (exec_check_env(all, &f) == -1)
		cli_usage("%s", f.message);
	if (show)
		mask(all);
	return all;
}
