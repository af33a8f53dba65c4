/* digest - SHA-256 of bytes, at once or piece by piece */
#ifndef DIGEST_H
#define DIGEST_H

#include <nettle/sha2.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	DIGEST_BYTES = 32,
	DIGEST_TEXT = 65 /* lower-case hexadecimal digits and a NUL */
};

/* digest_begin, digest_add as often as needed, then one digest_end. Owns nothing. */
struct digest {
	struct sha256_ctx state;
};

void digest_begin(struct digest *);
void digest_add(struct digest *, const void *bytes, size_t len);
void digest_end(struct digest *, uint8_t out[static DIGEST_BYTES]);

void digest_of(const void *bytes, size_t len, uint8_t out[static DIGEST_BYTES]);

void digest_hex(const uint8_t digest[static DIGEST_BYTES], char text[static DIGEST_TEXT]);

/* Read 64 hexadecimal digits of either case, "sha256:" before them or not. False when TEXT is anything else. */
bool digest_parse(const char *text, uint8_t out[static DIGEST_BYTES]);

/* In a time that does not depend on where they differ. */
bool digest_equal(const uint8_t a[static DIGEST_BYTES], const uint8_t b[static DIGEST_BYTES]);

#endif
