/* probe_http - is the answer to a GET what it should be? */

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "clock.h"
#include "http.h"
#include "http_head.h"
#include "probe_parts.h"
#include "text.h"

enum {
	URL_MOST = 512,
	HOLD_MS = 20 /* for a proxy to find that nobody is behind it, before a curl is spent on it */
};

/* The URL as people are shown it: what its query holds may be a secret. */
static int
shown(const char *url)
{
	return (int)strcspn(url, "?#");
}

int
probe_url(const char *url, struct endpoint *e, size_t *base, struct fault *f)
{
	bool secure = strncmp(url, "https://", 8) == 0;
	size_t scheme = secure ? 8 : 7, len;

	if (!secure && strncmp(url, "http://", 7) != 0)
		return fault_set(f, STATUS_TROUBLE, "probe_invalid",
		    "'%.*s' is no URL: http:// or https:// comes first", shown(url), url);
	len = strcspn(url + scheme, "/?#");
	*base = scheme + len;
	if (!endpoint_parse(url + scheme, len, secure ? 443 : 80, e))
		return fault_set(f, STATUS_TROUBLE, "probe_invalid",
		    "'%.*s': the URL needs a host and at most a port before its path", shown(url), url);
	for (const char *p = url; *p != '\0'; p++)
		if (*p <= ' ' || *p >= 0x7f || p - url >= URL_MOST)
			return fault_set(f, STATUS_TROUBLE, "probe_invalid",
			    "'%.*s': a URL is at most %d characters of ASCII, without spaces", shown(url), url,
			    URL_MOST);
	return 0;
}

/* What servers say that were built to be asked by other names alone. */
static bool
rejects_host(const struct http_reply *r)
{
	static const struct {
		int status;
		const char *text;
	} known[] = {
	    {403, "Blocked request. This host"}, /* Vite */
	    {403, "Invalid Host header"},        /* webpack-dev-server from 4 on */
	    {403, "Blocked hosts:"},             /* Rails */
	    {400, "Invalid host header"},        /* Starlette, so FastAPI */
	    {400, "Invalid HTTP_HOST header"},   /* Django, while debugging */
	    {200, "Invalid Host header"},        /* webpack-dev-server before 4 */
	};
	struct text body = {r->body.data, r->body.len};

	if (r->status == 421)
		return true;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (r->status == known[i].status &&
		    (r->status == 200 ? text_is(body, known[i].text) : text_has(body, known[i].text)))
			return true;
	return false;
}

static int
check_status(const struct probe *p, const struct http_reply *r, struct fault *f)
{
	int least = p->least > 0 ? p->least : 200, most = p->most > 0 ? p->most : 299;

	if (rejects_host(r))
		return fault_set(f, STATUS_NO, "host_rejected",
		    "%.*s: the server is up, and refuses to be asked by %s (%d): allow that name in its configuration",
		    shown(p->url), p->url, p->host != NULL ? p->host : "the name in the URL", r->status);
	if (r->status >= least && r->status <= most)
		return 0;
	return fault_set(f, STATUS_NO, "status", "%.*s: answers with %d%s", shown(p->url), p->url, r->status,
	    r->status / 100 == 3 && !p->follow ? ", which leads elsewhere, and is not followed" : "");
}

static int
check_headers(const struct probe *p, const struct http_reply *r, struct fault *f)
{
	const char *name;
	json_t *wanted;

	json_object_foreach ((json_t *)p->header, name, wanted) {
		char value[HTTP_HEADER] = "";

		if (!head_find(r->head.data, r->head.data + r->head.len, name, value))
			return fault_set(
			    f, STATUS_NO, "header", "%.*s: it has no header %.100s", shown(p->url), p->url, name);
		if (strstr(value, json_string_value(wanted)) == NULL)
			return fault_set(f, STATUS_NO, "header", "%.*s: its %s is '%.100s', without '%.100s'",
			    shown(p->url), p->url, name, value, json_string_value(wanted));
	}
	return 0;
}

static int
check_members(const struct probe *p, const struct http_reply *r, struct fault *f)
{
	char why[JSON_ERROR_TEXT_LENGTH];
	json_auto_t *body = NULL;
	const char *path;
	json_t *wanted;

	if (json_object_size(p->member) == 0)
		return 0;
	if ((body = json_parse_any(r->body.data, r->body.len, why)) == NULL)
		return fault_set(f, STATUS_NO, "identity", "%.*s: the body is no JSON: %s", shown(p->url), p->url, why);
	json_object_foreach ((json_t *)p->member, path, wanted) {
		json_t *found = json_at(body, path);
		auto_buf struct buf is = {0}, should = {0};

		if (json_equal(found, wanted))
			continue;
		json_add_text(&should, wanted);
		if (found == NULL)
			buf_text(&is, "not there");
		else
			json_add_text(&is, found);
		return fault_set(f, STATUS_NO, "identity", "%.*s: .%s is %.100s, and should be %.100s", shown(p->url),
		    p->url, path, is.data, should.data);
	}
	return 0;
}

int
probe_judge(const struct probe *p, const struct http_reply *r, struct fault *f)
{
	struct text body = {r->body.data, r->body.len};

	if (check_status(p, r, f) == -1 || check_headers(p, r, f) == -1)
		return -1;
	if (p->body != NULL && !text_has(body, p->body))
		return fault_set(
		    f, STATUS_NO, "body", "%.*s: the body does not hold '%.100s'", shown(p->url), p->url, p->body);
	return check_members(p, r, f);
}

/* The part that failed, from the reason that http gives; NULL: that was no answer but trouble of our own. */
static const char *
part_of(const char *reason)
{
	static const char *const parts[][2] = {{"service_refused", "refused"}, {"service_timeout", "timed_out"},
	    {"service_cut", "cut"}, {"reply_too_large", "body"}};

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (strcmp(reason, parts[i][0]) == 0)
			return parts[i][1];
	return NULL;
}

static int
ask(const struct probe *p, size_t base, int64_t deadline, struct fault *f)
{
	auto_free char *origin = x_strndup(p->url, base);
	const struct http_server server = {.base = origin};
	const struct http_header host[] = {{"Host", p->host, NULL}, {0}};
	const struct http_request request = {.method = "GET",
	    .path = p->url + base,
	    .headers = p->host != NULL ? host : NULL,
	    .may_fail = true,
	    .keep_head = true,
	    .follow = p->follow};
	struct http_reply reply;
	struct fault why = {0};
	int status = http_send(&server, &request, &reply, 1, deadline, &why);
	const char *part = part_of(why.reason);

	if (status == 0)
		status = probe_judge(p, &reply, f);
	else
		fault_fill(
		    f, part != NULL ? STATUS_NO : why.status, part != NULL ? part : why.reason, "%s", why.message);
	http_free(&reply, 1);
	fault_clear(&why);
	return status;
}

int
probe_http(const struct probe *p, struct probe_past *past, int64_t deadline, struct fault *f)
{
	struct endpoint e;
	size_t base;

	if (probe_url(p->url, &e, &base, f) == -1)
		return -1;
	/* A connection costs a thousandth of a curl, so as long as there is none no curl is started. */
	if (!past->answered && endpoint_is_plain(&e) &&
	    probe_connect(&e, past, past->cut ? HOLD_MS : 0, deadline, f) == -1)
		return -1;
	return ask(p, base, deadline, f);
}
