/* buf - bytes that grow */
#ifndef BUF_H
#define BUF_H

#include <stddef.h>

#include "x.h"

struct buf {
	char *data; /* owned; always ends in a NUL that len does not count, once anything was added */
	size_t len;
	size_t room;
};

#define auto_buf __attribute__((cleanup(buf_free)))

void buf_add(struct buf *, const void *bytes, size_t len);
void buf_text(struct buf *, const char *text);
void buf_printf(struct buf *, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* One word that a shell takes for TEXT. */
void buf_shell(struct buf *, const char *text);

/* Room for LEN more bytes at the returned place; the caller writes there and then adds to len what it wrote. */
char *buf_reserve(struct buf *, size_t len);

/* Put LEN bytes in before the byte at offset AT. */
void buf_insert(struct buf *, size_t at, const void *bytes, size_t len);

void buf_free(struct buf *);

#endif
