/* rule - the rules that a bundle must keep, each with a name for programs and a sentence for people */
#ifndef RULE_H
#define RULE_H

#include <stddef.h>
#include <stdint.h>

#include "fault.h"

enum rule {
	RULE_NONE,
#define RULE(constant, name, reason, sentence) RULE_##constant,
#include "rule.def"
#undef RULE
	RULE_COUNT
};

#define RULE_NOWHERE UINT64_MAX

/* What was refused and where. The names are borrowed and need not be UTF-8. */
struct refusal {
	enum rule rule;
	uint64_t offset;           /* in the archive, or RULE_NOWHERE */
	const char *entry, *other; /* NULL: none; other is the name it collides with */
	size_t entry_len, other_len;
};

/*
 * rule_refuse(refusal, rule, offset, entry, entry_len) fills the refusal and gives -1, so that a function can fail in one
 * expression. A macro, so that the compiler sees the -1. The entry may be NULL.
 */
#define rule_refuse(...) (rule_fill(__VA_ARGS__), -1)
void rule_fill(struct refusal *, enum rule, uint64_t offset, const char *entry, size_t entry_len);

const char *rule_name(enum rule);
const char *rule_sentence(enum rule);

/* Turn what was refused about the bundle at PATH into a fault with status 1 and detail members; see sbx-stage(1). Returns -1. */
int rule_fault(const struct refusal *, const char *path, struct fault *);

#endif
