/* zip_parts - what the files of the zip module share */
#ifndef ZIP_PARTS_H
#define ZIP_PARTS_H

#include "zip.h"

/* Numbers in an archive are little-endian and stand at any address. */
static inline uint16_t
get16(const uint8_t *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t
get32(const uint8_t *p)
{
	return get16(p) | (uint32_t)get16(p + 2) << 16;
}

static inline uint64_t
get64(const uint8_t *p)
{
	return get32(p) | (uint64_t)get32(p + 4) << 32;
}

enum {
	ZIP_STORED = 0,
	ZIP_DEFLATED = 8,
	ZIP_DESCRIPTOR = 1 << 3, /* flag: sizes and CRC follow the data */
	ZIP_UTF8 = 1 << 11,      /* flag: the name is UTF-8 */
	ZIP_LOCAL_HEADER = 30,   /* bytes before the name */
	ZIP_VERSION = 45,        /* the newest that is read here: 4.5 has zip64 */
};

/* In a 32-bit field: the value is in the zip64 block or record. */
#define ZIP_ELSEWHERE UINT32_MAX

/* Find the end record and what it points to; fills count, central and end. */
int zip_find_end(struct zip *, struct refusal *);

/* Read the central directory into zip->entry. */
int zip_read_central(struct zip *, const struct zip_policy *, struct refusal *);

/* Sort the entries by their local headers, compare these with the central ones and account for every byte before the directory. */
int zip_check_local(struct zip *, struct refusal *);

/* Check the extra field of the entry's header at offset AT. *ZIP64 becomes its zip64 block, or NULL. */
int zip_check_extra(const struct zip_entry *, const uint8_t *extra, size_t len, size_t at, const uint8_t **zip64,
    size_t *zip64_len, struct refusal *);

/* Check what the external ATTRIBUTES of a central header make of the entry. */
int zip_check_type(const struct zip_entry *, uint32_t attributes, struct refusal *);

static inline int
zip_refuse(struct refusal *r, enum rule rule, size_t at, const struct zip_entry *e)
{
	return rule_refuse(r, rule, at, e->name, e->name_len);
}

#endif
