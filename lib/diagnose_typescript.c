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

struct header {
	struct text path; /* empty: none */
	struct place at;
	enum severity severity;
	struct text code, message;
};

/* "error TS2322: message" */
static bool
is_said(struct text t, struct header *h)
{
	for (size_t i = 0; i < sizeof severities / sizeof *severities; i++)
		if (text_skip(&t, severities[i].word)) {
			h->severity = severities[i].severity;
			return text_split(t, ": ", &h->code, &h->message) && is_code(h->code);
		}
	return false;
}

/* How a place is written, and what stands between it and what is said. */
struct form {
	const char *open, *separator, *close, *mark;
};

/*
 * A path, a place, the form's mark, and what is said, around the first mark where this holds: a path may hold the mark, and a
 * message may hold a whole diagnostic.
 */
static bool
is_placed(struct text line, const struct form *f, struct header *h)
{
	struct text left, rest = line;

	while (text_split(rest, f->mark, &left, &rest)) {
		h->path = text_trim((struct text) {line.at, (size_t)(left.at + left.len - line.at)});
		if (text_place(&h->path, f->open, f->separator, f->close, &h->at) && h->path.len > 0 &&
		    is_said(text_trim(rest), h))
			return true;
	}
	return false;
}

/* The form of the line, or of its message where that holds another diagnostic: the shorter path is the one that begins it. */
static bool
is_header(struct text line, struct header *h, enum stage *stage)
{
	static const struct form forms[] = {{"(", ",", ")", ": "}, {":", ":", "", " - "}, {":", ":", "", " \u2013 "}};
	struct header one;
	bool found = false;

	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
		if (is_placed(line, &forms[i], &one) && (!found || one.path.len < h->path.len)) {
			*h = one;
			*stage = i == 0 ? PLAIN : PRETTY;
			found = true;
		}
	return found;
}

static bool
begin(struct diagnose *d, struct text line)
{
	struct header h = {0};
	enum stage stage = PLAIN;

	if (diagnose_is_quoted(line))
		return false;
	line = text_trim(line);
	if (!is_said(line, &h) && !is_header(line, &h, &stage))
		return false;
	diagnose_start(d, "typescript", h.severity);
	diagnose_code(d, h.code);
	diagnose_file(d, h.path);
	diagnose_message(d, h.message);
	d->now.at = h.at;
	d->stage = (int)stage;
	d->depth = 0;
	return true;
}

/* "  path:3:7 - text": another place that has to do with it, as TypeScript 7 writes that. */
static bool
is_related(struct text line)
{
	struct text place, rest;
	struct place at;

	return text_split(line, " - ", &place, &rest) && text_place(&place, ":", ":", "", &at);
}

static bool
is_continuation(struct diagnose *d, struct text line)
{
	size_t depth = 0;

	while (depth < line.len && line.at[depth] == ' ')
		depth++;
	if (depth < 2 || depth % 2 != 0 || depth > d->depth + 2 || depth == line.len)
		return false;
	if (is_related(line)) {
		d->stage = QUOTING;
		return true;
	}
	d->depth = depth;
	diagnose_message(d, line);
	return true;
}

/* "12 source", "   ~~~" or "...": where a quote is missing, the next diagnostic may stand in its place. */
static bool
is_gutter(struct text line)
{
	int64_t number;

	if (text_starts(line, " ") || text_starts(line, "..."))
		return true;
	return text_number(&line, &number) && (line.len == 0 || text_starts(line, " "));
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
		if (line.len > 0)
			return is_gutter(line);
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
