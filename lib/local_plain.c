/* local_plain - a command without walls: the image's paths become this machine's, and little of the operator's environment */

#include <stdlib.h>
#include <string.h>

#include "confine.h"
#include "local.h"
#include "local_plain.h"
#include "place.h"
#include "setting.h"
#include "x.h"

char *
local_place(const struct cell *c, const char *shell, const char *text)
{
	auto_free char *modules = x_printf("%s/web_shell/node_modules", shell);
	const struct place places[] = {
	    {CONFINE_WORKSPACE, c->workspace}, {CONFINE_SHELL, shell}, {"/node_modules", modules}};

	return place_text(places, sizeof places / sizeof *places, text);
}

/* These hold no secrets, and little works without them. */
static const char *const host_names[] = {"HOME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TZ", "USER", "LOGNAME"};

enum {
	HOST_NAMES = sizeof host_names / sizeof *host_names
};

char **
local_environment(const struct cell *c, const char *shell, const json_t *env)
{
	char **words = x_zalloc(HOST_NAMES + json_object_size(env) + 4, sizeof *words), **next = words;
	const char *name;
	json_t *value;

	*next++ = x_printf(LOCAL_MARK "=%s", json_text_at(c->about, "id"));
	if (json_object_get(env, "PATH") == NULL)
		*next++ = x_printf("PATH=%s/bin:%s", shell, setting_text("PATH", "/usr/bin:/bin"));
	if (json_object_get(env, "CI") == NULL)
		*next++ = x_strdup("CI=1");
	for (int i = 0; i < HOST_NAMES; i++)
		if (setting_text(host_names[i], NULL) != NULL && json_object_get(env, host_names[i]) == NULL)
			*next++ = x_printf("%s=%s", host_names[i], setting_text(host_names[i], NULL));
	json_object_foreach ((json_t *)env, name, value) {
		auto_free char *placed = local_place(c, shell, json_string_value(value));

		*next++ = x_printf("%s=%s", name, placed);
	}
	return words;
}
