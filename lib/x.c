/* x - checked allocation and scope-bound ownership */

#include <err.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "x.h"

static void *
checked(void *memory)
{
	if (memory == NULL)
		err(2, "memory");
	return memory;
}

void *
x_alloc(size_t size)
{
	return checked(malloc(size ? size : 1));
}

void *
x_zalloc(size_t count, size_t size)
{
	return checked(calloc(count ? count : 1, size ? size : 1));
}

void *
x_realloc(void *old, size_t count, size_t size)
{
	return checked(reallocarray(old, count ? count : 1, size ? size : 1));
}

char *
x_strdup(const char *text)
{
	return checked(strdup(text));
}

char *
x_strndup(const char *text, size_t len)
{
	return checked(strndup(text, len));
}

char *
x_printf(const char *format, ...)
{
	char *text;
	va_list ap;

	va_start(ap, format);
	if (vasprintf(&text, format, ap) == -1)
		err(2, "memory");
	va_end(ap);
	return text;
}

void
x_free_at(void *pointer)
{
	free(*(void **)pointer);
}

void
x_close_at(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

void
x_fclose_at(FILE **file)
{
	if (*file != NULL)
		fclose(*file);
}

int
x_steal_fd(int *fd)
{
	int stolen = *fd;

	*fd = -1;
	return stolen;
}
