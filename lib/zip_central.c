/* zip_central - the central directory of an archive: what its entries are */

#include <string.h>

#include "name.h"
#include "x.h"
#include "zip_parts.h"

enum {
	HEADER = 46, /* bytes before the name */
	ENCRYPTED = 1 << 0 | 1 << 6 | 1 << 13,
	SPEED = 1 << 1 | 1 << 2 /* how hard the packer tried */
};

/* Take the value that a 32-bit field leaves to the zip64 block, where they follow each other in a fixed order. */
static bool
take64(uint64_t *value, const uint8_t **block, size_t *left)
{
	if (*value != ZIP_ELSEWHERE)
		return true;
	if (*block == NULL || *left < 8)
		return false;
	*value = get64(*block);
	*block += 8;
	*left -= 8;
	return true;
}

/* Fill in sizes and place, from the 32-bit fields and the zip64 block, which holds what they leave to it and nothing else. */
static int
read_numbers(
    struct zip_entry *e, const struct zip *z, const uint8_t *p, const uint8_t *zip64, size_t left, struct refusal *r)
{
	uint64_t local = get32(p + 42);
	bool needed;

	e->crc = get32(p + 16);
	e->packed = get32(p + 20);
	e->size = get32(p + 24);
	needed = e->packed == ZIP_ELSEWHERE || e->size == ZIP_ELSEWHERE || local == ZIP_ELSEWHERE;
	if (zip64 != NULL && !needed)
		return zip_refuse(r, RULE_ZIP64_UNNEEDED, e->central, e);
	if (!take64(&e->size, &zip64, &left) || !take64(&e->packed, &zip64, &left) || !take64(&local, &zip64, &left) ||
	    left != 0)
		return zip_refuse(r, RULE_ZIP64_EXTRA, e->central, e);
	if (local >= z->central)
		return zip_refuse(r, RULE_LOCAL_HEADER, e->central, e);
	e->local = (size_t)local;
	return 0;
}

static int
check_kind(const struct zip_entry *e, struct refusal *r)
{
	if (e->flags & ENCRYPTED)
		return zip_refuse(r, RULE_ENCRYPTED, e->central, e);
	if (e->flags & ~(SPEED | ZIP_DESCRIPTOR | ZIP_UTF8))
		return zip_refuse(r, RULE_FLAG_UNKNOWN, e->central, e);
	if (e->method != ZIP_STORED && e->method != ZIP_DEFLATED)
		return zip_refuse(r, RULE_METHOD, e->central, e);
	if (e->method == ZIP_STORED && e->packed != e->size)
		return zip_refuse(r, RULE_STORED_SIZE, e->central, e);
	if (e->directory && e->size != 0)
		return zip_refuse(r, RULE_DIRECTORY_DATA, e->central, e);
	return 0;
}

static int
check_name(const struct zip_entry *e, struct refusal *r)
{
	enum rule broken = RULE_NONE;

	for (size_t i = 0; i < e->name_len && broken == RULE_NONE; i++)
		if ((unsigned char)e->name[i] >= 0x80 && !(e->flags & ZIP_UTF8))
			broken = RULE_NAME_ENCODING;
	if (broken == RULE_NONE)
		broken = e->directory && e->name_len == 1 ? RULE_NAME_ABSOLUTE
		                                          : name_check(e->name, e->name_len - e->directory);
	return broken == RULE_NONE ? 0 : zip_refuse(r, broken, e->central, e);
}

/* What is declared is what comes out, or zip_read refuses it; so the limits can be held before anything is unpacked. */
static int
check_limits(
    const struct zip *z, const struct zip_entry *e, const struct limits *most, uint64_t *total, struct refusal *r)
{
	if (e->size > most->entry_bytes)
		return zip_refuse(r, RULE_LIMIT_ENTRY, e->central, e);
	*total += e->size;
	if (*total > most->total_bytes)
		return zip_refuse(r, RULE_LIMIT_TOTAL, e->central, e);
	if (*total > most->ratio * z->len)
		return zip_refuse(r, RULE_LIMIT_RATIO, e->central, e);
	return 0;
}

/* Read the header at *AT, which moves behind it. */
static int
read_header(const struct zip *z, struct zip_entry *e, size_t *at, struct refusal *r)
{
	const uint8_t *p = z->bytes + *at, *zip64;
	size_t left = z->end - *at, zip64_len, extra_len;

	*e = (struct zip_entry) {.central = *at};
	if (left < HEADER || memcmp(p, "PK\1\2", 4) != 0)
		return rule_refuse(r, RULE_CENTRAL_HEADER, *at, NULL, 0);
	e->flags = get16(p + 8);
	e->method = get16(p + 10);
	e->name_len = get16(p + 28);
	extra_len = get16(p + 30);
	if (left - HEADER < e->name_len + extra_len + get16(p + 32))
		return rule_refuse(r, RULE_CENTRAL_HEADER, *at, NULL, 0);
	*at += HEADER + e->name_len + extra_len + get16(p + 32);
	e->name = (const char *)p + HEADER;
	e->directory = e->name_len > 0 && e->name[e->name_len - 1] == '/';
	if (get16(p + 6) > ZIP_VERSION)
		return zip_refuse(r, RULE_VERSION, e->central, e);
	if (get16(p + 34) != 0)
		return zip_refuse(r, RULE_END_DISKS, e->central, e);
	if (zip_check_extra(e, p + HEADER + e->name_len, extra_len, e->central, &zip64, &zip64_len, r) == -1 ||
	    read_numbers(e, z, p, zip64, zip64_len, r) == -1 || check_kind(e, r) == -1)
		return -1;
	return check_name(e, r) == -1 ? -1 : zip_check_type(e, get32(p + 38), r);
}

int
zip_read_central(struct zip *z, const struct zip_policy *policy, struct refusal *r)
{
	uint64_t total = 0;
	size_t at = z->central;

	if (z->count > policy->limits.entries)
		return rule_refuse(r, RULE_LIMIT_ENTRIES, z->end, NULL, 0);
	z->entry = x_zalloc(z->count, sizeof *z->entry);
	for (size_t i = 0; i < z->count; i++)
		if (at == z->end)
			return rule_refuse(r, RULE_END_COUNT, at, NULL, 0);
		else if (read_header(z, &z->entry[i], &at, r) == -1 ||
		         check_limits(z, &z->entry[i], &policy->limits, &total, r) == -1)
			return -1;
	return at == z->end ? 0 : rule_refuse(r, RULE_END_COUNT, at, NULL, 0);
}
