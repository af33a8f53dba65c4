/* endpoint - HOST:PORT, and the addresses that a host has */

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "buf.h"
#include "clock.h"
#include "endpoint.h"
#include "program.h"
#include "text.h"

enum {
	ANSWER_MOST = 65536 /* bytes of getent's that are read */
};

bool
endpoint_parse(const char *text, size_t len, int fallback, struct endpoint *e)
{
	static const char name[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
	struct text left = {text, len}, host = {text, 0};
	struct in6_addr ignored;
	int64_t port = fallback;
	bool bracket = text_skip(&left, "[");

	if (bracket && !text_split(left, "]", &host, &left))
		return false;
	while (!bracket && left.len > 0 && strchr(name, *left.at) != NULL)
		host.len++, left.at++, left.len--;
	if (host.len == 0 || host.len >= sizeof e->host || *host.at == '-')
		return false;
	memcpy(e->host, host.at, host.len);
	e->host[host.len] = '\0';
	if (bracket && inet_pton(AF_INET6, e->host, &ignored) != 1)
		return false;
	if (left.len > 0 && (!text_skip(&left, ":") || !text_number(&left, &port)))
		return false;
	e->port = (int)port;
	snprintf(e->text, sizeof e->text, bracket ? "[%s]:%d" : "%s:%d", e->host, e->port);
	return left.len == 0 && port >= 1 && port <= 65535;
}

static bool
add(struct endpoint_address found[static ENDPOINT_MOST], size_t count, const char *host, int port)
{
	struct endpoint_address *a = &found[count];

	if (count == ENDPOINT_MOST)
		return false;
	*a = (struct endpoint_address) {0};
	if (inet_pton(AF_INET, host, &a->at.v4.sin_addr) == 1) {
		a->at.v4.sin_family = AF_INET;
		a->at.v4.sin_port = htons((uint16_t)port);
		a->len = sizeof a->at.v4;
	} else if (inet_pton(AF_INET6, host, &a->at.v6.sin6_addr) == 1) {
		a->at.v6.sin6_family = AF_INET6;
		a->at.v6.sin6_port = htons((uint16_t)port);
		a->len = sizeof a->at.v6;
	}
	return a->len > 0;
}

bool
endpoint_is_plain(const struct endpoint *e)
{
	struct endpoint_address ignored[ENDPOINT_MOST];

	return strcasecmp(e->host, "localhost") == 0 || add(ignored, 0, e->host, e->port);
}

/* What getent wrote: lines of an address, a kind of socket and perhaps a name. */
static int
take_answer(char *text, const struct endpoint *e, struct endpoint_address found[static ENDPOINT_MOST])
{
	int count = 0;

	for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
		size_t len = strcspn(line, " ");

		if (strncmp(line + len + strspn(line + len, " "), "STREAM", 6) != 0)
			continue;
		line[len] = '\0';
		count += add(found, (size_t)count, line, e->port);
	}
	return count;
}

static int
ask(const struct endpoint *e, int64_t deadline, struct buf *answer, struct fault *f)
{
	const char *const argv[] = {"getent", "ahosts", e->host, NULL};
	const struct program p = {.argv = argv,
	    .in = -1,
	    .out = -1,
	    .most = ANSWER_MOST,
	    .deadline = deadline,
	    .alone = true,
	    .reason = "refused",
	    .subject = "no such host"};
	struct fault why = {0};
	int status = program_run(&p, answer, &why);

	if (status == -1 && why.status != STATUS_TROUBLE)
		fault_fill(f, why.status, why.reason, "%s", why.message);
	else if (status == -1 && clock_now() >= deadline)
		fault_fill(f, STATUS_NO, "timed_out", "%s: no name server answered in time", e->host);
	else if (status == -1)
		fault_fill(f, STATUS_NO, why.reason, "%s: %s", e->host, why.message);
	fault_clear(&why);
	return status;
}

int
endpoint_resolve(
    const struct endpoint *e, int64_t deadline, struct endpoint_address found[static ENDPOINT_MOST], struct fault *f)
{
	auto_buf struct buf answer = {0};
	int count;

	if (strcasecmp(e->host, "localhost") == 0)
		return add(found, 0, "127.0.0.1", e->port) + add(found, 1, "::1", e->port);
	if (add(found, 0, e->host, e->port))
		return 1;
	if (ask(e, deadline, &answer, f) == -1)
		return -1;
	if ((count = take_answer(answer.data, e, found)) == 0)
		return fault_set(f, STATUS_NO, "refused", "%s: no such host", e->host);
	return count;
}
