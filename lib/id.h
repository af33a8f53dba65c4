/* id - names that nobody can guess and nobody else has */
#ifndef ID_H
#define ID_H

#include <stdbool.h>
#include <stddef.h>

/* Fill TEXT with LEN lower-case hexadecimal digits from the kernel's random source, and a NUL. */
void id_hex(char *text, size_t len);

/* Is TEXT made of exactly LEN lower-case hexadecimal digits? */
bool id_is_hex(const char *text, size_t len);

enum {
	ID_RUN = 32
};

#endif
