/* zip_end - the end record of an archive, and the zip64 one before it */

#include <string.h>

#include "zip_parts.h"

enum {
	END_RECORD = 22,
	LOCATOR = 20,
	RECORD64 = 56,
	TAIL = END_RECORD + UINT16_MAX /* where readers look for the end record */
};

/* Numbers of the end record; 64 bits wide, since zip64 replaces them. */
struct end {
	uint64_t count_here, count, size, offset;
};

/* The last place in [from, to) at which the signature stands whole, or NULL. */
static const uint8_t *
last_signature(const uint8_t *from, const uint8_t *to)
{
	for (const uint8_t *p = to; p > from;)
		if (memcmp(--p, "PK\5\6", 4) == 0)
			return p;
	return NULL;
}

/* Replace the numbers that the end record leaves to the zip64 record, all at their widest. Others must be the same there. */
static int
widen(uint64_t *number, uint64_t mark, uint64_t wide, uint64_t at, struct refusal *r)
{
	if (*number != mark && *number != wide)
		return rule_refuse(r, RULE_ZIP64_RECORD, at, NULL, 0);
	*number = wide;
	return 0;
}

static int
read_record64(const uint8_t *p, struct end *e, uint64_t at, struct refusal *r)
{
	/* Signature, size of the rest, the two versions, the two disks. Readers do not share a notion of a longer record. */
	if (memcmp(p, "PK\6\6", 4) != 0 || get64(p + 4) != RECORD64 - 12)
		return rule_refuse(r, RULE_ZIP64_RECORD, at, NULL, 0);
	if (get32(p + 16) != 0 || get32(p + 20) != 0)
		return rule_refuse(r, RULE_END_DISKS, at, NULL, 0);
	if (widen(&e->count_here, UINT16_MAX, get64(p + 24), at, r) == -1 ||
	    widen(&e->count, UINT16_MAX, get64(p + 32), at, r) == -1 ||
	    widen(&e->size, ZIP_ELSEWHERE, get64(p + 40), at, r) == -1)
		return -1;
	return widen(&e->offset, ZIP_ELSEWHERE, get64(p + 48), at, r);
}

/* The zip64 record and its locator directly before the end record at Z->END, which then moves to their start. */
static int
read_zip64(struct zip *z, struct end *e, struct refusal *r)
{
	bool asked = e->count_here == UINT16_MAX || e->count == UINT16_MAX || e->size == ZIP_ELSEWHERE ||
	             e->offset == ZIP_ELSEWHERE;
	size_t at = z->end - LOCATOR;
	bool there = z->end >= LOCATOR && memcmp(z->bytes + at, "PK\6\7", 4) == 0;

	if (!asked)
		return there ? rule_refuse(r, RULE_ZIP64_UNNEEDED, at, NULL, 0) : 0;
	if (!there || at < RECORD64)
		return rule_refuse(r, RULE_ZIP64_RECORD, z->end, NULL, 0);
	if (get32(z->bytes + at + 4) != 0 || get32(z->bytes + at + 16) != 1)
		return rule_refuse(r, RULE_END_DISKS, at, NULL, 0);
	z->end = at - RECORD64;
	if (get64(z->bytes + at + 8) != z->end)
		return rule_refuse(r, RULE_ZIP64_RECORD, at, NULL, 0);
	return read_record64(z->bytes + z->end, e, z->end, r);
}

static int
find_record(const struct zip *z, size_t *at, struct refusal *r)
{
	const uint8_t *first = z->bytes + (z->len > TAIL ? z->len - TAIL : 0), *p;

	p = z->len < END_RECORD ? NULL : last_signature(first, z->bytes + z->len - END_RECORD + 1);
	if (p == NULL)
		return rule_refuse(r, RULE_END_MISSING, z->len, NULL, 0);
	*at = (size_t)(p - z->bytes);
	if (*at + END_RECORD + get16(p + 20) != z->len)
		return rule_refuse(r, RULE_END_NOT_LAST, *at, NULL, 0);
	if ((p = last_signature(first, p)) != NULL)
		return rule_refuse(r, RULE_END_TWICE, (size_t)(p - z->bytes), NULL, 0);
	return 0;
}

int
zip_find_end(struct zip *z, struct refusal *r)
{
	struct end e;
	const uint8_t *p;
	size_t at;

	if (find_record(z, &at, r) == -1)
		return -1;
	p = z->bytes + at;
	if (get16(p + 4) != 0 || get16(p + 6) != 0)
		return rule_refuse(r, RULE_END_DISKS, at, NULL, 0);
	e = (struct end) {get16(p + 8), get16(p + 10), get32(p + 12), get32(p + 16)};
	z->end = at;
	if (read_zip64(z, &e, r) == -1)
		return -1;
	if (e.count_here != e.count)
		return rule_refuse(r, RULE_END_COUNT, at, NULL, 0);
	/* Neither may wrap around. */
	if (e.offset > z->end || e.size != z->end - e.offset)
		return rule_refuse(r, RULE_END_DIRECTORY, at, NULL, 0);
	z->central = (size_t)e.offset;
	z->count = e.count;
	return 0;
}
