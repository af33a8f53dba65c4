/* zip - one reading of a zip archive, or none: the structure audit, and the contents of its entries */
#ifndef ZIP_H
#define ZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "limit.h"
#include "rule.h"

/*
 * The format is PKWARE's APPNOTE.TXT 6.3, with the extra blocks of Info-ZIP's extrafld.txt. What two readers could take differently
 * is refused: what headers say twice must be equal, each byte belongs to one thing, and nothing is there that only some know.
 */

/* What an archive must keep besides being unambiguous. */
struct zip_policy {
	struct limits limits;
};

struct zip_entry {
	const char *name; /* within the archive's bytes; a directory's ends in '/' */
	size_t name_len;
	bool directory;
	uint16_t method, flags;
	uint32_t crc;
	uint64_t size, packed; /* of the contents, and of them as they are in the archive */
	size_t central;        /* offset of its header in the central directory */
	size_t local;          /* of its local header */
	size_t data;           /* of its contents */
};

struct zip {
	const uint8_t *bytes; /* borrowed */
	size_t len;
	struct zip_entry *entry; /* owned; in the order of their local headers */
	size_t count;
	size_t central;                           /* offset of the central directory */
	size_t end;                               /* of what follows it: the zip64 end record, or the end record */
	struct libdeflate_decompressor *inflater; /* owned */
};

#define auto_zip __attribute__((cleanup(zip_free)))

/*
 * Audit all that can be audited without unpacking: structure, names (each for itself), types, limits. Returns 0, or -1 and what
 * was refused, whose name lies in BYTES. No system call is made but for memory. Free with zip_free in either case.
 */
int zip_audit(struct zip *, const void *bytes, size_t len, const struct zip_policy *, struct refusal *);

/*
 * The contents of an entry of an audited archive, its size, CRC and extent proven: *CONTENTS is ROOM, which holds entry->size
 * bytes, or for stored data a place in the archive. Returns 0, or -1 and the refusal.
 */
int zip_read(const struct zip *, const struct zip_entry *, void *room, const void **contents, struct refusal *);

void zip_free(struct zip *);

#endif
