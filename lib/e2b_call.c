/* e2b_call - calls of E2B's control plane: the key on a descriptor, waits that the service asks for, sentences for refusals */

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "digest.h"
#include "e2b.h"
#include "place.h"
#include "stop.h"

enum {
	RETRIES = 3,
	WAIT_MOST_S = 20, /* a longer wait is for the caller to decide on */
	CAP_RETRY_MS = 10000,
	BUSY_RETRY_MS = 2000,
	MESSAGE = 400 /* bytes of the service's own sentence that are passed on */
};

/* May it stand in a header or a URL? */
static bool
is_plain(const char *text)
{
	for (; *text != '\0'; text++)
		if (!isgraph((unsigned char)*text) || *text == '"' || *text == '\\')
			return false;
	return true;
}

static int
check_url(const char *name, const char *url, struct fault *f)
{
	if (url == NULL)
		return 0;
	if (strchr(url, '@') != NULL)
		return fault_set(f, STATUS_TROUBLE, "setting_invalid",
		    "%s: must hold no user and no password, since it is told in lines and messages", name);
	if (is_plain(url) && (strncmp(url, "https://", 8) == 0 || strncmp(url, "http://", 7) == 0))
		return 0;
	return fault_set(
	    f, STATUS_TROUBLE, "setting_invalid", "%s: must be a URL of http or https, not '%s'", name, url);
}

static int
check(const struct e2b_site *s, struct fault *f)
{
	if (s->key == NULL)
		return fault_set(
		    f, STATUS_TROUBLE, "e2b_key_missing", "E2B_API_KEY: not set, and sandboxes of E2B need it");
	if (!is_plain(s->key) || strncmp(s->key, "e2b_", 4) != 0)
		return fault_set(
		    f, STATUS_TROUBLE, "setting_invalid", "E2B_API_KEY: is no key of E2B: those begin with e2b_");
	if (!is_plain(s->domain) || strchr(s->domain, '/') != NULL)
		return fault_set(
		    f, STATUS_TROUBLE, "setting_invalid", "E2B_DOMAIN: must be a host's name, not '%s'", s->domain);
	if (s->workdir[0] != '/' || s->workdir[1] == '\0' || strstr(s->workdir, "..") != NULL ||
	    !place_is_plain(s->workdir))
		return fault_set(f, STATUS_TROUBLE, "setting_invalid",
		    "SANDBOX_WORKDIR: must be an absolute path below the root, without '..' and of characters that a "
		    "shell takes for a path, not '%s'",
		    s->workdir);
	if (check_url("E2B_API_URL", s->api, f) == -1)
		return -1;
	return check_url("E2B_SANDBOX_URL", s->sandbox_url, f);
}

int
e2b_open(struct e2b *e, const struct site *s, struct fault *f)
{
	uint8_t digest[DIGEST_BYTES];
	char text[DIGEST_TEXT];
	size_t len;

	*e = (struct e2b) {.site = s};
	if (check(&s->e2b, f) == -1)
		return -1;
	e->api = s->e2b.api != NULL ? x_strdup(s->e2b.api) : x_printf("https://api.%s", s->e2b.domain);
	for (len = strlen(e->api); e->api[len - 1] == '/'; len--)
		e->api[len - 1] = '\0';
	digest_of(s->e2b.key, strlen(s->e2b.key), digest);
	digest_hex(digest, text);
	snprintf(e->account, sizeof e->account, "%.12s at %.75s", text, e->api);
	e->headers[0] = (struct http_header) {"X-API-KEY", s->e2b.key, "$E2B_API_KEY"};
	return 0;
}

void
e2b_close(struct e2b *e)
{
	free(e->api);
	e->api = NULL;
}

/* The wait that the first of the replies asks for, when it says that it did nothing; 0: none. */
static int
wanted_wait(const struct http_reply *replies, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (replies[i].status == 429 && replies[i].retry_after > 0)
			return replies[i].retry_after;
		else if (replies[i].status != 0)
			return 0;
	return 0;
}

int
e2b_wait(int64_t ms, struct fault *f)
{
	for (int64_t end = clock_deadline(ms); clock_left(end) > 0 && !stop_pending();)
		clock_sleep(100, end);
	if (!stop_pending())
		return 0;
	return stop_fault(f);
}

int
e2b_send(
    struct e2b *e, struct http_request *r, struct http_reply *replies, size_t count, int64_t deadline, struct fault *f)
{
	const struct http_server server = {.base = e->api};
	int status, wait;

	memset(replies, 0, count * sizeof *replies);
	for (size_t i = 0; i < count; i++)
		r[i].headers = e->headers;
	if (e->site->show != NULL) {
		http_show(&server, r, count, e->site->show);
		return fault_set(f, STATUS_YES, "dry", "only shown");
	}
	for (int tries = 0;; tries++) {
		status = http_send(&server, r, replies, count, deadline, f);
		wait = status == 0 ? wanted_wait(replies, count) : 0;
		if (wait == 0 || wait > WAIT_MOST_S || wait * 1000 > clock_left(deadline) || tries == RETRIES)
			return status;
		http_free(replies, count);
		memset(replies, 0, count * sizeof *replies);
		if (e2b_wait(wait * 1000LL, f) == -1)
			return -1;
	}
}

json_t *
e2b_json(const struct http_reply *reply, struct fault *f)
{
	char why[JSON_ERROR_TEXT_LENGTH];
	json_t *value = json_parse_any(reply->body.data, reply->body.len, why);

	if (value == NULL)
		fault_fill(f, STATUS_TROUBLE, "e2b_reply_invalid", "the service's answer is no JSON: %s", why);
	return value;
}

/*
 * Two kinds of 429: too many sandboxes at once, which only their ends change, and too many requests, which time does. The service
 * names the time for the second; what its edge sends is neither JSON nor has one.
 */
static int
too_much(const struct http_reply *reply, const char *message, const char *subject, struct fault *f)
{
	bool rate = reply->retry_after > 0 || message == NULL || strcasestr(message, "rate limit") != NULL;

	fault_fill(f, STATUS_LATER, rate ? "rate_limited" : "sandbox_limit", "%s: %s: %.*s", subject,
	    rate ? "too many requests at once" : "too many sandboxes at once (list tells which of them are ours)",
	    MESSAGE, message != NULL ? message : "no more was said");
	f->retry_after_ms = reply->retry_after > 0 ? reply->retry_after * 1000LL : rate ? BUSY_RETRY_MS : CAP_RETRY_MS;
	return -1;
}

int
e2b_refused(const struct http_reply *reply, const char *reason, const char *subject, struct fault *f)
{
	char why[JSON_ERROR_TEXT_LENGTH];
	json_auto_t *answer = json_parse_any(reply->body.data, reply->body.len, why);
	const char *message = json_text_at(answer, "message"), *words = message != NULL ? message : "nothing";

	switch (reply->status) {
	case 401:
		return fault_set(
		    f, STATUS_TROUBLE, "key_refused", "%s: the service refuses the key: %.*s", subject, MESSAGE, words);
	case 403:
		return fault_set(f, STATUS_TROUBLE, "access_refused", "%s: the service refuses access: %.*s", subject,
		    MESSAGE, words);
	case 404:
		return fault_set(f, STATUS_NO, "sandbox_missing", "%s: the service has no such thing: %.*s", subject,
		    MESSAGE, words);
	case 409:
		fault_fill(
		    f, STATUS_LATER, "sandbox_busy", "%s: it is changing its state: %.*s", subject, MESSAGE, words);
		f->retry_after_ms = BUSY_RETRY_MS;
		return -1;
	case 429:
		return too_much(reply, message, subject, f);
	case 502:
		if (message != NULL && strstr(message, "not found") != NULL)
			return fault_set(
			    f, STATUS_NO, "sandbox_missing", "%s: it does not run: %.*s", subject, MESSAGE, words);
		break;
	}
	return fault_set(
	    f, STATUS_TROUBLE, reason, "%s: the service says: %.*s (%d)", subject, MESSAGE, words, reply->status);
}

/*
 * Its own 404 for a template names the template, and no other refusal may
 * lead to a second attempt.
 */
bool
e2b_lacks(const struct http_reply *reply)
{
	const char *text = reply->body.data;

	if (reply->status == 404)
		return strstr(text, "template") == NULL && strstr(text, "tag '") == NULL;
	return reply->status == 405 || (reply->status == 400 && (strcasestr(text, "method not allowed") != NULL ||
	                                                            strcasestr(text, "no matching operation") != NULL));
}
