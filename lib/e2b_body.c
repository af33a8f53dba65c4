/* e2b_body - what the service is asked for when a sandbox is made, and whether that is what it gave */

#include <string.h>

#include "e2b_body.h"
#include "e2b_sandbox.h"

enum {
	SLACK_MS = 1000 /* what rounding may take off a lifetime */
};

#define SEALED "sealed_candidate_preview"
#define TEMPLATE "base"

static const char *
template_of(const struct e2b *e, const struct sandbox_request *r)
{
	return r->image != NULL ? r->image : e->site->image != NULL ? e->site->image : TEMPLATE;
}

/* Only previews are there to be reached, and to reach out. */
static bool
is_open(const char *purpose)
{
	return strcmp(purpose, "artifact_preview") == 0;
}

static bool
is_uuid(const char *text)
{
	static const char shape[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

	for (size_t i = 0; i < sizeof shape - 1; i++)
		if (shape[i] == '-' ? text[i] != '-' : text[i] == '\0' || strchr("0123456789abcdef", text[i]) == NULL)
			return false;
	return text[sizeof shape - 1] == '\0';
}

/* "[owner/]name:BUILD": a name or a tag alone may mean another image tomorrow. */
static bool
is_pinned(const char *template)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-_";
	size_t len = strspn(template, letters);

	if (len > 0 && template[len] == '/') {
		template += len + 1;
		len = strspn(template, letters);
	}
	return len > 0 && template[len] == ':' && is_uuid(template + len + 1);
}

int
e2b_check_request(const struct e2b *e, const struct sandbox_request *r, struct fault *f)
{
	bool sealed = strcmp(r->purpose, SEALED) == 0;
	const char *name;
	json_t *value;

	if (!sealed && !e2b_is_ordinary(r->purpose))
		return fault_set(f, STATUS_TROUBLE, "purpose_unknown", "purpose '%s': unknown", r->purpose);
	if (sealed && !is_pinned(template_of(e, r)))
		return fault_set(f, STATUS_TROUBLE, "template_unpinned",
		    "template '%s': a sealed candidate runs on one build alone: give NAME:BUILD, the build's UUID",
		    template_of(e, r));
	if (sealed && json_object_size(r->env) > 0)
		return fault_set(
		    f, STATUS_TROUBLE, "env_refused", "environment: a sealed candidate gets no values from outside");
	json_object_foreach ((json_t *)r->metadata, name, value)
		if (strncmp(name, "sbx.", 4) == 0 || strcmp(name, "purpose") == 0 ||
		    strcmp(name, "mozaiks.sandbox") == 0)
			return fault_set(
			    f, STATUS_TROUBLE, "metadata_reserved", "metadata: %s is a name of sbx's own", name);
	return exec_check_env(r->env, f);
}

json_t *
e2b_body(const struct e2b *e, const struct sandbox_request *r, const char *name, int64_t lifetime_ms, bool secure)
{
	json_t *metadata = json_make("{s:s, s:s, s:s, s:s, s:s}", "mozaiks.sandbox", "true", "purpose", r->purpose,
	    "sbx.run", r->run, "sbx.owner", e->site->owner, "sbx.name", name);
	json_t *body = json_make("{s:s, s:I, s:o, s:b, s:b, s:{s:b}}", "templateID", template_of(e, r), "timeout",
	    (json_int_t)((lifetime_ms + 999) / 1000), "metadata", metadata, "autoPause", 0, "allow_internet_access",
	    is_open(r->purpose), "network", "allowPublicTraffic", is_open(r->purpose));

	if (r->bundle_sha256 != NULL)
		json_object_set_new(metadata, "sbx.bundle", json_string(r->bundle_sha256));
	if (r->metadata != NULL)
		json_object_update(metadata, (json_t *)r->metadata);
	if (json_object_size(r->env) > 0)
		json_object_set(body, "envVars", (json_t *)r->env);
	if (secure)
		json_object_set_new(body, "secure", json_true());
	return body;
}

static int
missing(struct fault *f, const char *what)
{
	return fault_set(f, STATUS_TROUBLE, "isolation_missing",
	    "sandbox: the service does not confirm %s that was asked for", what);
}

/* Is what is told at PATH what was asked? STRICT: it must be told. */
static bool
holds(const json_t *detail, const char *path, bool wanted, bool strict)
{
	const json_t *told = json_at(detail, path);

	if (told == NULL || json_is_null(told))
		return !strict;
	return json_is_boolean(told) && json_is_true(told) == wanted;
}

/* autoResume is told as a word, a truth value or an object of one, by the service's age. */
static bool
resumes(const json_t *detail)
{
	const json_t *told = json_at(detail, "lifecycle.autoResume");

	if (json_is_object(told))
		return !json_is_false(json_object_get(told, "enabled"));
	return told != NULL && !json_is_null(told) && !json_is_false(told);
}

static int
confirm_end(const json_t *asked, const json_t *detail, bool strict, struct fault *f)
{
	int64_t started = e2b_time(json_text_at(detail, "startedAt")), ends = e2b_time(json_text_at(detail, "endAt"));
	int64_t wanted = json_int_at(asked, "timeout", 0) * 1000;
	const char *on_timeout = json_text_at(detail, "lifecycle.onTimeout");

	if (on_timeout == NULL ? strict : strcmp(on_timeout, "kill") != 0)
		return missing(f, "the end at its deadline");
	if (resumes(detail))
		return missing(f, "that nothing wakes it");
	if (started == -1 || ends == -1)
		return fault_set(f, STATUS_TROUBLE, "e2b_reply_invalid", "sandbox: the service tells no deadline");
	if (ends - started < wanted - SLACK_MS)
		return fault_set(f, STATUS_TROUBLE, "lifetime_clamped",
		    "sandbox: the service gives it %lld s instead of %lld: ask for less",
		    (long long)((ends - started) / 1000), (long long)(wanted / 1000));
	return 0;
}

int
e2b_confirm(const json_t *asked, const char *purpose, const json_t *detail, struct fault *f)
{
	const json_t *metadata = json_object_get(detail, "metadata"), *value;
	bool open = is_open(purpose);
	const char *name, *template = json_text_at(detail, "templateID"),
	                  *token = json_text_at(detail, "envdAccessToken"), *state = json_text_at(detail, "state");

	if (state != NULL && strcmp(state, "running") != 0)
		return missing(f, "that it runs");
	json_object_foreach (json_object_get(asked, "metadata"), name, value)
		if (!json_equal(value, json_object_get(metadata, name)))
			return missing(f, "the metadata");
	if (template == NULL || *template == '\0')
		return missing(f, "the template");
	if (token == NULL || *token == '\0')
		return missing(f, "the token for its daemon");
	if (!holds(detail, "allowInternetAccess", open, !open))
		return missing(f, open ? "the way out" : "that it has no way out");
	if (!holds(detail, "network.allowPublicTraffic", open, !open))
		return missing(f, open ? "the public ports" : "that its ports are not public");
	return confirm_end(asked, detail, strcmp(purpose, SEALED) == 0, f);
}
