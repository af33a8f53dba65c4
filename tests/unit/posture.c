/* posture - no forwarded value gives a preview another sign-in, database or key than its app has */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "posture.h"
#include "x.h"

#define check(condition) ((condition) ? (void)0 : fail(#condition, __LINE__))

static _Noreturn void
fail(const char *condition, int line)
{
	fprintf(stderr, "posture.c:%d: not so: %s\n", line, condition);
	exit(1);
}

static bool
is(const struct environ *e, const char *name, const char *value)
{
	const char *had = environ_get(e, name);

	return value == NULL ? had == NULL : had != NULL && strcmp(had, value) == 0;
}

static json_t *
document(const char *text)
{
	char why[JSON_ERROR_TEXT_LENGTH];

	return text == NULL ? NULL : json_parse_any(text, strlen(text), why);
}

/* The reason why there is no posture, or "" when there is one. Borrowed until the next call. */
static const char *
read_posture(struct posture *p, const char *manifest, const char *contract)
{
	static char reason[sizeof((struct fault *)NULL)->reason];
	json_t *app = document(manifest), *auth = document(contract);
	struct fault f = {0};

	*p = (struct posture) {0};
	check((posture_from(p, app, auth, &f) == 0) == !fault_is(&f));
	check(f.status == (fault_is(&f) ? STATUS_NO : 0));
	snprintf(reason, sizeof reason, "%s", f.reason);
	fault_clear(&f);
	json_decref(app);
	json_decref(auth);
	return reason;
}

static bool
refuses(const char *reason, const char *manifest, const char *contract)
{
	struct posture p;
	bool same = strcmp(read_posture(&p, manifest, contract), reason) == 0;

	posture_free(&p);
	return same;
}

static void
a_set_keeps_one_value_of_a_name_and_its_order(void)
{
	static const char *const envp[] = {"P_A=1", "P_B=2=3", "P_=4", "PX=5", "P_A=6", "P_C", "Q=7", NULL};
	auto_environ struct environ e = {0};
	auto_free const char **list = NULL;

	environ_take(&e, envp, "P_", "ours");
	environ_set(&e, "C", "", "theirs");
	environ_set(&e, "B", environ_get(&e, "B"), "theirs");
	environ_unset(&e, "none");
	list = environ_list(&e);
	check(e.count == 3 && list[3] == NULL);
	check(strcmp(list[0], "A=6") == 0 && strcmp(list[1], "C=") == 0 && strcmp(list[2], "B=2=3") == 0);
	check(strcmp(e.item[0].source, "ours") == 0 && strcmp(e.item[2].source, "theirs") == 0);
	environ_unset(&e, "A");
	check(e.count == 2 && is(&e, "A", NULL) && is(&e, "B", "2=3") && is(&e, "X", NULL));
	check(environ_is_name("_a1") && !environ_is_name("1a") && !environ_is_name("") && !environ_is_name("a-b"));
}

static void
an_app_needs_an_id(void)
{
	check(refuses("app_id_missing", "{}", NULL));
	check(refuses("app_id_missing", "[]", NULL));
	check(refuses("app_id_missing", "{\"appId\":null}", NULL));
	check(refuses("app_id_invalid", "{\"appId\":7}", NULL));
	check(refuses("app_id_invalid", "{\"appId\":[\"todo\"]}", NULL));
	check(refuses("app_id_invalid", "{\"appId\":true}", NULL));
	check(refuses("app_id_invalid", "{\"appId\":\"\"}", NULL));
	check(refuses("app_id_invalid", "{\"appId\":\"a b\"}", NULL));
	check(refuses("app_id_invalid", "{\"appId\":\"a\\nb\"}", NULL));
	check(refuses("", "{\"appId\":\"to-do_1\",\"authRequired\":false}", NULL));
}

static void
sign_in_and_contract_go_together(void)
{
	static const char good[] = "{\"callbackPath\":\"/auth/callback\",\"permissions\":[]}";

	check(refuses("auth_invalid", "{\"appId\":\"a\"}", NULL));
	check(refuses("auth_invalid", "{\"appId\":\"a\",\"authRequired\":true}", NULL));
	check(refuses("auth_invalid", "{\"appId\":\"a\",\"authRequired\":false}", good));
	check(refuses("auth_invalid", "{\"appId\":\"a\",\"authRequired\":\"false\"}", NULL));
	check(refuses("auth_invalid", "{\"appId\":\"a\",\"authRequired\":null}", NULL));
	check(refuses("auth_invalid", "{\"appId\":\"a\",\"authRequired\":0}", NULL));
	check(refuses("", "{\"appId\":\"a\"}", good));
	check(refuses("", "{\"appId\":\"a\",\"authRequired\":true}", good));
}

static void
bad_contracts_are_refused(void)
{
	static const char *const bad[] = {"[]", "null", "\"/auth\"", "{\"permissions\":[]}",
	    "{\"callbackPath\":\"/auth\"}", "{\"callbackPath\":7,\"permissions\":[]}",
	    "{\"callbackPath\":\"\",\"permissions\":[]}", "{\"callbackPath\":\"auth\",\"permissions\":[]}",
	    "{\"callbackPath\":\"//evil.example/x\",\"permissions\":[]}",
	    "{\"callbackPath\":\"/\\\\evil.example\",\"permissions\":[]}",
	    "{\"callbackPath\":\"https://evil.example/\",\"permissions\":[]}",
	    "{\"callbackPath\":\"/a?b=c\",\"permissions\":[]}", "{\"callbackPath\":\"/a#b\",\"permissions\":[]}",
	    "{\"callbackPath\":\"/a b\",\"permissions\":[]}", "{\"callbackPath\":\"/a\\tb\",\"permissions\":[]}",
	    "{\"callbackPath\":\"/a\",\"permissions\":{}}", "{\"callbackPath\":\"/a\",\"permissions\":[7]}",
	    "{\"callbackPath\":\"/a\",\"permissions\":[\"\"]}",
	    "{\"callbackPath\":\"/a\",\"permissions\":[],\"roles\":[]}",
	    "{\"callbackPath\":\"/a\",\"permissions\":[],\"roles\":{\"r\":\"p\"}}"};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		check(refuses("auth_invalid", "{\"appId\":\"a\"}", bad[i]));
	check(refuses("", "{\"appId\":\"a\"}",
	    "{\"callbackPath\":\"/a/b.c\",\"permissions\":[\"p\"],\"roles\":{\"r\":[\"p\"]}}"));
}

static const struct posture_place here = {"/workspace/app", "/tmp/state", "http://127.0.0.1:49153/"};

/* The reason why POSTURE does not go with the variables, or "". */
static const char *
apply(const struct posture *p, const char *const *envp, struct environ *e)
{
	static char reason[sizeof((struct fault *)NULL)->reason];
	struct fault f = {0};

	environ_free(e);
	environ_take(e, envp, "", "given");
	check((posture_apply(p, &here, e, &f) == 0) == !fault_is(&f));
	snprintf(reason, sizeof reason, "%s", f.reason);
	fault_clear(&f);
	return reason;
}

static void
a_public_app_takes_no_sign_in(void)
{
	static const char *const given[] = {"AUTH_ENABLED=true", "AUTH_PROVIDER=jwt", "AUTH_ANON_ACCESS=development",
	    "AUTH_ANON_ROLES=admin", "AUTH_ANON_SCOPES=tasks.read", "MOZAIKS_APP_DATABASE_NAME=live",
	    "DATABASE_URL=postgresql://live/", "MONGO_URI=mongodb://live/", "VITE_MOZAIKS_PREVIEW=false",
	    "AUTH_AUDIENCE=other", "VITE_OIDC_REDIRECT_URI=https://evil.example/", "INTERNAL_API_KEY=inherited",
	    "__VITE_ADDITIONAL_SERVER_ALLOWED_HOSTS=.example", "OPENAI_API_KEY=mine", NULL};
	auto_environ struct environ e = {0}, again = {0};
	auto_posture struct posture p = {.app_id = "todo"};

	check(strcmp(apply(&p, given, &e), "") == 0);
	check(is(&e, "AUTH_ENABLED", "false") && is(&e, "AUTH_PROVIDER", "none"));
	check(is(&e, "AUTH_ANON_ACCESS", "public") && is(&e, "AUTH_ANON_ROLES", NULL));
	check(is(&e, "AUTH_ANON_SCOPES", "tasks.read") && is(&e, "OPENAI_API_KEY", "mine"));
	check(is(&e, "MOZAIKS_APP_DATABASE_NAME", "mozaiks_preview") &&
	      is(&e, "MOZAIKS_APP_DATA_DATABASE_NAME", "mozaiks_preview"));
	check(
	    is(&e, "DATABASE_URL", "postgresql://sandbox@127.0.0.1:5432/mozaiks_preview") && is(&e, "MONGO_URI", NULL));
	check(is(&e, "AUTH_AUDIENCE", "todo") && is(&e, "VITE_OIDC_CLIENT_ID", "todo"));
	check(is(&e, "VITE_OIDC_REDIRECT_URI", "") && is(&e, "CORS_ORIGINS", "http://127.0.0.1:49153"));
	check(is(&e, "__VITE_ADDITIONAL_SERVER_ALLOWED_HOSTS", "127.0.0.1"));
	check(is(&e, "MOZAIKS_APP_WORKSPACE_PATH", "/workspace") && is(&e, "LOGS_BASE_DIR", "/tmp/state/logs"));
	check(strcmp(e.item[e.count - 1].text, "VITE_MOZAIKS_PREVIEW=true") == 0);

	check(strcmp(apply(&p, given, &again), "") == 0);
	check(strlen(environ_get(&e, "INTERNAL_API_KEY")) >= 43);
	check(!is(&again, "INTERNAL_API_KEY", environ_get(&e, "INTERNAL_API_KEY")));
	for (size_t i = 0; i < e.count; i++)
		check(strncmp(e.item[i].text, "VITE_", 5) != 0 ||
		      strstr(e.item[i].text, environ_get(&e, "INTERNAL_API_KEY")) == NULL);
}

static void
an_app_with_a_contract_keeps_its_sign_in(void)
{
	static const char *const enough[] = {"VITE_OIDC_AUTHORITY=http://i", "AUTH_ISSUER=http://i",
	    "AUTH_JWKS_URL=http://i/k", "AUTH_ANON_ACCESS=public", "AUTH_ANON_ROLES=admin", "AUTH_PROVIDER=jwt", NULL};
	static const char *const one[] = {
	    "VITE_OIDC_AUTHORITY=http://i", "MOZAIKS_OIDC_AUTHORITY=http://i", "AUTH_ENABLED= True ", NULL};
	static const char *const lacking[][4] = {{NULL}, {"VITE_OIDC_AUTHORITY=http://i", NULL},
	    {"VITE_OIDC_AUTHORITY=http://i", "AUTH_ISSUER=http://i", NULL},
	    {"VITE_OIDC_AUTHORITY=http://i", "AUTH_JWKS_URL=http://i", NULL}, {"MOZAIKS_OIDC_AUTHORITY=http://i", NULL},
	    {"MOZAIKS_OIDC_AUTHORITY=http://i", "VITE_OIDC_AUTHORITY= ", NULL}};
	static const char *const off[] = {"AUTH_ENABLED=false", "AUTH_ENABLED=False", "AUTH_ENABLED=0",
	    "AUTH_ENABLED= no", "AUTH_ENABLED=off", "AUTH_ENABLED=disabled", "AUTH_PROVIDER=none",
	    "AUTH_PROVIDER=None "};
	auto_environ struct environ e = {0};
	auto_posture struct posture p = {.app_id = "notes", .callback_path = x_strdup("/auth/callback")};

	check(strcmp(apply(&p, enough, &e), "") == 0);
	check(is(&e, "AUTH_ENABLED", "true") && is(&e, "AUTH_PROVIDER", "jwt"));
	check(is(&e, "AUTH_ANON_ACCESS", NULL) && is(&e, "AUTH_ANON_ROLES", NULL));
	check(is(&e, "AUTH_AUDIENCE", "notes") && is(&e, "VITE_OIDC_CLIENT_ID", "notes"));
	check(is(&e, "VITE_OIDC_REDIRECT_URI", "http://127.0.0.1:49153/auth/callback"));
	check(strcmp(apply(&p, one, &e), "") == 0 && is(&e, "AUTH_ENABLED", "true"));
	for (size_t i = 0; i < sizeof lacking / sizeof *lacking; i++)
		check(strcmp(apply(&p, lacking[i], &e), "oidc_missing") == 0);
	for (size_t i = 0; i < sizeof off / sizeof *off; i++)
		check(strcmp(apply(&p, (const char *const[]) {enough[0], enough[1], enough[2], off[i], NULL}, &e),
		          "auth_disabled") == 0);
}

static void
only_an_origin_is_a_preview_s_address(void)
{
	static const char *const bad[] = {"", "http://", "https://", "ftp://host", "host:3000",
	    "http://host:", "http://host:x", "http://host:123456", "http://host/path", "http://host?x",
	    "http://user@host", "http://Host", "http://a,b", "http://host//", "http://[]", "http://[::1", "http://a b"};
	static const char *const good[][2] = {{"http://localhost:3000", "localhost"},
	    {"https://3000-x.e2b.app/", "3000-x.e2b.app"}, {"http://[::1]:80", "[::1]"}};
	auto_posture struct posture p = {.app_id = "todo"};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		auto_environ struct environ e = {0};
		struct fault f = {0};

		check(posture_apply(&p, &(struct posture_place) {"/w/app", "/s", bad[i]}, &e, &f) == -1);
		check(strcmp(f.reason, "url_invalid") == 0 && f.status == STATUS_TROUBLE);
	}
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		auto_environ struct environ e = {0};
		struct fault f = {0};

		check(posture_apply(&p, &(struct posture_place) {"/w/app", "/s", good[i][0]}, &e, &f) == 0);
		check(is(&e, "__VITE_ADDITIONAL_SERVER_ALLOWED_HOSTS", good[i][1]));
	}
}

int
main(void)
{
	a_set_keeps_one_value_of_a_name_and_its_order();
	an_app_needs_an_id();
	sign_in_and_contract_go_together();
	bad_contracts_are_refused();
	a_public_app_takes_no_sign_in();
	an_app_with_a_contract_keeps_its_sign_in();
	only_an_origin_is_a_preview_s_address();
	return 0;
}
