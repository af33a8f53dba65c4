/* stage_parts - what the files of the stage module share */
#ifndef STAGE_PARTS_H
#define STAGE_PARTS_H

#include "digest.h"
#include "pack.h"
#include "stage.h"
#include "stage_out.h"

/* What came in. */
struct staged {
	uint8_t sha256[DIGEST_BYTES]; /* of the archive */
	uint64_t bytes;               /* of the archive; 0: it is a directory */
	json_t *app_id;               /* owned; NULL: app.json gives none */
};

/* Stage the archive, or the directory, that is open at FD. Return 0, or -1 and the fault. */
int stage_zip(const struct stage_request *, int fd, struct stage_out *, struct staged *, struct fault *);
int stage_directory(const struct stage_request *, int fd, struct stage_out *, struct staged *, struct fault *);

/* What the jailed child gets, and its work: a jail_work that tells its parent in the words of report. */
struct stage_parse {
	const struct buf *archive;
	const struct profile *profile;
};

void stage_parse(int data, int report, void *context);

/* Is what was found the digest that is asked for? Else -1 and a fault whose detail has the one found. */
int stage_check_digest(const struct stage_request *, const uint8_t found[static DIGEST_BYTES], struct fault *);

/* Whether a signal asks us to stop: then -1 and a fault. */
int stage_stopped(struct fault *);

#endif
