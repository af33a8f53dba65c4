/* ending - what people are told when a run is not ready and nothing more will be tried */
#ifndef ENDING_H
#define ENDING_H

#include "acceptance.h"

/*
 * One of four headlines, and below it up to ten of the PROBLEMS (problem_list). A new reference. NO_PROGRESS: the run before it
 * failed in the same way with the same bundle.
 */
json_t *ending_message(const struct judgement *, enum acceptance, bool no_progress, const json_t *problems);

#endif
