/* digest - SHA-256 of bytes, at once or piece by piece */

#include <nettle/base16.h>
#include <nettle/memops.h>
#include <string.h>

#include "digest.h"

void
digest_begin(struct digest *d)
{
	sha256_init(&d->state);
}

void
digest_add(struct digest *d, const void *bytes, size_t len)
{
	sha256_update(&d->state, len, bytes);
}

void
digest_end(struct digest *d, uint8_t out[static DIGEST_BYTES])
{
	sha256_digest(&d->state, DIGEST_BYTES, out);
}

void
digest_of(const void *bytes, size_t len, uint8_t out[static DIGEST_BYTES])
{
	struct digest d;

	digest_begin(&d);
	digest_add(&d, bytes, len);
	digest_end(&d, out);
}

void
digest_hex(const uint8_t digest[static DIGEST_BYTES], char text[static DIGEST_TEXT])
{
	base16_encode_update(text, DIGEST_BYTES, digest);
	text[DIGEST_TEXT - 1] = '\0';
}

bool
digest_parse(const char *text, uint8_t out[static DIGEST_BYTES])
{
	static const char digits[] = "0123456789abcdefABCDEF";
	size_t len = DIGEST_BYTES;
	struct base16_decode_ctx decoder;

	if (strncmp(text, "sha256:", 7) == 0)
		text += 7;
	/* nettle would pass over white space. */
	if (strlen(text) != 2 * DIGEST_BYTES || strspn(text, digits) != 2 * DIGEST_BYTES)
		return false;
	base16_decode_init(&decoder);
	return base16_decode_update(&decoder, &len, out, 2 * DIGEST_BYTES, text) && len == DIGEST_BYTES;
}

bool
digest_equal(const uint8_t a[static DIGEST_BYTES], const uint8_t b[static DIGEST_BYTES])
{
	return memeql_sec(a, b, DIGEST_BYTES);
}
