/* claims - in words, what a run proves and what it does not */
#ifndef CLAIMS_H
#define CLAIMS_H

#include "acceptance.h"
#include "profile.h"

/* New arrays of sentences: those of the profile count as made only where all of its steps passed, those of its smoke where that did. */
json_t *claims_made(const json_t *line, const struct judgement *, enum acceptance, const struct profile *);
json_t *claims_not_made(const json_t *line, const struct judgement *, enum acceptance, const struct profile *);

#endif
