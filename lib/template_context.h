/* template_context - what is sent to be built into a template: plain files and directories, and their digests */
#ifndef TEMPLATE_CONTEXT_H
#define TEMPLATE_CONTEXT_H

#include <sys/stat.h>

#include "digest.h"
#include "fault.h"
#include "json.h"

struct context_entry {
	char *path; /* below the context */
	struct stat st;
};

struct context {
	int dir;                     /* the directory; borrowed */
	struct context_entry *entry; /* owned, in byte order of the paths */
	size_t count;
	int64_t files, bytes;
};

/*
 * Look at all that is in the directory PLACE, open as DIR. A link, a device or a name that is none of a plain file is the fault
 * `context_refused` (1). context_free either way.
 */
int context_read(struct context *, const char *place, int dir, struct fault *);
void context_free(struct context *);

/* Everything that the COPY steps name must be there, and nothing else may be but MORE: `context_refused`. */
int context_check(const struct context *, const json_t *steps, const char *more, struct fault *);

/*
 * SHA-256 over the files in byte order of their paths: for each the path, a NUL, the size as 8 bytes with the highest first, and the
 * bytes (the seeds' context_sha256).
 */
int context_digest(const struct context *, char hex[static DIGEST_TEXT], struct fault *);

/*
 * The name under which the service keeps what a COPY step sends. It is made as the service's own clients make it: of the step, and of
 * each file's and directory's path, mode and size, and the bytes. As directories have a size there, it differs between kinds of file
 * systems; whoever wants to know what was built asks for context_digest.
 */
int context_files_hash(
    const struct context *, const char *source, const char *destination, char hex[static DIGEST_TEXT], struct fault *);

#endif
