/* zip - one reading of a zip archive, or none: the audit in its order, and the contents of entries */

#include <err.h>
#include <libdeflate.h>
#include <stdlib.h>

#include "zip_parts.h"

int
zip_audit(struct zip *z, const void *bytes, size_t len, const struct zip_policy *policy, struct refusal *r)
{
	*z = (struct zip) {.bytes = bytes, .len = len};
	if ((z->inflater = libdeflate_alloc_decompressor()) == NULL)
		err(2, "memory");
	if (len > policy->limits.input_bytes)
		return rule_refuse(r, RULE_LIMIT_INPUT, RULE_NOWHERE, NULL, 0);
	if (zip_find_end(z, r) == -1 || zip_read_central(z, policy, r) == -1)
		return -1;
	return zip_check_local(z, r);
}

/* Straight to the declared size, which shows that neither less nor more comes out, and how far the stream reaches. */
static enum rule
inflate(const struct zip *z, const struct zip_entry *e, void *room)
{
	size_t taken;

	switch (libdeflate_deflate_decompress_ex(
	    z->inflater, z->bytes + e->data, (size_t)e->packed, room, (size_t)e->size, &taken, NULL)) {
	case LIBDEFLATE_SUCCESS:
		return taken == e->packed ? RULE_NONE : RULE_DATA_TRAILING;
	case LIBDEFLATE_SHORT_OUTPUT:
		return RULE_DATA_SHORT;
	case LIBDEFLATE_INSUFFICIENT_SPACE:
		return RULE_DATA_LONG;
	default:
		return RULE_DATA_CORRUPT;
	}
}

int
zip_read(const struct zip *z, const struct zip_entry *e, void *room, const void **contents, struct refusal *r)
{
	enum rule broken = RULE_NONE;

	*contents = z->bytes + e->data;
	if (e->method == ZIP_DEFLATED) {
		*contents = room;
		broken = inflate(z, e, room);
	}
	if (broken == RULE_NONE && libdeflate_crc32(0, *contents, (size_t)e->size) != e->crc)
		broken = RULE_DATA_CRC;
	return broken == RULE_NONE ? 0 : zip_refuse(r, broken, e->data, e);
}

void
zip_free(struct zip *z)
{
	free(z->entry);
	libdeflate_free_decompressor(z->inflater);
	*z = (struct zip) {0};
}
