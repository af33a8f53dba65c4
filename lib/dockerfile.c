/* dockerfile - a Dockerfile of the subset that builders of sandboxes agree on, as build steps of E2B */

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "dockerfile_parts.h"

int
dockerfile_refuse(struct reader *r, const char *format, ...)
{
	char why[256];
	va_list ap;

	va_start(ap, format);
	vsnprintf(why, sizeof why, format, ap);
	va_end(ap);
	return fault_set(r->fault, STATUS_NO, "dockerfile_refused", "%s:%d: %s", r->name, r->line, why);
}

static bool
take_line(struct reader *r, struct text *line)
{
	struct text rest;

	if (r->left.len == 0)
		return false;
	if (!text_split(r->left, "\n", line, &rest)) {
		*line = r->left;
		rest = (struct text) {NULL, 0};
	}
	r->left = rest;
	r->next++;
	return true;
}

static bool
is_comment(struct text line)
{
	struct text t = text_trim(line);

	return t.len == 0 || t.at[0] == '#';
}

/* Does the line go on? Then without its backslash and what follows that. */
static bool
goes_on(struct text *line)
{
	struct text t = *line;

	while (t.len > 0 && (t.at[t.len - 1] == ' ' || t.at[t.len - 1] == '\t'))
		t.len--;
	if (t.len == 0 || t.at[t.len - 1] != '\\' || (t.len > 1 && t.at[t.len - 2] == '\\'))
		return false;
	line->len = t.len - 1;
	return true;
}

/* The next instruction with its lines joined, as Docker joins them: comments and empty lines between them are none of it. */
static bool
take_instruction(struct reader *r, struct buf *whole)
{
	struct text line;
	bool more = true;

	whole->len = 0;
	do
		if (!take_line(r, &line))
			return false;
	while (is_comment(line));
	for (r->line = r->next; more;) {
		more = goes_on(&line);
		buf_add(whole, line.at, line.len);
		do
			more = more && take_line(r, &line);
		while (more && is_comment(line));
	}
	return true;
}

/* One word of the instruction, up to a blank that is not quoted. */
static int
take_word(struct reader *r, struct text *left, struct buf *to)
{
	char quote = '\0';

	for (; left->len > 0 && (quote != '\0' || !isblank((unsigned char)*left->at)); left->at++, left->len--) {
		char c = *left->at;

		if (c == '\\' || c == '$')
			return dockerfile_refuse(r, "'%c' is understood in RUN and CMD alone", c);
		if (c == quote)
			quote = '\0';
		else if (quote == '\0' && (c == '"' || c == '\''))
			quote = c;
		else
			buf_add(to, &c, 1);
	}
	buf_add(to, "", 1);
	return quote == '\0' ? 0 : dockerfile_refuse(r, "a quote is not closed");
}

int
dockerfile_split(struct reader *r, struct text rest, struct words *w)
{
	size_t at[DOCKERFILE_WORDS], n = 0;

	if (text_starts(rest, "--"))
		return dockerfile_refuse(r, "its options are not understood");
	for (rest = text_trim(rest); rest.len > 0; rest = text_trim(rest)) {
		if (n == DOCKERFILE_WORDS)
			return dockerfile_refuse(r, "more than %d words", DOCKERFILE_WORDS);
		at[n++] = w->text.len;
		if (take_word(r, &rest, &w->text) == -1)
			return -1;
	}
	for (w->count = 0; w->count < n; w->count++)
		w->word[w->count] = w->text.data + at[w->count];
	return n > 0 ? 0 : dockerfile_refuse(r, "nothing follows it");
}

/* Docker would stay root in "/", the service's own clients take "user" in its home. */
static int
check_end(struct reader *r)
{
	if (json_object_get(r->spec, "fromImage") == NULL)
		return dockerfile_refuse(r, "no FROM");
	if (!r->user || !r->workdir)
		return dockerfile_refuse(
		    r, "no %s: Docker and the service would take different ones", r->user ? "WORKDIR" : "USER");
	return 0;
}

static int
check_text(struct reader *r)
{
	json_auto_t *valid = json_stringn(r->left.at, r->left.len);

	r->line = 1;
	if (valid == NULL)
		return dockerfile_refuse(r, "the file is not UTF-8");
	for (size_t i = 0; i < r->left.len; i++) {
		unsigned char c = (unsigned char)r->left.at[i];

		if (c == '\n')
			r->line++;
		else if (iscntrl(c) && c != '\t')
			return dockerfile_refuse(r, "a control character");
	}
	return 0;
}

/* It would give the backslash another meaning. Directives stand before anything else (the Dockerfile reference, parser directives). */
static int
check_directives(struct reader *r)
{
	struct text left = r->left, line, name, value;

	for (r->line = 1; text_split(left, "\n", &line, &left) && text_skip(&line, "#"); r->line++)
		if (text_split(line, "=", &name, &value) && text_trim(name).len == 6 &&
		    strncasecmp(text_trim(name).at, "escape", 6) == 0)
			return dockerfile_refuse(r, "the escape directive is not understood");
	return 0;
}

json_t *
dockerfile_read(const char *name, const char *text, size_t len, struct fault *f)
{
	struct reader r = {.name = name, .left = {text, len}, .fault = f};
	auto_buf struct buf whole = {0};
	int status = check_text(&r) == 0 ? check_directives(&r) : -1;

	r.spec = json_make("{s:[], s:b}", "steps", "force", 0);
	r.steps = json_object_get(r.spec, "steps");
	dockerfile_step(&r, "USER", json_make("[s]", "root"));
	dockerfile_step(&r, "WORKDIR", json_make("[s]", "/"));
	while (status == 0 && take_instruction(&r, &whole))
		status = dockerfile_take(&r, (struct text) {whole.data, whole.len});
	if (status == 0)
		status = check_end(&r);
	if (status == -1)
		json_decref(r.spec);
	return status == 0 ? r.spec : NULL;
}
