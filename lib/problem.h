/* problem - what is wrong with a bundle, one sentence each, as repair and the end of the run see it */
#ifndef PROBLEM_H
#define PROBLEM_H

#include "digest.h"
#include "judge.h"
#include "scrub.h"

enum {
	PROBLEM_MOST = 50,         /* problems that are told apart */
	PROBLEM_BYTES = 300,       /* of a sentence */
	PROBLEM_ALL_BYTES = 16384, /* of them together, paths included: a line has room for that many times over */
};

/*
 * The problems of LINE, a new array of {"error", and where they are known "path"}: the failures of acceptance, else the checks
 * of the smoke that failed, else the errors that sbx-diagnose(1) read, else the build's own sentences, else what keeps the run from being ready. A path is one of the
 * bundle's; "foreign" is true where the tool named a file that is not. Each sentence stands there once.
 */
json_t *problem_list(const json_t *line, const struct judgement *, const struct scrub *);

/* The "error" of each of them, a new array. */
json_t *problem_errors(const json_t *problems);

/* The SHA-256 of the compact JSON array that has SUBJECT first and then the sorted texts of ERRORS. */
void problem_fingerprint(const char *subject, const json_t *errors, char hex[static DIGEST_TEXT]);

/* Diagnostics of the line as the seeds' parsed_errors: a new array of {"file", "line", "column", "message"}, absent where not known. */
json_t *problem_parsed(const json_t *line, const struct scrub *);

#endif
