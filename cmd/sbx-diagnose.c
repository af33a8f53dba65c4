/* sbx-diagnose - find what compilers and bundlers complain of, and whose file it is */

#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bundle.h"
#include "ci.h"
#include "cli.h"
#include "diagnosis.h"
#include "findings.h"
#include "lexical.h"
#include "setting.h"
#include "x.h"

enum {
	LOG_ROOM = 1 << 20 /* bytes of errors: several times what any CI system shows */
};

static const char *cwd, *root, *manifest, *format_name;

static const struct cli_option options[] = {
    {'f', "format", "FORMAT", "write jsonl, sarif, junit or github instead of lines", cli_text, &format_name},
    {'C', "cwd", "DIR", "LOG: where the tool ran", cli_text, &cwd},
    {'R', "root", "DIR", "LOG: which directory holds the bundle's files", cli_text, &root},
    {'m', "manifest", "FILE", "LOG: which files those are, as sbx-stage wrote it down", cli_text, &manifest},
    {0},
};

struct show {
	const struct ci_format *format; /* NULL: lines */
	const char *state;
	struct buf text; /* the document so far: it is written whole or not at all */
	bool begun;
};

static void
show_report(struct show *s, const char *name, const json_t *findings, const json_t *line)
{
	if (!s->begun)
		s->format->begin(&s->text);
	s->format->add(&s->text, &(struct ci_report) {name, findings, line}, !s->begun);
	s->begun = true;
}

/* Write it all, and end with STATUS. */
static int
show_end(struct show *s, int status)
{
	s->format->end(&s->text);
	if (s->text.len > 0)
		fwrite(s->text.data, 1, s->text.len, stdout);
	buf_free(&s->text);
	return cli_end(status);
}

static int
add_diagnostics(struct line *l, void *context, struct fault *f)
{
	const struct show *s = context;
	json_t *list;

	if (diagnosis_of(l, s->state, &list, f) == -1)
		return -1;
	if (list != NULL)
		line_add(l, "diagnostics", list);
	return 0;
}

/* The diagnostics that the line has, as the run's files may be gone by now; else what its steps printed. */
static int
show_line(struct line *l, void *context, struct fault *f)
{
	const char *run = json_text_at(l->root, "run");
	json_t *list = json_incref(json_object_get(l->root, "diagnostics")), *findings;
	struct show *s = context;
	int status = STATUS_YES;

	if (list == NULL && diagnosis_of(l, s->state, &list, f) == -1) {
		line_fail(l, f);
		status = f->status;
	}
	findings = ci_findings(l->root, list);
	show_report(s, run != NULL ? run : "unnamed", findings, l->root);
	json_decref(findings);
	json_decref(list);
	return status;
}

static char *
absolute(const char *dir, const char *option)
{
	auto_buf struct buf path = {0};

	if (dir == NULL)
		return NULL;
	if (*dir != '/')
		cli_usage("--%s: '%s' is not absolute", option, dir);
	lexical_resolve(&path, "/", text_of(dir));
	return x_steal(path.data);
}

static int
show_log(struct show *s, const char *name)
{
	auto_close int fd = strcmp(name, "-") == 0 ? dup(STDIN_FILENO) : open(name, O_RDONLY | O_CLOEXEC);
	auto_free char *top = absolute(root, "root"), *where = absolute(cwd, "cwd");
	struct findings found = {.root = top, .cwd = where, .room = LOG_ROOM};
	json_t *files = NULL, *staged = NULL, *list, *label = json_lossy(name, strlen(name));
	struct fault f = {0};

	if (fd == -1)
		err(STATUS_TROUBLE, "%s", name);
	if (manifest != NULL &&
	    ((files = bundle_manifest_at(manifest, &f)) == NULL || (staged = findings_staged(files, &f)) == NULL))
		errx(f.status, "%s", f.message);
	found.staged = staged;
	if (findings_read(&found, fd) == -1)
		err(STATUS_TROUBLE, "%s", name);
	list = findings_end(&found);
	show_report(s, json_string_value(label), list, NULL);
	json_decref(list);
	json_decref(files);
	json_decref(staged);
	json_decref(label);
	return STATUS_YES;
}

int
main(int argc, char *argv[])
{
	static const struct cli cli = {SBX_TITLE, "\nLOG|-", options, .command = false};
	static const struct line_stage adding = {{"diagnostics"}, .work = add_diagnostics};
	static const struct line_stage showing = {{NULL}, .always = true, .silent = true, .work = show_line};
	struct show s = {0};

	cli_parse(&cli, &argc, &argv);
	if (format_name != NULL && (s.format = ci_find(format_name)) == NULL)
		cli_usage("--format is jsonl, sarif, junit or github, not '%s'", format_name);

	if (argc > 1)
		cli_usage("it takes one log, or lines when there is none");
	if (argc == 0 && (cwd != NULL || root != NULL || manifest != NULL))
		cli_usage("--cwd, --root and --manifest go with a log: lines tell all that themselves");

	if (argc == 1) {
		s.format = s.format != NULL ? s.format : ci_find("jsonl");
		return show_end(&s, show_log(&s, argv[0]));
	}
	s.state = setting_state();
	if (s.format == NULL)
		return line_each(&adding, &s);
	return show_end(&s, line_each(&showing, &s));
}
