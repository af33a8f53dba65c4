/* accept_result - what the acceptance rules found, made into one answer */
#ifndef ACCEPT_RESULT_H
#define ACCEPT_RESULT_H

#include "fault.h"
#include "json.h"
#include "profile.h"

/*
 * Combine REPORTS (accept_rules_run, for the profile's rules) into `acceptance` as sbx-accept(1) has it, a new reference. FILES is
 * the manifest's, by workspace path, TAR_SHA256 the snapshot's digest. NULL and `rules_failed` (2) when a report is not of the agreed
 * form: the rules see what strangers wrote, so nothing they say is taken on trust.
 */
json_t *accept_result(
    const json_t *reports, const struct profile *, const json_t *files, const char *tar_sha256, struct fault *);

#endif
