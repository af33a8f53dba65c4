/* rule - the rules that a bundle must keep, each with a name for programs and a sentence for people */

#include <string.h>

#include "json.h"
#include "plain.h"
#include "rule.h"

enum {
	NAME_SHOWN = 200 /* bytes of a name in a message; the detail has all of it */
};

static const struct {
	const char *name, *reason, *sentence;
} rules[RULE_COUNT] = {
    [RULE_NONE] = {"", "", ""},
#define RULE(constant, name, reason, sentence) [RULE_##constant] = {name, reason, sentence},
#include "rule.def"
#undef RULE
};

const char *
rule_name(enum rule r)
{
	return rules[r].name;
}

const char *
rule_sentence(enum rule r)
{
	return rules[r].sentence;
}

void
rule_fill(struct refusal *r, enum rule rule, uint64_t offset, const char *entry, size_t entry_len)
{
	*r = (struct refusal) {.rule = rule, .offset = offset, .entry = entry, .entry_len = entry_len};
}

/* Append the name in quotes, and put it into the detail as MEMBER. */
static void
add_name(struct buf *text, json_t *detail, const char *member, const char *name, size_t len)
{
	json_t *value = json_lossy(name, len);

	buf_text(text, "'");
	plain_add(text, json_string_value(value), json_string_length(value), NAME_SHOWN);
	buf_text(text, "'");
	json_object_set_new(detail, member, value);
}

int
rule_fault(const struct refusal *r, const char *path, struct fault *f)
{
	json_t *detail = json_make("{s:s}", "rule", rule_name(r->rule));
	auto_buf struct buf text = {0};

	if (r->entry != NULL) {
		buf_text(&text, "entry ");
		add_name(&text, detail, "entry", r->entry, r->entry_len);
	}
	if (r->offset != RULE_NOWHERE) {
		buf_printf(&text, "%sat offset %llu", r->entry != NULL ? " " : "", (unsigned long long)r->offset);
		json_object_set_new(detail, "offset", json_integer((json_int_t)r->offset));
	}
	buf_printf(&text, "%s%s", text.len > 0 ? ": " : "", rule_sentence(r->rule));
	if (r->other != NULL) {
		buf_text(&text, ": ");
		add_name(&text, detail, "other", r->other, r->other_len);
	}
	f->detail = detail;
	return fault_set(f, STATUS_NO, rules[r->rule].reason, "%s: %s (%s)", path, text.data, rule_name(r->rule));
}
