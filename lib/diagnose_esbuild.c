/* diagnose_esbuild - esbuild: "[ERROR] message" and the place under it, or all on one line inside other tools' errors */

#include "diagnose_family.h"

enum stage {
	PLACE, /* "    path:3:7:" may follow */
	NOTES, /* quoted source and further places */
	SHORT  /* the block was one line */
};

bool
diagnose_esbuild_short(struct diagnose *d, struct text line)
{
	static const char *const marks[] = {": ERROR: ", ": WARNING: "};

	for (int i = 0; i < 2; i++) {
		struct text left, rest = line, path;
		struct place at;

		while (text_split(rest, marks[i], &left, &rest)) {
			path = (struct text) {line.at, (size_t)(left.at + left.len - line.at)};
			if (!text_place(&path, ":", ":", "", &at) || path.len == 0)
				continue;
			diagnose_start(d, "esbuild", i == 0 ? SEVERITY_ERROR : SEVERITY_WARNING);
			diagnose_file(d, path);
			diagnose_place_from_0(d, at);
			diagnose_message(d, rest);
			diagnose_tell(d);
			return true;
		}
	}
	return false;
}

/* "[direct-eval]", "[plugin name]": what stands behind a message. */
static void
take_tag(struct diagnose *d, struct text *message, enum severity severity)
{
	struct text left, tag = *message;

	if (!text_drop(&tag, "]") || !text_split_last(tag, " [", &left, &tag))
		return;
	if (text_skip(&tag, "plugin ") || severity == SEVERITY_WARNING) {
		diagnose_code(d, tag);
		*message = left;
	}
}

static bool
begin(struct diagnose *d, struct text line)
{
	static const struct {
		const char *mark;
		enum severity severity;
	} marks[] = {
	    {"\u2718 [ERROR] ", SEVERITY_ERROR},
	    {"X [ERROR] ", SEVERITY_ERROR},
	    {"\u25b2 [WARNING] ", SEVERITY_WARNING},
	    {"! [WARNING] ", SEVERITY_WARNING},
	};

	for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
		if (text_skip(&line, marks[i].mark)) {
			diagnose_start(d, "esbuild", marks[i].severity);
			take_tag(d, &line, marks[i].severity);
			diagnose_message(d, line);
			d->stage = PLACE;
			return true;
		}
	d->stage = SHORT;
	return !diagnose_is_quoted(line) && diagnose_esbuild_short(d, line);
}

static bool
more(struct diagnose *d, struct text line)
{
	struct place at;

	if (d->stage == SHORT)
		return false;
	if (d->stage == PLACE && text_skip(&line, "    ")) {
		if (text_place(&line, ":", ":", ":", &at)) {
			diagnose_file(d, line);
			diagnose_place_from_0(d, at);
		}
		d->stage = NOTES;
		return true;
	}
	return line.len == 0 || text_starts(line, " ");
}

const struct diagnose_family diagnose_esbuild = {begin, more};
