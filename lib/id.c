/* id - names that nobody can guess and nobody else has */

#include <bsd/stdlib.h>
#include <string.h>

#include "id.h"

void
id_hex(char *text, size_t len)
{
	static const char digit[] = "0123456789abcdef";

	for (size_t i = 0; i < len; i++)
		text[i] = digit[arc4random_uniform(16)];
	text[len] = '\0';
}

bool
id_is_hex(const char *text, size_t len)
{
	return strlen(text) == len && strspn(text, "0123456789abcdef") == len;
}
