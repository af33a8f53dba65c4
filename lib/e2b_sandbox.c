/* e2b_sandbox - a sandbox as the service tells of it: whose it is, what it is for, how its daemon is reached */

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "clock.h"
#include "e2b_sandbox.h"
#include "holding.h"
#include "place.h"

#define PORT "49983" /* of the daemon in each sandbox */
#define WORKSPACE "/workspace"

bool
e2b_is_ordinary(const char *purpose)
{
	return purpose != NULL && (strcmp(purpose, "app_validation") == 0 || strcmp(purpose, "artifact_preview") == 0);
}

const char *
e2b_metadata(const json_t *detail, const char *name)
{
	return json_string_value(json_object_get(json_object_get(detail, "metadata"), name));
}

bool
e2b_is_ours(const struct site *s, const json_t *detail)
{
	const char *owner = e2b_metadata(detail, "sbx.owner");

	return owner != NULL && strcmp(owner, s->owner) == 0;
}

char *
e2b_place(const struct site *s, const char *text)
{
	const struct place workspace = {WORKSPACE, s->e2b.workdir};

	return place_text(&workspace, 1, text);
}

char *
e2b_inside(const struct site *s, const char *path)
{
	return path[0] == '/' ? e2b_place(s, path) : x_printf("%s/%s", s->e2b.workdir, path);
}

int64_t
e2b_time(const char *text)
{
	int64_t ms = 0, unit = 100;
	struct tm tm = {0};
	const char *p;

	if (text == NULL || (p = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm)) == NULL)
		return -1;
	if (*p == '.')
		for (p++; isdigit((unsigned char)*p); p++, unit /= 10)
			ms += (*p - '0') * unit;
	return strcmp(p, "Z") == 0 ? (int64_t)timegm(&tm) * 1000 + ms : -1;
}

/* The metadata that is not of our own making. */
static json_t *
foreign_metadata(const json_t *detail)
{
	json_t *all = json_object(), *value;
	const char *name;

	json_object_foreach (json_object_get(detail, "metadata"), name, value)
		if (strncmp(name, "sbx.", 4) != 0 && strcmp(name, "purpose") != 0 &&
		    strcmp(name, "mozaiks.sandbox") != 0)
			json_object_set(all, name, value);
	return all;
}

static void
copy(json_t *member, const char *name, const char *value)
{
	if (value != NULL)
		json_object_set_new(member, name, json_string(value));
}

json_t *
e2b_member(const struct e2b *e, const json_t *detail)
{
	json_t *member = json_make("{s:s}", "provider", e2b_provider.name), *more;
	int64_t deadline = e2b_time(json_text_at(detail, "endAt"));
	char text[CLOCK_TEXT];

	copy(member, "id", json_text_at(detail, "sandboxID"));
	copy(member, "name", e2b_metadata(detail, "sbx.name"));
	copy(member, "engine", e->account);
	copy(member, "image", json_text_at(detail, "templateID"));
	copy(member, "purpose", e2b_metadata(detail, "purpose"));
	if (deadline != -1)
		clock_format(deadline, text);
	copy(member, "deadline", deadline != -1 ? text : NULL);
	copy(member, "workspace", strcmp(e->site->e2b.workdir, WORKSPACE) != 0 ? e->site->e2b.workdir : NULL);
	copy(member, "run", e2b_metadata(detail, "sbx.run"));
	copy(member, "state", json_text_at(detail, "state"));
	json_object_set_new(member, "ports", json_object());
	more = foreign_metadata(detail);
	if (json_object_size(more) > 0)
		json_object_set(member, "metadata", more);
	json_decref(more);
	return member;
}

/* Where its daemon is: some domains have one name for all, and tell sandboxes apart by headers. */
static char *
base_of(const struct site *s, const char *domain, const char *id)
{
	static const char *const shared[] = {"e2b.app", "e2b.dev", "e2b.pro", "e2b-staging.dev"};
	size_t len;

	if (s->e2b.sandbox_url != NULL) {
		for (len = strlen(s->e2b.sandbox_url); s->e2b.sandbox_url[len - 1] == '/'; len--)
			;
		return x_strndup(s->e2b.sandbox_url, len);
	}
	for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
		if (strcmp(domain, shared[i]) == 0)
			return x_printf("https://sandbox.%s", domain);
	return x_printf("https://" PORT "-%s.%s", id, domain);
}

/* Ids, tokens and domains become parts of URLs and headers. */
static bool
is_word(const char *text, const char *more, size_t most)
{
	size_t len = text == NULL ? 0 : strlen(text);

	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)text[i]) && strchr(more, text[i]) == NULL)
			return false;
	return len > 0 && len < most;
}

static int
check_purpose(const struct e2b *e, const json_t *detail, enum e2b_use use, const char *id, struct fault *f)
{
	const char *purpose = e2b_metadata(detail, "purpose");

	if (use != E2B_ANY && !e2b_is_ours(e->site, detail))
		return fault_set(
		    f, STATUS_NO, "sandbox_foreign", "%s: not a sandbox of this store: its metadata says so", id);
	if (use >= E2B_WAKE && !e2b_is_ordinary(purpose))
		return fault_set(f, STATUS_NO, "purpose_refused", "%s: nothing reaches into a sandbox of purpose %s",
		    id, purpose != NULL ? purpose : "unknown");
	return 0;
}

int
e2b_see(struct e2b *e, json_t *detail, enum e2b_use use, struct e2b_sandbox *s, struct fault *f)
{
	const char *id = json_text_at(detail, "sandboxID"), *token = json_text_at(detail, "envdAccessToken");
	const char *domain = json_text_at(detail, "domain");

	*s = (struct e2b_sandbox) {.detail = detail, .port = PORT};
	domain = domain != NULL ? domain : e->site->e2b.domain;
	if (!is_word(id, "-", sizeof s->id) || !is_word(domain, ".-:", 256) ||
	    (token != NULL && !is_word(token, "._-", E2B_TOKEN)))
		return fault_set(f, STATUS_TROUBLE, "e2b_reply_invalid",
		    "the service's answer has no sandbox with an id, a token and a domain that could be one");
	snprintf(s->id, sizeof s->id, "%s", id);
	snprintf(s->token, sizeof s->token, "%s", token != NULL ? token : "");
	s->base = base_of(e->site, domain, id);
	s->headers[0] = (struct http_header) {"E2b-Sandbox-Id", s->id, NULL};
	s->headers[1] = (struct http_header) {"E2b-Sandbox-Port", s->port, NULL};
	s->headers[2] = (struct http_header) {"X-Access-Token", s->token, "$ENVD_ACCESS_TOKEN"};
	return check_purpose(e, detail, use, id, f);
}

static bool
is_text(const json_t *detail, const char *path, const char *text)
{
	const char *value = json_text_at(detail, path);

	return value != NULL && strcmp(value, text) == 0;
}

/* Under -n there is nothing to look at; what is shown next needs a sandbox all the same. */
static int
pretend(struct e2b *e, const char *id, struct e2b_sandbox *s, struct fault *f)
{
	json_t *detail = json_make("{s:s, s:s, s:{s:s, s:s}}", "sandboxID", id, "state", "running", "metadata",
	    "sbx.owner", e->site->owner, "purpose", "app_validation");

	fault_clear(f);
	return e2b_see(e, detail, E2B_LOOK, s, f);
}

struct record {
	bool live;
	char account[128];
	int64_t deadline;
};

static int
note_record(const struct holding *h, void *context, struct fault *f)
{
	struct record *r = context;

	(void)f;
	r->live = strcmp(h->state, "live") == 0;
	snprintf(r->account, sizeof r->account, "%s", h->engine != NULL ? h->engine : "");
	r->deadline = h->deadline;
	return 1;
}

/* That the service does not have it means something only where it was made, and before its deadline it is no time that ran out. */
static void
explain_missing(const struct e2b *e, const char *id, struct fault *f)
{
	struct fault unknown = {0};
	struct record r = {0};
	int64_t left;

	if (strcmp(f->reason, "sandbox_missing") != 0)
		return;
	holding_find(e->site, e2b_provider.name, id, note_record, &r, &unknown);
	fault_clear(&unknown);
	left = (r.deadline - clock_wall()) / 1000;
	if (!r.live || (left <= 0 && strcmp(r.account, e->account) == 0))
		return;
	fault_clear(f);
	if (strcmp(r.account, e->account) != 0)
		fault_fill(f, STATUS_DOUBT, "account_other", "%s: it was made with the key %s, and this is %s", id,
		    r.account, e->account);
	else
		fault_fill(f, STATUS_NO, "sandbox_gone_early",
		    "%s: the service does not have it any more, %lld s before its deadline", id, (long long)left);
}

/* Was that the one that was asked for? Old ids have a suffix, which the service does not mind. */
static bool
is_same(const char *told, const char *asked)
{
	size_t len = strlen(told);

	return strncmp(asked, told, len) == 0 && (asked[len] == '\0' || asked[len] == '-');
}

int
e2b_look(struct e2b *e, const char *id, enum e2b_use use, struct e2b_sandbox *s, struct fault *f)
{
	auto_free char *path = x_printf("/sandboxes/%s", id);
	struct http_request look = {.method = "GET", .path = path};
	struct http_reply reply = {0};
	json_t *detail = NULL;
	int status = -1;

	*s = (struct e2b_sandbox) {0};
	if (e2b_send(e, &look, &reply, 1, clock_deadline(E2B_CALL_MS), f) == -1) {
		if (e->site->show != NULL)
			status = pretend(e, id, s, f);
	} else if (reply.status != 200) {
		e2b_refused(&reply, "look_failed", id, f);
		explain_missing(e, id, f);
	} else if ((detail = e2b_json(&reply, f)) != NULL && (status = e2b_see(e, detail, use, s, f)) == 0 &&
	           !is_same(s->id, id))
		status = fault_set(f, STATUS_TROUBLE, "e2b_reply_invalid", "%s: the service tells of %s", id, s->id);
	else if (status == 0 && use >= E2B_TOUCH && !is_text(detail, "state", "running"))
		status = fault_set(f, STATUS_NO, "sandbox_paused", "%s: it is paused, and nothing here wakes it", id);
	http_free(&reply, 1);
	return status;
}

void
e2b_leave(struct e2b_sandbox *s)
{
	json_decref(s->detail);
	free(s->base);
	*s = (struct e2b_sandbox) {0};
}

struct http *
e2b_begin(struct e2b *e, struct e2b_sandbox *s, struct http_request *r, size_t count, int64_t deadline, struct fault *f)
{
	s->server = (struct http_server) {.base = s->base};
	for (size_t i = 0; i < count; i++)
		r[i].headers = s->headers;
	if (e->site->show == NULL)
		return http_begin(&s->server, r, count, deadline, f);
	http_show(&s->server, r, count, e->site->show);
	fault_fill(f, STATUS_YES, "dry", "only shown");
	return NULL;
}
