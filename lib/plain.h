/* plain - text that others wrote, made safe to show on one line */
#ifndef PLAIN_H
#define PLAIN_H

#include <stddef.h>

#include "buf.h"
#include "json.h"

/*
 * Append LEN bytes of UTF-8 without escape sequences (ECMA-48: CSI, OSC and the two-byte ones) and control characters; white
 * space of any kind becomes one space and none stands at an end. More than MOST bytes are cut between characters and end in an
 * ellipsis, which counts.
 */
void plain_add(struct buf *, const char *text, size_t len, size_t most);

/* A JSON string of what the format gives, made plain and cut at 1500 bytes. A new reference. */
json_t *plain_sentence(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
