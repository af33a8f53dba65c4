/* http_head - what stands in the head of a reply */

#include <bsd/stdlib.h>
#include <limits.h>
#include <string.h>
#include <strings.h>

#include "http_head.h"

void
head_find(const char *start, const char *end, const char *name, char value[static HTTP_HEADER])
{
	for (const char *line = start; line < end; line += strcspn(line, "\n") + 1)
		if (strncasecmp(line, name, strlen(name)) == 0 && line[strlen(name)] == ':') {
			line += strlen(name) + 1;
			line += strspn(line, " \t");
			snprintf(value, HTTP_HEADER, "%.*s", (int)strcspn(line, "\r\n"), line);
			return;
		}
}

int
head_wait(const char *start, const char *end)
{
	char text[HTTP_HEADER] = "";
	const char *wrong;

	head_find(start, end, "Retry-After", text);
	return (int)strtonum(text, 0, INT_MAX, &wrong);
}
