/* diagnose_typescript - tsc and its kin: "path(3,7): error TS2322: message", and the pretty form */

#include "diagnose_family.h"

enum stage {
	PLAIN,   /* continuation lines of the message, each at most two deeper than the one before */
	PRETTY,  /* the same, up to a blank line */
	QUOTING, /* source behind a gutter, up to a blank line */
	RELATED  /* another place and its source, indented, or the next diagnostic */
};

static const struct {
	const char *word;
	enum severity severity;
} severities[] = {
    {"error ", SEVERITY_ERROR},
    {"warning ", SEVERITY_WARNING},
    {"message ", SEVERITY_NOTE},
    {"suggestion ", SEVERITY_NOTE},
};

/* "TS2322", "NG8001": letters, then digits. */
static bool
is_code(struct text code)
{
	int64_t number;

	if (code.len == 0 || code.at[0] < 'A' || code.at[0] > 'Z')
		return false;
	while (code.len > 0 && code.at[0] >= 'A' && code.at[0] <= 'Z') {
		code.at++;
		code.len--;
	}
	return text_number(&code, &number) && code.len == 0;
}

/* "error TS2322: message". Starts a diagnostic. */
static bool
is_said(struct diagnose *d, struct text said)
{
	for (size_t i = 0; i < sizeof severities / sizeof *severities; i++) {
		struct text rest = said, code, message;

		if (!text_skip(&rest, severities[i].word))
			continue;
		if (!text_split(rest, ": ", &code, &message) || !is_code(code))
			return false;
		diagnose_start(d, "typescript", severities[i].severity);
		diagnose_code(d, code);
		diagnose_message(d, message);
		return true;
	}
	return false;
}

/*
 * A path, OPEN LINE SEPARATOR COLUMN CLOSE, MARK, and what is said, around the first MARK where this holds: a path may hold
 * the mark, and a message may hold a whole diagnostic.
 */
static bool
is_header(struct diagnose *d, struct text line, const char *const form[4])
{
	struct text left, rest = line;

	while (text_split(rest, form[3], &left, &rest)) {
		struct text path = text_trim((struct text) {line.at, (size_t)(left.at + left.len - line.at)});
		struct place at;

		if (text_place(&path, form[0], form[1], form[2], &at) && path.len > 0 && is_said(d, text_trim(rest))) {
			diagnose_file(d, path);
			d->now.at = at;
			return true;
		}
	}
	return false;
}

static bool
begin(struct diagnose *d, struct text line)
{
	static const char *const plain[] = {"(", ",", ")", ": "}, *const hyphen[] = {":", ":", "", " - "},
	                                                          *const dash[] = {":", ":", "", " \u2013 "};

	if (!text_has(line, "error ") && !text_has(line, "warning ") && !text_has(line, "message "))
		return false;
	if (diagnose_is_quoted(line))
		return false;
	d->depth = 0;
	d->stage = PLAIN;
	if (is_header(d, line, plain) || is_said(d, line))
		return true;
	d->stage = PRETTY;
	return is_header(d, line, hyphen) || is_header(d, line, dash);
}

static bool
is_continuation(struct diagnose *d, struct text line)
{
	size_t depth = 0;

	while (depth < line.len && line.at[depth] == ' ')
		depth++;
	if (depth < 2 || depth % 2 != 0 || depth > d->depth + 2 || depth == line.len)
		return false;
	d->depth = depth;
	diagnose_message(d, line);
	return true;
}

static bool
more(struct diagnose *d, struct text line)
{
	switch (d->stage) {
	case PLAIN:
		return is_continuation(d, line);
	case PRETTY:
		if (line.len > 0)
			return is_continuation(d, line);
		d->stage = QUOTING;
		return true;
	case QUOTING:
		if (line.len == 0)
			d->stage = RELATED;
		return true;
	default:
		if (!text_starts(line, "  "))
			return false;
		d->stage = QUOTING;
		return true;
	}
}

const struct diagnose_family diagnose_typescript = {begin, more};
