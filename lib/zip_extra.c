/* zip_extra - extra fields and external attributes: what else a header says about an entry */

#include <libdeflate.h>
#include <string.h>
#include <sys/stat.h>

#include "zip_parts.h"

/* Kinds of blocks. Only the first two can change what an entry is; both are checked. */
enum {
	ZIP64 = 0x0001,
	UNICODE_PATH = 0x7075,
	NTFS_TIMES = 0x000a,
	TIMES = 0x5455,
	UNIX_1 = 0x5855, /* times and owner, as the next two */
	UNIX_2 = 0x7855,
	UNIX_3 = 0x7875,
	UNICODE_COMMENT = 0x6375,
	JAR = 0xcafe,
	GROWTH_HINT = 0xa220, /* padding */
	ALIGNMENT = 0xd935    /* padding */
};

/* Bits of DOS attributes, in the low half of the external ones. */
enum {
	DOS_LABEL = 0x08,
	DOS_DIRECTORY = 0x10,
	DOS_DEVICE = 0x40,
	DOS_REPARSE = 0x400
};

static bool
is_known(uint16_t kind)
{
	static const uint16_t known[] = {ZIP64, UNICODE_PATH, NTFS_TIMES, TIMES, UNIX_1, UNIX_2, UNIX_3,
	    UNICODE_COMMENT, JAR, GROWTH_HINT, ALIGNMENT};

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (known[i] == kind)
			return true;
	return false;
}

/* Is there a block of that kind in the LEN bytes before the one that is looked at? */
static bool
was_there(const uint8_t *extra, size_t len, uint16_t kind)
{
	for (size_t i = 0; i < len; i += 4U + get16(extra + i + 2))
		if (get16(extra + i) == kind)
			return true;
	return false;
}

/* Version 1, the CRC of the header's name, the name: no reader may see another one, nor think the block outdated. */
static bool
is_same_path(const struct zip_entry *e, const uint8_t *block, size_t len)
{
	return len == 5 + e->name_len && block[0] == 1 &&
	       get32(block + 1) == libdeflate_crc32(0, e->name, e->name_len) &&
	       memcmp(block + 5, e->name, e->name_len) == 0;
}

int
zip_check_extra(const struct zip_entry *e, const uint8_t *extra, size_t len, size_t at, const uint8_t **zip64,
    size_t *zip64_len, struct refusal *r)
{
	size_t size;

	*zip64 = NULL;
	*zip64_len = 0;
	for (size_t i = 0; i < len; i += 4 + size) {
		uint16_t kind;

		if (len - i < 4 || len - i - 4 < (size = get16(extra + i + 2)))
			return zip_refuse(r, RULE_EXTRA_MALFORMED, at, e);
		kind = get16(extra + i);
		if (!is_known(kind))
			return zip_refuse(r, RULE_EXTRA_UNKNOWN, at, e);
		if (was_there(extra, i, kind))
			return zip_refuse(r, RULE_EXTRA_TWICE, at, e);
		if (kind == UNICODE_PATH && !is_same_path(e, extra + i + 4, size))
			return zip_refuse(r, RULE_UNICODE_PATH, at, e);
		if (kind == ZIP64) {
			*zip64 = extra + i + 4;
			*zip64_len = size;
		}
	}
	return 0;
}

/*
 * The mode counts whichever system the header claims to come from, since not all readers ask. unzip passes over volume labels.
 */
int
zip_check_type(const struct zip_entry *e, uint32_t attributes, struct refusal *r)
{
	mode_t mode = attributes >> 16, type = mode & S_IFMT;
	bool directory = type == S_IFDIR || (attributes & DOS_DIRECTORY);

	if (type == S_IFLNK)
		return zip_refuse(r, RULE_TYPE_LINK, e->central, e);
	if ((type != 0 && type != S_IFREG && type != S_IFDIR) || (attributes & (DOS_LABEL | DOS_DEVICE | DOS_REPARSE)))
		return zip_refuse(r, RULE_TYPE_SPECIAL, e->central, e);
	if (e->directory ? type == S_IFREG : directory)
		return zip_refuse(r, RULE_TYPE_CONFLICT, e->central, e);
	if (!e->directory && (mode & (S_ISUID | S_ISGID)))
		return zip_refuse(r, RULE_MODE_SETUID, e->central, e);
	return 0;
}
