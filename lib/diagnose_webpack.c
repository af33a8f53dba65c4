/* diagnose_webpack - webpack 4 and 5, with what its loaders say: "ERROR in ./path 3:7-12" and lines under it */

#include <string.h>

#include "diagnose_family.h"

enum stage {
	HEADED,  /* a place may follow the header, then the message */
	CHECKED, /* ts-loader gave the place, its message follows */
	LOADER,  /* a loader failed, its own message follows */
	BODY     /* quoted source and where the module was asked for */
};

/* "3:7-12", "1:0-2:0": where it starts, columns from 0. */
static bool
is_location(struct text t, struct place *p)
{
	return text_number(&t, &p->line) && text_skip(&t, ":") && text_number(&t, &p->column) &&
	       (t.len == 0 || t.at[0] == '-' || t.at[0] == ' ');
}

/* "./path 3:7-12", or the location alone. */
static bool
take_location(struct diagnose *d, struct text line)
{
	struct text path, location = line;
	struct place at;

	text_split_last(line, " ", &path, &location);
	if (!is_location(location, &at))
		return false;
	diagnose_place_from_0(d, at);
	return true;
}

/*
 * A module's name is a path that starts with a dot or a slash, perhaps "css " before and, behind it, the loaders that made it in
 * parentheses. Anything else (an entry's name, a plugin's) is no file.
 */
static void
take_module(struct diagnose *d, struct text name)
{
	struct text path = name, left, right;
	struct place at;

	text_skip(&path, "css ");
	if (text_split_last(path, " ", &left, &right) && is_location(right, &at)) {
		diagnose_place_from_0(d, at);
		path = left;
	} else if (text_place(&path, ":", ":", "", &at)) {
		d->now.at = at;
	}
	if (text_split(path, " (", &left, &right) && text_has(right, "!"))
		path = left;
	if (text_starts(path, ".") || text_starts(path, "/"))
		diagnose_file(d, path);
}

static bool
begin(struct diagnose *d, struct text line)
{
	if (text_skip(&line, "ERROR in "))
		diagnose_start(d, "webpack", SEVERITY_ERROR);
	else if (text_skip(&line, "WARNING in "))
		diagnose_start(d, "webpack", SEVERITY_WARNING);
	else {
		d->webpack_4 |= text_starts(line, "Version: webpack 4");
		return false;
	}
	take_module(d, line);
	d->stage = HEADED;
	return true;
}

/* "TS2322: message" */
static bool
take_checked(struct diagnose *d, struct text line)
{
	struct text code, message, digits;
	int64_t number;

	line = digits = text_trim(line);
	if (!text_skip(&digits, "TS") || !text_number(&digits, &number) || !text_split(line, ": ", &code, &message))
		return false;
	d->now.tool = "typescript";
	diagnose_code(d, code);
	diagnose_message(d, message);
	return true;
}

/* "3:7  message", columns from 1: what others than webpack itself write. */
static bool
take_placed_message(struct diagnose *d, struct text line)
{
	struct place at;

	line = text_trim(line);
	if (!text_number(&line, &at.line) || !text_skip(&line, ":") || !text_number(&line, &at.column) ||
	    !text_skip(&line, " ") || text_trim(line).len == 0)
		return false;
	d->now.at = at;
	diagnose_message(d, text_trim(line));
	return true;
}

static void
after_header(struct diagnose *d, struct text line)
{
	struct text path = line;
	struct place at;

	if (text_skip(&path, "[tsl] ERROR in ") && text_place(&path, "(", ",", ")", &at)) {
		diagnose_file(d, path);
		d->now.at = at;
		d->stage = CHECKED;
	} else if (take_checked(d, line)) {
		d->stage = CHECKED;
	} else if (take_placed_message(d, line)) {
		d->stage = BODY;
	} else if (!take_location(d, line)) {
		diagnose_message(d, line);
		d->stage = text_starts(line, "Module build failed (from ") ? LOADER : BODY;
	}
}

/* Babel: "SyntaxError: path: message (3:7)", columns from 0. PostCSS: "(3:7) path message", from 1. */
static void
after_loader(struct diagnose *d, struct text line)
{
	struct text rest = line;
	struct place at;

	if (line.len == 0 || text_is(line, "SyntaxError"))
		return;
	if (text_skip(&rest, "(") && text_number(&rest, &at.line) && text_skip(&rest, ":") &&
	    text_number(&rest, &at.column) && text_skip(&rest, ") "))
		d->now.at = at;
	else if (rest = line, text_place(&rest, "(", ":", ")", &at))
		diagnose_place_from_0(d, at);
	diagnose_forget(d);
	diagnose_message(d, line);
	d->stage = BODY;
}

/* " @ ./path 3:7-12 4:0-3": where the module itself asks for what is missing, as webpack 4 tells it. */
static void
take_origin(struct diagnose *d, struct text line)
{
	size_t len = d->now.file.len;
	struct place at;

	if (d->now.at.line > 0 || len == 0 || !text_skip(&line, " @ ") || line.len <= len ||
	    memcmp(line.at, d->now.file.data, len) != 0)
		return;
	line = (struct text) {line.at + len, line.len - len};
	if (text_skip(&line, " ") && is_location(line, &at))
		diagnose_place_from_0(d, at);
}

static bool
more(struct diagnose *d, struct text line)
{
	if (text_starts(line, "ERROR in ") || text_starts(line, "WARNING in ") ||
	    (text_starts(line, "webpack ") && text_has(line, " compiled ")) || (d->webpack_4 && line.len == 0))
		return false;
	switch (d->stage) {
	case HEADED:
		after_header(d, line);
		break;
	case CHECKED:
		if (d->now.message.len > 0 && text_starts(line, "  "))
			diagnose_message(d, line);
		else if (d->now.message.len > 0 || !take_checked(d, line))
			d->stage = BODY;
		break;
	case LOADER:
		after_loader(d, line);
		break;
	default:
		take_origin(d, line);
	}
	return true;
}

const struct diagnose_family diagnose_webpack = {begin, more};
