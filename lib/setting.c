/* setting - the operator's environment variables, read on behalf of cmd/ alone */

#include <bsd/stdlib.h>
#include <ctype.h>
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "path.h"
#include "setting.h"
#include "x.h"

const char *
setting_text(const char *name, const char *fallback)
{
	const char *value = getenv(name);
	size_t len;

	if (value == NULL)
		return fallback;
	while (isspace((unsigned char)*value))
		value++;
	for (len = strlen(value); len > 0 && isspace((unsigned char)value[len - 1]); len--)
		;
	return len == 0 ? fallback : value[len] == '\0' ? value : x_strndup(value, len);
}

const char *
setting_raw(const char *name)
{
	return getenv(name);
}

int64_t
setting_integer(const char *name, int64_t fallback, int64_t least, int64_t most)
{
	const char *text = setting_text(name, NULL), *wrong;
	int64_t value;

	if (text == NULL)
		return fallback;
	value = strtonum(text, least, most, &wrong);
	if (wrong != NULL)
		errx(2, "%s: must be a whole number from %lld to %lld, not '%s'", name, (long long)least,
		    (long long)most, text);
	return value;
}

char *
setting_program(const char *name)
{
	return path_program(getenv("PATH"), name);
}

static const char *
default_state(void)
{
	const char *base;

	if (geteuid() == 0)
		return "/var/lib/sbx";
	if ((base = setting_text("XDG_STATE_HOME", NULL)) != NULL)
		return x_printf("%s/sbx", base);
	if ((base = setting_text("HOME", NULL)) != NULL)
		return x_printf("%s/.local/state/sbx", base);
	errx(2, "SBX_STATE: not set, and neither is HOME: set one of them");
}

const char *
setting_state(void)
{
	static const char *state;

	if (state == NULL) {
		state = setting_text("SBX_STATE", NULL);
		if (state == NULL)
			state = default_state();
		if (state[0] != '/')
			errx(2, "SBX_STATE: must be an absolute path, not '%s'", state);
		path_make_private(state);
	}
	return state;
}

const char *
setting_store(void)
{
	const char *place = setting_text("SBX_STORE", NULL);

	return place != NULL ? place : setting_state();
}

const char *
setting_share(void)
{
	return setting_text("SBX_SHARE", SBX_SHAREDIR);
}
