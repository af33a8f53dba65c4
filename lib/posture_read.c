/* posture_read - what an app asks for, from its manifest and its authentication contract */

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "beneath.h"
#include "fd.h"
#include "posture.h"
#include "x.h"

enum {
	DOCUMENT_MOST = 1 << 20
};

static int
read_id(struct posture *p, const json_t *manifest, struct fault *f)
{
	static const char in_ids[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
	const json_t *id = json_object_get(manifest, "appId");
	size_t len = json_string_length(id);

	if (id == NULL || json_is_null(id))
		return fault_set(f, STATUS_NO, "app_id_missing",
		    "app.json: there is no appId, and a preview is of one app that has a name");
	if (!json_is_string(id))
		return fault_set(f, STATUS_NO, "app_id_invalid", "app.json: appId is not a text");
	if (len == 0 || len > POSTURE_ID_MOST || strspn(json_string_value(id), in_ids) != len)
		return fault_set(f, STATUS_NO, "app_id_invalid",
		    "app.json: appId must be 1 to %d letters, digits, hyphens and underscores", POSTURE_ID_MOST);
	memcpy(p->app_id, json_string_value(id), len + 1);
	return 0;
}

const char *
posture_contract(const json_t *manifest, struct fault *f)
{
	const json_t *name = json_object_get(manifest, "authContract");

	if (name == NULL)
		return NULL;
	if (json_is_string(name) && beneath_name(json_string_value(name)))
		return json_string_value(name);
	fault_fill(f, STATUS_NO, "auth_invalid", "app.json: authContract is not the name of a file of the app");
	return NULL;
}

/* A path of this site alone: "//host/" and "/\host/" are other sites to a browser, and a query or a fragment is the provider's. */
static bool
is_callback(const json_t *path)
{
	const char *text = json_string_value(path);

	if (text == NULL || text[0] != '/' || text[1] == '/')
		return false;
	for (; *text != '\0'; text++)
		if ((unsigned char)*text <= ' ' || strchr("?#\\\x7f", *text) != NULL)
			return false;
	return true;
}

static bool
is_texts(const json_t *list)
{
	const json_t *text;
	size_t i;

	json_array_foreach (list, i, text)
		if (json_string_length(text) == 0)
			return false;
	return json_is_array(list);
}

static bool
is_roles(const json_t *roles)
{
	const char *name;
	json_t *permissions;

	json_object_foreach ((json_t *)roles, name, permissions)
		if (*name == '\0' || !is_texts(permissions))
			return false;
	return roles == NULL || json_is_object(roles);
}

static int
read_contract(struct posture *p, const json_t *contract, struct fault *f)
{
	const char *wrong = NULL;

	if (!json_is_object(contract))
		wrong = "is not an object";
	else if (!is_callback(json_object_get(contract, "callbackPath")))
		wrong = "callbackPath must be a path that starts with one / and has no query";
	else if (!is_texts(json_object_get(contract, "permissions")))
		wrong = "permissions must be a list of texts";
	else if (!is_roles(json_object_get(contract, "roles")))
		wrong = "roles must be an object of lists of texts";
	if (wrong != NULL)
		return fault_set(f, STATUS_NO, "auth_invalid", "the authentication contract: %s", wrong);
	p->callback_path = x_strdup(json_text_at(contract, "callbackPath"));
	return 0;
}

int
posture_from(struct posture *p, const json_t *manifest, const json_t *contract, struct fault *f)
{
	const json_t *required = json_object_get(manifest, "authRequired");

	if (read_id(p, manifest, f) == -1)
		return -1;
	if (required != NULL && !json_is_boolean(required))
		return fault_set(f, STATUS_NO, "auth_invalid", "app.json: authRequired is neither true nor false");
	if (json_is_false(required) && contract != NULL)
		return fault_set(
		    f, STATUS_NO, "auth_invalid", "app.json: authRequired is false, and yet there is an authContract");
	if (json_is_false(required))
		return 0;
	if (contract == NULL)
		return fault_set(f, STATUS_NO, "auth_invalid",
		    "app.json: authRequired is true, which it is when absent, and there is no authContract");
	return read_contract(p, contract, f);
}

/* A document that the directory APP has, a new reference; REASON is for one that is not what it should be. */
static json_t *
read_document(int app, const char *name, const char *reason, struct fault *f)
{
	auto_close int fd = beneath_open(app, name, O_RDONLY | O_NONBLOCK, 0);
	auto_buf struct buf text = {0};
	char why[JSON_ERROR_TEXT_LENGTH];
	json_t *value = NULL;

	if (fd == -1 || fd_read_all(fd, &text, DOCUMENT_MOST) == -1)
		fault_fill_errno(f, STATUS_NO, reason, "%s", name);
	else if ((value = json_parse_any(text.data, text.len, why)) == NULL)
		fault_fill(f, STATUS_NO, reason, "%s: %s", name, why);
	return value;
}

int
posture_read(struct posture *p, const char *app_root, struct fault *f)
{
	auto_close int app = open(app_root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	json_t *manifest = NULL, *contract = NULL;
	const char *name;
	int status = -1;

	if (app == -1)
		return fault_errno(f, STATUS_TROUBLE, "app_missing", "%s", app_root);
	if ((manifest = read_document(app, "app.json", "app_invalid", f)) == NULL)
		return -1;
	name = posture_contract(manifest, f);
	if (name != NULL)
		contract = read_document(app, name, "auth_invalid", f);
	if (!fault_is(f))
		status = posture_from(p, manifest, contract, f);
	json_decref(contract);
	json_decref(manifest);
	return status;
}

void
posture_free(struct posture *p)
{
	free(p->callback_path);
	*p = (struct posture) {0};
}
