/* diagnose_python - Python: tracebacks, syntax errors, and compileall's "*** " lines */

#include <ctype.h>

#include "diagnose_family.h"

enum stage {
	FRAMES, /* files and quoted source, indented, up to the exception's own line */
	SYNTAX, /* the last file has the error: what is quoted of it may span lines, and they are not indented */
	OVER
};

/* "'./it\\'s.py'", as repr writes it, without the quotes. */
static void
take_repr(struct diagnose *d, struct text repr)
{
	auto_buf struct buf path = {0};

	for (size_t i = 1; i + 1 < repr.len; i++) {
		if (repr.at[i] == '\\' && i + 2 < repr.len)
			i++;
		buf_add(&path, repr.at + i, 1);
	}
	if (path.len > 0)
		diagnose_file(d, (struct text) {path.data, path.len});
}

/* The lines of an exception group stand behind "  | ", deeper ones further right. */
static struct text
ungroup(struct text line)
{
	struct text rest = line;

	if (!text_skip(&rest, "  "))
		return line;
	rest = text_trim(rest);
	return text_skip(&rest, "| ") || text_skip(&rest, "+ Exception Group ") ? rest : line;
}

/*
 * `  File "path", line 3, in f`. Of a traceback's frames the innermost that belongs to the app counts, since a library only
 * complains of what it was given; without one, the innermost.
 */
static bool
take_frame(struct diagnose *d, struct text line)
{
	struct text before = {d->now.file.data, d->now.file.len}, path, rest;
	int64_t number;

	if (!text_skip(&line, "  File \"") || !text_split_last(line, "\", line ", &path, &rest) ||
	    !text_number(&rest, &number))
		return false;
	if (before.len > 0 && text_starts(path, "<"))
		return true;
	if (text_starts(rest, ", in ") && before.len > 0 && d->sink.ours(before, d->sink.to) &&
	    !d->sink.ours(path, d->sink.to))
		return true;
	if (!text_starts(rest, ", in "))
		d->stage = SYNTAX;
	diagnose_file(d, path);
	d->now.at.line = number;
	return true;
}

static bool
begin(struct diagnose *d, struct text line)
{
	struct text rest = line, left, right;

	d->stage = FRAMES;
	if (text_skip(&rest, "*** Error compiling ")) {
		diagnose_start(d, "python", SEVERITY_ERROR);
		if (text_split_last(rest, "...", &left, &right))
			take_repr(d, left);
		return true;
	}
	if (text_starts(ungroup(line), "Traceback (most recent call last):")) {
		diagnose_start(d, "python", SEVERITY_ERROR);
		return true;
	}
	if (!text_starts(line, "  File \""))
		return false;
	diagnose_start(d, "python", SEVERITY_ERROR);
	return take_frame(d, line);
}

/* A dotted name. Of the classes that quoted source comes before, each ends alike, which other names in it seldom do. */
static bool
is_class(struct text name, int stage)
{
	if (stage == SYNTAX && !text_drop(&name, "Error"))
		return false;
	for (size_t i = 0; i < name.len; i++)
		if (!isalnum((unsigned char)name.at[i]) && name.at[i] != '_' && name.at[i] != '.')
			return false;
	return name.len > 0;
}

/* "IndentationError: unexpected indent (name.py, line 2)" */
static bool
take_exception(struct diagnose *d, struct text line)
{
	struct text name, message, left, right;
	int64_t number;

	text_skip(&line, "Sorry: ");
	name = message = line;
	if (text_split(line, ": ", &left, &right)) {
		name = left;
		message = right;
	}
	if (!is_class(name, d->stage))
		return false;
	diagnose_code(d, name);
	if (d->now.at.line == 0 && text_split_last(message, ", line ", &left, &right) && text_number(&right, &number) &&
	    text_is(right, ")") && text_split_last(left, " (", &left, &right)) {
		d->now.at.line = number;
		message = left;
	}
	diagnose_message(d, message);
	return true;
}

static bool
more(struct diagnose *d, struct text line)
{
	if (d->stage == OVER)
		return false;
	line = ungroup(line);
	if (line.len == 0 || take_frame(d, line) || text_starts(line, " "))
		return true;
	if (text_starts(line, "Traceback "))
		return false;
	if (!take_exception(d, line))
		return d->stage == SYNTAX;
	d->stage = OVER;
	return true;
}

const struct diagnose_family diagnose_python = {begin, more};
