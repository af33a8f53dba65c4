/* local - the provider that runs commands on this machine itself, between walls */

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "confine.h"
#include "fd.h"
#include "holding.h"
#include "id.h"
#include "local.h"
#include "path.h"
#include "setting.h"
#include "x.h"

static json_t *
local_caps(const struct site *s, struct fault *f)
{
	(void)s;
	(void)f;
	return json_make("{s:s, s:b, s:b, s:b, s:b}", "provider", local_provider.name, "supports_preview", 0,
	    "supports_file_io", 1, "supports_command_execution", 1, "supports_timeout_extension", 0);
}

static json_t *
local_url(const struct site *s, const char *id, int port, struct fault *f)
{
	json_t *sandbox = local_connect(s, id, f);

	(void)port;
	json_decref(sandbox);
	return sandbox == NULL ? NULL : json_null();
}

const struct provider local_provider = {
    .name = "local",
    .create = local_create,
    .connect = local_connect,
    .put = local_put,
    .get = local_get,
    .exec = local_exec,
    .url = local_url,
    .rm = local_rm,
    .sweep = local_sweep,
    .list = local_list,
    .caps = local_caps,
};

char *
local_dir(const char *id)
{
	const char *own = local_id(id);

	return x_printf("%s/local/%s", setting_state(), own != NULL ? own : "ID");
}

int
local_show(const struct site *s, struct fault *f, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(s->show, format, args);
	va_end(args);
	fputc('\n', s->show);
	return fault_set(f, STATUS_YES, "dry", "only shown");
}

const char *
local_id(const char *id_or_name)
{
	const char *id = strncmp(id_or_name, "sbx-", 4) == 0 ? id_or_name + 4 : id_or_name;

	return id_is_hex(id, ID_RUN) ? id : NULL;
}

/* A link is made whole or not at all, and only by who comes first; where it points is the name. */
char *
local_engine(void)
{
	auto_free char *above = x_printf("%s/local", setting_state()), *path = x_printf("%s/engine", above);
	char id[ID_RUN + 1];
	ssize_t len;

	path_make_private(above);
	id_hex(id, ID_RUN);
	if (symlink(id, path) == 0)
		return x_strdup(id);
	len = readlink(path, id, ID_RUN);
	id[len == -1 ? 0 : len] = '\0';
	return x_strdup(id);
}

char *
local_boot(void)
{
	auto_close int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	auto_buf struct buf text = {0};

	buf_text(&text, "");
	if (fd != -1)
		fd_read_all(fd, &text, 128);
	return x_strndup(text.data, strcspn(text.data, "\n"));
}

static int
note_engine(const struct holding *h, void *engine, struct fault *f)
{
	(void)f;
	*(char **)engine = x_strdup(h->engine != NULL ? h->engine : "");
	return 1;
}

int
local_recall(const struct site *s, const char *id, char **engine, struct fault *f)
{
	*engine = NULL;
	return holding_find(s, local_provider.name, id, note_engine, engine, f);
}

/* It is not here. Does the store know it elsewhere? */
static int
missing(const struct site *s, const char *id, struct fault *f)
{
	auto_free char *recorded = NULL, *here = local_engine();

	if (local_recall(s, id, &recorded, f) == -1)
		return -1;
	if (recorded != NULL && strcmp(recorded, here) != 0)
		return fault_set(f, STATUS_DOUBT, "engine_other",
		    "%s: it was made on another machine, or under another SBX_STATE", id);
	return fault_set(f, STATUS_NO, "sandbox_missing", "%s: there is no such local sandbox", id);
}

/* What a sandbox had in memory does not outlive the machine's start. */
bool
local_has_ended(const struct cell *c)
{
	auto_free char *boot = local_boot();
	const char *made = json_text_at(c->about, "boot");

	return json_int_at(c->about, "deadline_ms", 0) <= clock_wall() || made == NULL || strcmp(made, boot) != 0;
}

int
local_open(const struct site *s, const char *id, struct cell *c, struct fault *f)
{
	const char *own = local_id(id);

	if (s->show != NULL) {
		auto_free char *dir = local_dir(id);

		return local_show(s, f, "cat %s/about", dir);
	}
	if (own == NULL || cell_open(c, setting_state(), own) == -1)
		return missing(s, id, f);
	if (!local_has_ended(c))
		return 0;
	cell_close(c);
	return fault_set(
	    f, STATUS_NO, "sandbox_ended", "%s: its deadline has passed, or the machine was started anew", id);
}

json_t *
local_sandbox(const struct cell *c)
{
	static const char *const members[] = {
	    "provider", "id", "name", "engine", "purpose", "deadline", "confined", "workspace", "metadata"};
	json_t *sandbox = json_object();

	for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
		json_t *value = json_object_get(c->about, members[i]);

		if (value != NULL)
			json_object_set(sandbox, members[i], value);
	}
	json_object_set_new(sandbox, "ports", json_object());
	return sandbox;
}

json_t *
local_connect(const struct site *s, const char *id, struct fault *f)
{
	auto_cell struct cell c = {0};

	return local_open(s, id, &c, f) == -1 ? NULL : local_sandbox(&c);
}

bool
local_is_confined(const struct cell *c)
{
	return json_true_at(c->about, "confined");
}

uid_t
local_user(const struct cell *c)
{
	return geteuid() == 0 && local_is_confined(c) ? CONFINE_UID : geteuid();
}
