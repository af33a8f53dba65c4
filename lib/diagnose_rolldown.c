/* diagnose_rolldown - Rolldown, and Vite from 8 around it: "[CODE] message" and "[ path:3:7 ]" under it */

#include <string.h>

#include "diagnose_family.h"

enum stage {
	LISTED, /* one of the errors behind "Build failed with 2 errors:" */
	STACK,  /* a stack trace ended those */
	SINGLE, /* an error or warning on its own */
	BOXED   /* the same, its place is known */
};

/* "[MISSING_EXPORT] ", "[plugin name] " and what follows. */
static bool
is_tagged(struct text line, struct text *tag, struct text *rest)
{
	if (!text_skip(&line, "[") || !text_split(line, "]", tag, rest) || tag->len == 0)
		return false;
	text_skip(rest, " ");
	return !text_has(*tag, "[");
}

/* Is the tag a code, and not the name of a plugin? */
static bool
is_code(struct text tag)
{
	for (size_t i = 0; i < tag.len; i++)
		if (strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZ_", tag.at[i]) == NULL)
			return false;
	return true;
}

bool
diagnose_is_coded(struct text line)
{
	struct text tag, rest;

	return is_tagged(line, &tag, &rest) && is_code(tag);
}

/* "Error: message" */
static bool
is_thrown(struct text line, struct text *message)
{
	struct text class;

	return text_split(line, ": ", &class, message) && text_drop(&class, "Error") && !text_has(class, " ");
}

/* `Could not resolve "x" in path`, `... import "x" from "path".` The box below it, if there is one, gives the place as well. */
static void
take_importer(struct diagnose *d, struct text message)
{
	struct text left, path;

	if (text_starts(message, "Could not resolve ") && text_split_last(message, " in ", &left, &path))
		diagnose_file(d, path);
	else if (text_split_last(message, " from \"", &left, &path) && text_split_last(path, "\"", &path, &left))
		diagnose_file(d, path);
}

static void
take_message(struct diagnose *d, struct text message)
{
	text_skip(&message, "Error: ");
	text_skip(&message, "[vite]: ");
	take_importer(d, message);
	diagnose_message(d, message);
}

/* "[plugin name] path:3:7": the message follows on the next line. */
static void
take_plugin_place(struct diagnose *d, struct text path)
{
	struct place at;

	text_drop(&path, ":undefined:NaN");
	if (text_place(&path, ":", ":", "", &at))
		diagnose_place_from_0(d, at);
	diagnose_file(d, path);
}

/* The head of a box that quotes source: its place counts from 1. Corner and bar come before the bracket. */
static bool
take_box(struct diagnose *d, struct text line)
{
	struct text left, right;
	struct place at;

	if (!text_starts(line, " ") || !text_split(line, "[", &left, &right) || text_has(left, "\u2502") ||
	    !text_split_last(right, "]", &right, &left))
		return false;
	right = text_trim(right);
	if (!text_place(&right, ":", ":", "", &at))
		return false;
	diagnose_file(d, right);
	d->now.at = at;
	return true;
}

/* "Build failed with 2 errors:", perhaps with " ERROR " before it. */
static bool
is_list(struct text line)
{
	line = text_trim(line);
	text_skip(&line, "ERROR  ");
	return text_starts(line, "Build failed with ") && (text_drop(&line, " error:") || text_drop(&line, " errors:"));
}

static bool
begin(struct diagnose *d, struct text line)
{
	const char *tool = d->bundler != NULL ? d->bundler : "rolldown";
	struct text rest, tag, message, path;
	struct place at;

	if (is_list(line)) {
		diagnose_start(d, tool, SEVERITY_ERROR);
		d->stage = LISTED;
		return true;
	}
	if (diagnose_is_quoted(line))
		return false;
	d->stage = SINGLE;
	if (is_tagged(line, &tag, &message) && is_code(tag)) {
		bool fatal = d->failed || text_is(tag, "UNRESOLVED_IMPORT") || text_is(tag, "MISSING_EXPORT");

		diagnose_start(d, tool, fatal ? SEVERITY_ERROR : SEVERITY_WARNING);
	} else if (text_split(line, ") [", &path, &rest) && text_split(rest, "] ", &tag, &message) && is_code(tag) &&
	           text_place(&path, " (", ":", "", &at)) {
		diagnose_start(d, tool, SEVERITY_WARNING);
		diagnose_file(d, path);
		diagnose_place_from_0(d, at);
	} else {
		return false;
	}
	diagnose_code(d, tag);
	take_message(d, message);
	return true;
}

static void
listed(struct diagnose *d, struct text line)
{
	struct text tag, message;

	if (diagnose_is_stack(line)) {
		d->stage = STACK;
	} else if (is_tagged(line, &tag, &message)) {
		bool plugin = text_skip(&tag, "plugin ");

		diagnose_start(d, d->now.tool, SEVERITY_ERROR);
		diagnose_code(d, tag);
		if (plugin)
			take_plugin_place(d, message);
		else
			take_message(d, message);
	} else if (is_thrown(line, &message)) {
		if (d->now.message.len > 0 || d->now.code.len == 0)
			diagnose_start(d, d->now.tool, SEVERITY_ERROR);
		take_message(d, message);
	} else if (d->now.at.line == 0) {
		take_box(d, line);
	}
}

static bool
more(struct diagnose *d, struct text line)
{
	switch (d->stage) {
	case LISTED:
		listed(d, line);
		return true;
	case STACK:
		return line.len == 0 || text_starts(line, " ") || text_starts(line, "}");
	case SINGLE:
		if (take_box(d, line)) {
			d->stage = BOXED;
			return true;
		}
		if (d->now.file.len == 0)
			diagnose_forget(d);
		return false;
	default:
		return text_starts(line, " ");
	}
}

const struct diagnose_family diagnose_rolldown = {begin, more};
