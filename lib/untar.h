/* untar - read a tar as it arrives over HTTP */
#ifndef UNTAR_H
#define UNTAR_H

#include <archive.h>
#include <archive_entry.h>

#include "http.h"

struct untar;

/* Read the current reply of H, which stays the caller's. */
struct untar *untar_begin(struct http *);

/* The next entry, borrowed until the one after it; NULL at the end, or with a fault (`tar_malformed`, or http_read's). */
struct archive_entry *untar_next(struct untar *, struct fault *);

/* The entry's path in UTF-8 without its first component; "" for what has only one; NULL and a fault when it is not UTF-8. */
const char *untar_path(struct archive_entry *, struct fault *);

/* At most LEN bytes of the entry's data, 0 at its end, -1 and a fault. */
ssize_t untar_read(struct untar *, void *bytes, size_t len, struct fault *);

void untar_end(struct untar *);

#endif
