/* http_head - what stands in the head of a reply */

#include <bsd/stdlib.h>
#include <limits.h>
#include <string.h>
#include <strings.h>

#include "http_head.h"

bool
head_find(const char *start, const char *end, const char *name, char value[static HTTP_HEADER])
{
	for (const char *line = start; line < end; line += strcspn(line, "\n") + 1)
		if (strncasecmp(line, name, strlen(name)) == 0 && line[strlen(name)] == ':') {
			line += strlen(name) + 1;
			line += strspn(line, " \t");
			snprintf(value, HTTP_HEADER, "%.*s", (int)strcspn(line, "\r\n"), line);
			return true;
		}
	return false;
}

/* The seconds that its Retry-After names (RFC 9110, 10.2.3); 0 when there is none, or a date. */
static int
wait_of(const char *start, const char *end)
{
	char text[HTTP_HEADER] = "";
	const char *wrong;

	head_find(start, end, "Retry-After", text);
	return (int)strtonum(text, 0, INT_MAX, &wrong);
}

bool
head_note(const char *start, const char *end, const struct http_request *r, struct http_reply *reply)
{
	char place[HTTP_HEADER] = "";

	*reply->header = '\0';
	if (r->header != NULL)
		head_find(start, end, r->header, reply->header);
	if (r->keep_head) {
		reply->head.len = 0;
		buf_add(&reply->head, start, (size_t)(end - start));
	}
	reply->retry_after = wait_of(start, end);
	head_find(start, end, "Location", place);
	return r->follow && reply->status / 100 == 3 && *place != '\0';
}
