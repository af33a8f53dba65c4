/* diagnose_rollup - Rollup, and Vite up to 7 around it: "path (3:7): message", or "[!] " and "file: path:3:7" around one */

#include <string.h>

#include "diagnose_family.h"

enum stage {
	OPENED, /* "error during build:", its headline follows */
	BODY,   /* its place, quoted source, a stack trace */
	STACK,  /* what is left of that */
	ALONE   /* a message without all that; "file: " may follow */
};

/* What can't be resolved or loaded is the importer's to repair: `from "path"`, `from path`, `(imported by path)`. */
static bool
take_importer(struct diagnose *d, struct text message)
{
	static const char *const starts[] = {"Rollup failed to resolve import ", "Rolldown failed to resolve import ",
	    "Could not resolve ", "Could not load "};
	struct text left, right;
	size_t i = 0;

	while (!text_starts(message, starts[i]))
		if (++i == sizeof starts / sizeof *starts)
			return false;
	if (text_split(message, " (imported by ", &left, &right))
		text_split(right, ")", &right, &left);
	else if (text_split_last(message, " from \"", &left, &right))
		text_split_last(right, "\"", &right, &left);
	else if (!text_split_last(message, " from ", &left, &right))
		return false;
	diagnose_file(d, right);
	return true;
}

/* "path (3:7): message", columns from 0. */
static bool
take_place(struct diagnose *d, struct text *message)
{
	struct text left, rest = *message, path;
	struct place at;

	while (text_split(rest, "): ", &left, &rest)) {
		path = (struct text) {message->at, (size_t)(left.at + left.len - message->at)};
		if (!text_place(&path, " (", ":", "", &at) || path.len == 0)
			continue;
		diagnose_file(d, path);
		diagnose_place_from_0(d, at);
		*message = rest;
		return true;
	}
	return false;
}

/* "[vite:json] ", "[plugin vite:json] " or "(plugin json) " before a message: who spoke. */
static void
take_plugin(struct diagnose *d, struct text *message, const char *open, const char *close)
{
	struct text name, rest = *message;

	if (!text_skip(&rest, open) || !text_split(rest, close, &name, &rest))
		return;
	text_skip(&name, "plugin ");
	diagnose_code(d, name);
	*message = rest;
}

/* "RollupError: ", "SyntaxError: ", "Error: " */
static void
skip_class(struct text *message)
{
	struct text class, rest;

	if (text_split(*message, ": ", &class, &rest) && text_drop(&class, "Error") && !text_has(class, " "))
		*message = rest;
}

static void
headline(struct diagnose *d, struct text message)
{
	text_skip(&message, "[vite]: ");
	take_plugin(d, &message, "(plugin ", ") ");
	skip_class(&message);
	take_plugin(d, &message, "[", "] ");
	take_plugin(d, &message, "[plugin ", "] ");
	if (!take_place(d, &message))
		take_importer(d, message);
	/* "Transform failed with 2 errors:" is none itself. */
	if (!text_has(message, " failed with "))
		diagnose_message(d, message);
}

/* A line on its own that says what could not be resolved, or warns with a place while Vite builds. */
static bool
alone(struct diagnose *d, struct text line)
{
	const char *tool = d->bundler != NULL ? d->bundler : "rollup";

	if (text_skip(&line, "[vite]: "))
		tool = "vite";
	skip_class(&line);
	diagnose_start(d, tool, SEVERITY_ERROR);
	if (!take_importer(d, line)) {
		d->now.severity = SEVERITY_WARNING;
		if (d->bundler == NULL || !take_place(d, &line))
			return false;
	}
	diagnose_message(d, line);
	d->stage = ALONE;
	return true;
}

static bool
begin(struct diagnose *d, struct text line)
{
	if (text_starts(line, "error during build:") || (text_starts(line, "vite v") && text_has(line, " building ")))
		d->bundler = "vite";
	if (text_starts(line, "error during build:")) {
		d->failed = true;
		diagnose_start(d, "vite", SEVERITY_ERROR);
		d->stage = OPENED;
		return true;
	}
	if (text_skip(&line, "[!] ")) {
		diagnose_start(d, "rollup", SEVERITY_ERROR);
		headline(d, line);
		d->stage = BODY;
		return true;
	}
	return !diagnose_is_quoted(line) && alone(d, line);
}

/* Before the message, the path may stand again, relative. */
static void
drop_path(struct diagnose *d, struct text path)
{
	struct text whole = {d->now.message.data, d->now.message.len}, relative, message;

	if (whole.len > 0 && text_split(whole, ": ", &relative, &message) && relative.len > 0 &&
	    relative.len < path.len && memcmp(path.at + path.len - relative.len, relative.at, relative.len) == 0) {
		memmove(d->now.message.data, message.at, message.len);
		d->now.message.len = message.len;
	}
}

/* Vite's "file: path:3:7", perhaps with " (importer)" behind. */
static void
take_file(struct diagnose *d, struct text path)
{
	struct text place, importer;
	struct place at = {0};

	text_drop(&path, ":undefined:NaN");
	if (text_split_last(path, " (", &place, &importer) && text_drop(&importer, ")") &&
	    text_place(&place, ":", ":", "", &at))
		path = place;
	if (at.line > 0 || text_place(&path, ":", ":", "", &at))
		diagnose_place_from_0(d, at);
	diagnose_file(d, path);
	drop_path(d, path);
}

static bool
body(struct diagnose *d, struct text line)
{
	struct text path = line;
	struct place at;

	if (diagnose_is_stack(line)) {
		d->stage = STACK;
	} else if (text_skip(&path, "file: ")) {
		take_file(d, path);
	} else if (diagnose_is_quoted(line)) {
		;
	} else if (d->now.at.line == 0 && text_place(&path, " (", ":", ")", &at)) {
		diagnose_file(d, path);
		diagnose_place_from_0(d, at);
	} else if (d->now.message.len == 0) {
		diagnose_esbuild_short(d, line);
	}
	return true;
}

static bool
more(struct diagnose *d, struct text line)
{
	struct text path = line;

	switch (d->stage) {
	case OPENED:
		if (text_starts(line, "Build failed with ") || diagnose_is_coded(line))
			return false;
		if (line.len > 0) {
			headline(d, line);
			d->stage = BODY;
		}
		return true;
	case BODY:
		return body(d, line);
	case STACK:
		return line.len == 0 || text_starts(line, " ") || text_starts(line, "}");
	default:
		if (!text_skip(&path, "file: "))
			return false;
		take_file(d, path);
		return true;
	}
}

const struct diagnose_family diagnose_rollup = {begin, more};
