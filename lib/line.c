/* line - one JSON object on one line is one run: read it, add to it, pass it on (sbx-line(5)) */

#include <bsd/stdlib.h>
#include <bsd/string.h>
#include <err.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "id.h"
#include "line.h"
#include "stop.h"

/* What was read from stdin and not yet handed out. */
struct input {
	struct buf bytes;
	size_t taken;
	size_t searched; /* no newline before this offset */
	unsigned long lines;
};

static _Noreturn void
malformed(unsigned long number, const char *why)
{
	fflush(stdout);
	errx(STATUS_TROUBLE, "stdin:%lu: %s", number, why);
}

/* A program that notes signals is ended by one here, between two lines, unless it holds on for those that are to come. */
static void
wait_for_input(void)
{
	struct pollfd wait[] = {{STDIN_FILENO, POLLIN, 0}, {stop_fd(), POLLIN, 0}};

	do {
		if (stop_pending())
			exit(cli_end(128 + stop_signal()));
		poll(wait, 2, -1);
	} while (wait[0].revents == 0);
}

/* More bytes into the buffer; false at the end of input. Output goes out first, since this may wait. */
static bool
fill(struct input *in)
{
	ssize_t n;

	if (in->taken > 0) {
		in->bytes.len -= in->taken;
		memmove(in->bytes.data, in->bytes.data + in->taken, in->bytes.len);
		in->searched -= in->taken;
		in->taken = 0;
	}
	if (fflush(stdout) == EOF)
		exit(cli_end(STATUS_TROUBLE));
	wait_for_input();
	do
		n = read(STDIN_FILENO, buf_reserve(&in->bytes, 65536), 65536);
	while (n == -1 && errno == EINTR);
	if (n == -1)
		err(STATUS_TROUBLE, "stdin");
	in->bytes.len += (size_t)n;
	return n > 0;
}

/* The next line without its newline, borrowed until the next call; NULL at the end. */
static const char *
next_text(struct input *in, size_t *len)
{
	for (;;) {
		const char *start = in->bytes.data + in->taken;
		const char *newline = memchr(start + (in->searched - in->taken), '\n', in->bytes.len - in->searched);

		*len = newline != NULL ? (size_t)(newline - start) : in->bytes.len - in->taken;
		if (*len > LINE_MAX_BYTES)
			malformed(in->lines + 1, "longer than 1 MiB");
		if (newline != NULL) {
			in->lines++;
			in->taken += *len + 1;
			in->searched = in->taken;
			return start;
		}
		in->searched = in->bytes.len;
		if (!fill(in)) {
			if (in->bytes.len > in->taken)
				malformed(in->lines + 1, "cut: the last line has no newline");
			return NULL;
		}
	}
}

bool
line_take(struct line *l, const char *text, size_t len, char *why)
{
	const json_t *error;
	int64_t status;

	l->root = json_parse(text, len, why);
	if (l->root == NULL)
		return false;
	error = json_object_get(l->root, "error");
	status = json_int_at(error, "status", 0);
	if (json_int_at(l->root, "sbx", 0) != 1)
		strlcpy(why, "not an sbx line: it has no \"sbx\":1", JSON_ERROR_TEXT_LENGTH);
	else if (error != NULL && (status < 1 || status > 255))
		strlcpy(why, "its error has no status from 1 to 255", JSON_ERROR_TEXT_LENGTH);
	else {
		l->text.len = 0;
		buf_add(&l->text, text, len);
		return true;
	}
	json_decref(l->root);
	l->root = NULL;
	return false;
}

static bool
read_line(struct input *in, struct line *l)
{
	char why[JSON_ERROR_TEXT_LENGTH];
	size_t len;
	const char *text = next_text(in, &len);

	json_decref(l->root);
	l->root = NULL;
	if (text == NULL)
		return false;
	l->number = in->lines;
	if (!line_take(l, text, len, why))
		malformed(l->number, why);
	return true;
}

static bool
has_room(const struct line_stage *s, const struct line *l, struct fault *f)
{
	for (const char *const *m = s->members; *m != NULL; m++)
		if (json_object_get(l->root, *m) != NULL) {
			fault_set(
			    f, STATUS_TROUBLE, "member_exists", "stdin:%lu: \"%s\" is there already", l->number, *m);
			return false;
		}
	return true;
}

static int
work_on(const struct line_stage *s, struct line *l, void *context)
{
	int status = (int)json_int_at(l->root, "error.status", STATUS_YES);
	struct fault f = {0};

	if (status == STATUS_YES || s->always) {
		int answer = has_room(s, l, &f) ? s->work(l, context, &f) : -1;

		if (answer == -1)
			line_fail(l, &f);
		status = status_worse(status, answer == -1 ? f.status : answer);
	}
	fault_clear(&f);
	if (!s->silent)
		line_emit(l);
	return status;
}

int
line_each(const struct line_stage *s, void *context)
{
	int status = STATUS_YES;
	struct input in = {0};
	struct line l = {0};

	buf_add(&in.bytes, "", 0);
	while (read_line(&in, &l))
		status = status_worse(status, work_on(s, &l, context));
	if (in.lines == 0)
		errx(STATUS_TROUBLE, "stdin: no line came: start a chain with sbx-resolve");
	buf_free(&in.bytes);
	buf_free(&l.text);
	return cli_end(status);
}

void
line_start(struct line *l, const char *run)
{
	*l = (struct line) {.root = json_make("{s:i, s:s}", "sbx", 1, "run", run)};
	json_add_text(&l->text, l->root);
}

void
line_add(struct line *l, const char *member, json_t *value)
{
	auto_buf struct buf added = {0};
	size_t brace = l->text.len;

	while (l->text.data[--brace] != '}')
		;
	if (json_object_size(l->root) > 0)
		buf_text(&added, ",");
	buf_printf(&added, "\"%s\":", member);
	json_add_text(&added, value);
	buf_insert(&l->text, brace, added.data, added.len);
	if (json_object_set_new(l->root, member, value) == -1)
		errx(STATUS_TROUBLE, "memory");
}

void
line_fail(struct line *l, const struct fault *f)
{
	json_t *error;

	cli_warn("%s", f->message);
	if (json_object_get(l->root, "error") != NULL)
		return;
	error = json_make("{s:s, s:s, s:s, s:i}", "by", getprogname(), "reason", f->reason, "message", f->message,
	    "status", f->status);
	if (f->retry_after_ms > 0)
		json_object_set_new(error, "retry_after_ms", json_integer(f->retry_after_ms));
	if (f->detail != NULL)
		json_object_update_missing(error, f->detail);
	line_add(l, "error", error);
}

void
line_emit(const struct line *l)
{
	fwrite(l->text.data, 1, l->text.len, stdout);
	putchar('\n');
}

const char *
line_run(const struct line *l, struct fault *f)
{
	const char *run = json_text_at(l->root, "run");

	if (run != NULL && id_is_hex(run, ID_RUN))
		return run;
	fault_set(
	    f, STATUS_TROUBLE, "run_missing", "stdin:%lu: \"run\" is not %d lower-case hex digits", l->number, ID_RUN);
	return NULL;
}

const char *
line_purpose(const struct line *l, struct fault *f)
{
	static const char *const known[] = {"app_validation", "artifact_preview", "sealed_candidate_preview"};
	const json_t *given = json_object_get(l->root, "purpose");
	const char *purpose = given == NULL ? known[0] : json_string_value(given);

	for (size_t i = 0; purpose != NULL && i < sizeof known / sizeof *known; i++)
		if (strcmp(purpose, known[i]) == 0)
			return known[i];
	fault_set(f, STATUS_TROUBLE, "purpose_unknown", "stdin:%lu: purpose '%s' is not one of %s, %s, %s", l->number,
	    purpose == NULL ? "(not text)" : purpose, known[0], known[1], known[2]);
	return NULL;
}
