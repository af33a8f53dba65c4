/* posture - how an app is previewed: who must sign in, and the environment that no forwarded value can change */

#include <string.h>
#include <strings.h>

#include "id.h"
#include "posture.h"
#include "x.h"

enum {
	KEY_LENGTH = 64 /* hexadecimal digits, so 256 bits */
};

/* What helps the operator, who alone can give a preview such a variable. */
#define SET_AS " (set with MOZAIKS_PREVIEW_ENV_ before its name)"

static const char pinned[] = "pinned in every preview", from_app[] = "the app's appId",
                  from_contract[] = "the app's authentication contract", from_url[] = "the preview's address";

/* A NULL value: nobody gets to see that variable. */
struct pin {
	const char *name, *value;
};

static const struct pin resources[] = {
    {"MOZAIKS_WEB_SHELL_PATH", "/opt/mozaiks/web_shell"},
    {"MOZAIKS_CHAT_UI_PATH", "/opt/mozaiks/chat-ui"},
    {"MOZAIKS_FACTORY_APP_PATH", "/opt/mozaiks/factory_app"},
    {"VITE_MOZAIKS_PREVIEW", "true"},
    {0},
};

static const struct pin always[] = {
    {"MOZAIKS_HOST", "platform"},
    {"VITE_MOZAIKS_HOST", "platform"},
    {"PYTHON_DOTENV_DISABLED", "1"},
    {"DATABASE_URL", "postgresql://sandbox@127.0.0.1:5432/mozaiks_preview"},
    {"MONGO_URI", NULL},
    /* Modules read the first and account routes the second: were they two, the account's records would not be found. */
    {"MOZAIKS_APP_DATABASE_NAME", "mozaiks_preview"},
    {"MOZAIKS_APP_DATA_DATABASE_NAME", "mozaiks_preview"},
    {"MOZAIKS_BACKEND_URL", "http://127.0.0.1:8000"},
    {"VITE_API_URL", ""},
    {"VITE_CORE_URL", ""},
    {"VITE_WS_URL", ""},
    {"VITE_MOCK_MODE", "false"},
    {"VITE_USAGE_DEMO_MODE", "false"},
    {0},
};

static const struct pin in_public[] = {
    {"AUTH_ENABLED", "false"},
    {"AUTH_PROVIDER", "none"},
    {"AUTH_ANON_ACCESS", "public"},
    {"AUTH_ANON_ROLES", NULL},
    {"VITE_OIDC_REDIRECT_URI", ""},
    {0},
};

static const struct pin with_sign_in[] = {
    {"AUTH_ENABLED", "true"},
    {"AUTH_ANON_ACCESS", NULL},
    {"AUTH_ANON_ROLES", NULL},
    {0},
};

static void
pin(struct environ *e, const struct pin *p, const char *source)
{
	for (; p->name != NULL; p++)
		if (p->value != NULL)
			environ_set(e, p->name, p->value, source);
		else
			environ_unset(e, p->name);
}

void
posture_resources(struct environ *e)
{
	pin(e, resources, "the image's resources");
}

/* Does TEXT, white space around it aside, equal WORD in either case? */
static bool
is_word(const char *text, const char *word)
{
	size_t len = strlen(word);

	text += strspn(text, " \t\r\n");
	return strncasecmp(text, word, len) == 0 && text[len + strspn(text + len, " \t\r\n")] == '\0';
}

static bool
has(const struct environ *e, const char *name)
{
	const char *value = environ_get(e, name);

	return value != NULL && !is_word(value, "");
}

/* Only what surely means yes leaves sign-in on; whatever else a host may take for no is refused here. */
static bool
switches_off(const struct environ *e)
{
	static const char *const yes[] = {"true", "1", "yes", "on"};
	const char *enabled = environ_get(e, "AUTH_ENABLED"), *provider = environ_get(e, "AUTH_PROVIDER");
	bool on = !has(e, "AUTH_ENABLED");

	for (size_t i = 0; !on && i < sizeof yes / sizeof *yes; i++)
		on = is_word(enabled, yes[i]);
	return !on || (provider != NULL && is_word(provider, "none"));
}

int
posture_check(const struct posture *p, const struct environ *e, struct fault *f)
{
	if (p->callback_path == NULL)
		return 0;
	if (switches_off(e))
		return fault_set(f, STATUS_TROUBLE, "auth_disabled",
		    "the app has an authentication contract: AUTH_ENABLED and AUTH_PROVIDER can't switch its sign-in "
		    "off");
	if (!has(e, "VITE_OIDC_AUTHORITY"))
		return fault_set(f, STATUS_TROUBLE, "oidc_missing",
		    "the app's users sign in: VITE_OIDC_AUTHORITY must say with whom" SET_AS);
	if (!has(e, "MOZAIKS_OIDC_AUTHORITY") && !(has(e, "AUTH_ISSUER") && has(e, "AUTH_JWKS_URL")))
		return fault_set(f, STATUS_TROUBLE, "oidc_missing",
		    "the app's users sign in: MOZAIKS_OIDC_AUTHORITY, or AUTH_ISSUER and AUTH_JWKS_URL, must say whose "
		    "tokens count" SET_AS);
	return 0;
}

static const char host_characters[] = "abcdefghijklmnopqrstuvwxyz0123456789.-";

/* Take the address apart: its ORIGIN has no slash at its end, its HOST no port. They are the caller's. */
static int
read_url(const char *url, char **origin, char **host, struct fault *f)
{
	size_t scheme = strncmp(url, "https://", 8) == 0 ? 8 : strncmp(url, "http://", 7) == 0 ? 7 : 0, len, port = 0;
	const char *name = url + scheme, *rest;

	if (*name == '[') {
		len = 1 + strspn(name + 1, "0123456789abcdef:.");
		len = len > 2 && name[len] == ']' ? len + 1 : 0;
	} else
		len = strspn(name, host_characters);
	rest = name + len;
	if (*rest == ':') {
		port = strspn(rest + 1, "0123456789");
		rest += 1 + port;
	}
	if (scheme == 0 || len == 0 || port > 5 || rest[-1] == ':' || strcmp(rest + (*rest == '/'), "") != 0)
		return fault_set(f, STATUS_TROUBLE, "url_invalid",
		    "the preview's address must be http:// or https://, a host in lower case, perhaps a port, and no "
		    "more, not '%s'",
		    url);
	*origin = x_strndup(url, (size_t)(rest - url));
	*host = x_strndup(name, len);
	return 0;
}

static void
place(const struct posture *p, const struct posture_place *at, const char *origin, struct environ *e)
{
	const char *slash = strrchr(at->app_root, '/');
	auto_free char *workspace = x_strndup(at->app_root, slash == NULL ? 0 : (size_t)(slash - at->app_root));
	auto_free char *workflows = x_printf("%s/workflows", workspace), *logs = x_printf("%s/logs", at->state);
	auto_free char *redirect = p->callback_path != NULL ? x_printf("%s%s", origin, p->callback_path) : NULL;

	environ_set(e, "PLATFORM_PATH", at->app_root, pinned);
	environ_set(e, "MOZAIKS_APP_WORKSPACE_PATH", workspace, pinned);
	environ_set(e, "MOZAIKS_WORKFLOWS_PATH", workflows, pinned);
	environ_set(e, "LOGS_BASE_DIR", logs, pinned);
	environ_set(e, "AUTH_AUDIENCE", p->app_id, from_app);
	environ_set(e, "VITE_OIDC_CLIENT_ID", p->app_id, from_app);
	environ_set(e, "CORS_ORIGINS", origin, from_url);
	if (redirect != NULL)
		environ_set(e, "VITE_OIDC_REDIRECT_URI", redirect, from_contract);
}

int
posture_apply(const struct posture *p, const struct posture_place *at, struct environ *e, struct fault *f)
{
	auto_free char *origin = NULL, *host = NULL;
	char key[KEY_LENGTH + 1];

	if (read_url(at->preview_url, &origin, &host, f) == -1 || posture_check(p, e, f) == -1)
		return -1;
	pin(e, always, pinned);
	if (p->callback_path != NULL)
		pin(e, with_sign_in, from_contract);
	else
		pin(e, in_public, "the app is public");
	place(p, at, origin, e);
	environ_set(e, "__VITE_ADDITIONAL_SERVER_ALLOWED_HOSTS", host, from_url);
	id_hex(key, KEY_LENGTH);
	environ_set(e, "INTERNAL_API_KEY", key, "fresh at each start");
	posture_resources(e);
	return 0;
}
