/* stage_out - what staging leaves in a run's directory: the tar and the manifest, both whole or neither */
#ifndef STAGE_OUT_H
#define STAGE_OUT_H

#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "digest.h"
#include "fault.h"
#include "profile.h"

struct stage_out {
	const struct profile *profile;
	char *tar, *manifest; /* owned: where they will be */
	char *temp;           /* owned: the tar while it is filled; NULL when it is in its place */
	int fd;
	uint64_t tar_bytes, most; /* written, and allowed */
	struct digest digest;     /* of what was written */
	struct buf rows;          /* the manifest's files, as JSON */
	struct buf path, before;  /* of this file and of the one before it */
	uint64_t files, total_bytes;
	struct fault *fault; /* borrowed; what kept it from taking more */
};

#define auto_stage_out __attribute__((cleanup(stage_out_free)))
#define STAGE_OUT_NONE ((struct stage_out) {.fd = -1})

/* Begin both in the directory DIR. -1 and the fault when that can't be. Free in either case. */
int stage_out_begin(struct stage_out *, const char *dir, const struct profile *, struct fault *);

/* A tar_sink whose context is the stage_out: write to the tar and hash what was written. */
int stage_out_tar(const void *bytes, size_t len, void *out);

/*
 * Add the file NAME of the bundle to the manifest. What came from a parser is not trusted: a name, an order or a size that no
 * bundle of the profile can have is the fault `parser_died`.
 */
int stage_out_file(
    struct stage_out *, const char *name, size_t len, uint64_t size, const uint8_t digest[static DIGEST_BYTES]);

/* The digest of the tar, once it is whole. */
void stage_out_digest(struct stage_out *, uint8_t digest[static DIGEST_BYTES]);

/* Put both in their places. */
int stage_out_commit(struct stage_out *);

/* Remove what was not put in its place. */
void stage_out_free(struct stage_out *);

#endif
