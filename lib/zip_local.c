/* zip_local - the local headers of an archive, and whose each byte before its directory is */

#include <bsd/stdlib.h>
#include <err.h>
#include <string.h>

#include "zip_parts.h"

enum {
	DESCRIPTOR = 12, /* bytes without its signature */
};

static const uint8_t descriptor_signature[4] = "PK\7\10";

static int
by_place(const void *a, const void *b)
{
	const struct zip_entry *x = a, *y = b;

	return (x->local > y->local) - (x->local < y->local);
}

/* A header that is followed by a descriptor may hold nothing yet; one that holds something must hold the truth. */
static bool
agrees(const struct zip_entry *e, uint64_t local, uint64_t central)
{
	return local == central || (local == 0 && (e->flags & ZIP_DESCRIPTOR));
}

/* A zip64 block in a local header has both sizes, for header fields that both leave them to it. */
static int
check_sizes(const struct zip_entry *e, const uint8_t *p, const uint8_t *zip64, size_t zip64_len, struct refusal *r)
{
	uint64_t packed = get32(p + 18), size = get32(p + 22);

	if (zip64 != NULL && packed != ZIP_ELSEWHERE && size != ZIP_ELSEWHERE)
		return zip_refuse(r, RULE_ZIP64_UNNEEDED, e->local, e);
	if (packed == ZIP_ELSEWHERE || size == ZIP_ELSEWHERE) {
		if (zip64 == NULL || zip64_len != 16 || packed != size)
			return zip_refuse(r, RULE_ZIP64_EXTRA, e->local, e);
		/* Its descriptor is wider, but for some readers only when a size needs it. */
		if (e->flags & ZIP_DESCRIPTOR)
			return zip_refuse(r, RULE_DESCRIPTOR_AMBIGUOUS, e->local, e);
		size = get64(zip64);
		packed = get64(zip64 + 8);
	}
	return agrees(e, packed, e->packed) && agrees(e, size, e->size) ? 0
	                                                                : zip_refuse(r, RULE_LOCAL_SIZE, e->local, e);
}

static int
check_header(const struct zip *z, struct zip_entry *e, struct refusal *r)
{
	const uint8_t *p = z->bytes + e->local, *zip64;
	size_t left = z->central - e->local, name_len, extra_len, zip64_len;

	if (left < ZIP_LOCAL_HEADER || memcmp(p, "PK\3\4", 4) != 0)
		return zip_refuse(r, RULE_LOCAL_HEADER, e->local, e);
	name_len = get16(p + 26);
	extra_len = get16(p + 28);
	if (left - ZIP_LOCAL_HEADER < name_len + extra_len)
		return zip_refuse(r, RULE_LOCAL_HEADER, e->local, e);
	e->data = e->local + ZIP_LOCAL_HEADER + name_len + extra_len;
	if (name_len != e->name_len || memcmp(p + ZIP_LOCAL_HEADER, e->name, name_len) != 0)
		return zip_refuse(r, RULE_LOCAL_NAME, e->local, e);
	if (get16(p + 4) > ZIP_VERSION)
		return zip_refuse(r, RULE_VERSION, e->local, e);
	if (get16(p + 6) != e->flags)
		return zip_refuse(r, RULE_LOCAL_FLAGS, e->local, e);
	if (get16(p + 8) != e->method)
		return zip_refuse(r, RULE_LOCAL_METHOD, e->local, e);
	if (!agrees(e, get32(p + 14), e->crc))
		return zip_refuse(r, RULE_LOCAL_CRC, e->local, e);
	if (zip_check_extra(e, p + ZIP_LOCAL_HEADER + name_len, extra_len, e->local, &zip64, &zip64_len, r) == -1)
		return -1;
	return check_sizes(e, p, zip64, zip64_len, r);
}

/*
 * The LEN bytes at AT must be the descriptor: with its signature or without, 32 bits wide. A reader that works its way from the
 * front can't know a signature from a CRC that looks like it; nor where stored data ends, unless there is none.
 */
static int
check_descriptor(const struct zip *z, const struct zip_entry *e, size_t at, size_t len, struct refusal *r)
{
	const uint8_t *p = z->bytes + at;
	bool is_signed = len == DESCRIPTOR + 4 && memcmp(p, descriptor_signature, 4) == 0;

	if (e->method == ZIP_STORED && (e->size > 0 || !is_signed))
		return zip_refuse(r, RULE_DESCRIPTOR_STORED, e->local, e);
	if (e->crc == get32(descriptor_signature))
		return zip_refuse(r, RULE_DESCRIPTOR_AMBIGUOUS, e->local, e);
	if (is_signed)
		p += 4;
	else if (len != DESCRIPTOR)
		return zip_refuse(r, RULE_DESCRIPTOR_WRONG, at, e);
	if (get32(p) != e->crc || get32(p + 4) != e->packed || get32(p + 8) != e->size)
		return zip_refuse(r, RULE_DESCRIPTOR_WRONG, at, e);
	return 0;
}

/* The entry ends where the next thing begins, at NEXT. */
static int
check_extent(const struct zip *z, const struct zip_entry *e, size_t next, struct refusal *r)
{
	size_t end;

	if (e->data > next || e->packed > next - e->data)
		return zip_refuse(r, RULE_ENTRY_OVERLAP, e->local, e);
	end = e->data + (size_t)e->packed;
	if (e->flags & ZIP_DESCRIPTOR)
		return check_descriptor(z, e, end, next - end, r);
	return end == next ? 0 : zip_refuse(r, RULE_ENTRY_GAP, end, e);
}

int
zip_check_local(struct zip *z, struct refusal *r)
{
	if (heapsort(z->entry, z->count, sizeof *z->entry, by_place) == -1)
		err(2, "entries");
	if ((z->count > 0 ? z->entry[0].local : z->central) != 0)
		return rule_refuse(r, RULE_ENTRY_PREFIX, 0, NULL, 0);
	for (size_t i = 0; i < z->count; i++) {
		size_t next = i + 1 < z->count ? z->entry[i + 1].local : z->central;

		if (check_header(z, &z->entry[i], r) == -1 || check_extent(z, &z->entry[i], next, r) == -1)
			return -1;
	}
	return 0;
}
