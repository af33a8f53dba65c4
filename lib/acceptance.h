/* acceptance - what became of a run's acceptance, when both the rules and the steps that decide some of them have spoken */
#ifndef ACCEPTANCE_H
#define ACCEPTANCE_H

#include "judge.h"

enum acceptance {
	ACCEPTANCE_PASSED,
	ACCEPTANCE_NOT_NEEDED, /* it has not run, and the profile asks for none */
	ACCEPTANCE_PENDING,
	ACCEPTANCE_FAILED
};

/*
 * Judge the member `acceptance` of LINE (sbx-accept(1)) beside its smoke and its steps. A rule that was left to one of these is
 * failed when that failed, and pending until it passed. What keeps the run from being ready is added to the judgement's reasons.
 */
enum acceptance acceptance_judge(struct judgement *, const json_t *line, bool needed);

/* passed, not_needed, pending, failed */
const char *acceptance_word(enum acceptance);

#endif
