/* json - strict JSON text in, compact JSON text out (RFC 8259), over jansson */
#ifndef JSON_H
#define JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "digest.h"
#include "fault.h"

enum {
	JSON_DEPTH = 32 /* the deepest nesting that is read */
};

/*
 * Parse LEN bytes that must hold exactly one object: UTF-8, no duplicate keys, no NUL in strings, at most JSON_DEPTH deep.
 * Returns a new reference, or NULL with the cause in WHY (at least JSON_ERROR_TEXT_LENGTH bytes).
 */
json_t *json_parse(const char *text, size_t len, char *why);

/* The same for any value at the top, as service replies may be arrays. */
json_t *json_parse_any(const char *text, size_t len, char *why);

/* Append the compact text of VALUE. */
void json_add_text(struct buf *, const json_t *value);

/* Print it and a newline on standard output. */
void json_print(const json_t *value);

/* The SHA-256 of that text, in hexadecimal, with members in the order of their keys: no two values have the same. */
void json_digest(const json_t *value, char hex[static DIGEST_TEXT]);

/*
 * Members by dotted path ("bundle.tar_sha256"), borrowed. NULL, or the fallback, when any step is absent or of another type.
 */
json_t *json_at(const json_t *, const char *path);
const char *json_text_at(const json_t *, const char *path);
int64_t json_int_at(const json_t *, const char *path, int64_t fallback);
bool json_true_at(const json_t *, const char *path);

/* A string from any bytes: one that is not UTF-8, or is a NUL, which no line may hold, becomes U+FFFD. A new reference. */
json_t *json_lossy(const char *bytes, size_t len);

/* json_pack for members known to the program: a wrong format or text that is not UTF-8 ends the program. */
json_t *json_make(const char *format, ...);

#endif
