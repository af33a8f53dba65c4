/* x - checked allocation and scope-bound ownership */
#ifndef X_H
#define X_H

#include <stddef.h>
#include <stdio.h>

/*
 * Memory that runs out ends the program with status 2 and a sentence: no caller could choose anything better. What these
 * return is the caller's to free.
 */
void *x_alloc(size_t size);
void *x_zalloc(size_t count, size_t size);
void *x_realloc(void *old, size_t count, size_t size);
char *x_strdup(const char *text);
char *x_strndup(const char *text, size_t len);
char *x_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A variable marked so is freed or closed when it leaves its scope. */
#define auto_free __attribute__((cleanup(x_free_at)))
#define auto_close __attribute__((cleanup(x_close_at)))
#define auto_fclose __attribute__((cleanup(x_fclose_at)))

void x_free_at(void *pointer);
void x_close_at(const int *fd);
void x_fclose_at(FILE **file);

/* Hand over what an auto_ variable owns: its value is returned, and it holds nothing any more. */
#define x_steal(variable)                                  \
	__extension__({                                    \
		__typeof__(variable) stolen_ = (variable); \
		(variable) = NULL;                         \
		stolen_;                                   \
	})

int x_steal_fd(int *fd);

#endif
