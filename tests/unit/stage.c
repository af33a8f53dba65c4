/* stage - a parser that was taken over can lie, and is not believed: here it does all it can */

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fd.h"
#include "path.h"
#include "report.h"
#include "stage_parts.h"
#include "x.h"

#define check(condition, what) ((condition) ? (void)0 : fail(#condition, what, __LINE__))

static char dir[] = "/tmp/sbx-unit-stage.XXXXXX";

static _Noreturn void
fail(const char *condition, const char *what, int line)
{
	fprintf(stderr, "stage.c:%d: %s: not so: %s\n", line, what, condition);
	exit(1);
}

/* What the child of this try tells, in the place of stage_parse.c. */
static void (*lie)(int data, struct buf *report);

void
stage_parse(int data, int report, void *context)
{
	struct buf told = {0};

	(void)context;
	buf_text(&told, "");
	lie(data, &told);
	fd_write(report, told.data, told.len);
}

static void
tell_file(struct buf *b, const char *name, uint64_t size)
{
	static const uint8_t digest[DIGEST_BYTES];

	report_file(b, &(struct plan_item) {.name = name, .name_len = strlen(name), .size = size}, digest);
}

static void
tell_done(struct buf *b, const char *app_id)
{
	struct pack_result result = {.has_app_id = app_id != NULL};

	if (app_id != NULL)
		strcpy(result.app_id, app_id);
	report_done(b, &result);
}

static void
the_truth(int data, struct buf *b)
{
	fd_write(data, "tar", 3);
	tell_file(b, "a", 1);
	tell_file(b, "b", 2);
	tell_done(b, "id");
}

static void
nothing(int data, struct buf *b)
{
	(void)data, (void)b;
}

static void
no_end(int data, struct buf *b)
{
	(void)data;
	tell_file(b, "a", 1);
}

static void
two_ends(int data, struct buf *b)
{
	(void)data;
	tell_done(b, NULL);
	tell_done(b, NULL);
}

static void
a_file_after_the_end(int data, struct buf *b)
{
	(void)data;
	tell_done(b, NULL);
	tell_file(b, "a", 1);
}

static void
half_a_message(int data, struct buf *b)
{
	the_truth(data, b);
	buf_add(b, "\0\0\0", 4);
}

static void
noise(int data, struct buf *b)
{
	(void)data;
	for (int i = 0; i < 1000; i++)
		buf_add(b, &i, 1);
}

static void
a_name_that_leads_out(int data, struct buf *b)
{
	(void)data;
	tell_file(b, "../../etc/passwd", 1);
	tell_done(b, NULL);
}

static void
an_absolute_name(int data, struct buf *b)
{
	(void)data;
	tell_file(b, "/etc/passwd", 1);
	tell_done(b, NULL);
}

static void
no_text(int data, struct buf *b)
{
	(void)data;
	tell_file(b, "\xff", 1);
	tell_done(b, NULL);
}

static void
one_file_twice(int data, struct buf *b)
{
	(void)data;
	tell_file(b, "a", 1);
	tell_file(b, "a", 1);
	tell_done(b, NULL);
}

static void
another_order(int data, struct buf *b)
{
	(void)data;
	tell_file(b, "b", 1);
	tell_file(b, "a", 1);
	tell_done(b, NULL);
}

static void
too_large(int data, struct buf *b)
{
	(void)data;
	tell_file(b, "a", UINT64_MAX);
	tell_done(b, NULL);
}

static void
too_large_together(int data, struct buf *b)
{
	(void)data;
	tell_file(b, "a", 1000);
	tell_file(b, "b", 1000);
	tell_file(b, "c", 1000);
	tell_done(b, NULL);
}

static void
too_many(int data, struct buf *b)
{
	char name[8];

	(void)data;
	for (int i = 0; i < 11; i++) {
		snprintf(name, sizeof name, "%c", 'a' + i);
		tell_file(b, name, 0);
	}
	tell_done(b, NULL);
}

static void
an_app_id_that_is_no_text(int data, struct buf *b)
{
	(void)data;
	tell_done(b, "\xff\xfe");
}

static void
an_app_id_that_is_too_long(int data, struct buf *b)
{
	struct report_head head = {.kind = REPORT_DONE, .text_len = 4000, .other_len = REPORT_ABSENT};

	(void)data;
	buf_add(b, &head, sizeof head);
	for (int i = 0; i < 4000; i++)
		buf_text(b, "a");
}

static void
an_unknown_rule(int data, struct buf *b)
{
	struct refusal r = {.rule = RULE_COUNT};

	(void)data;
	report_refused(b, &r);
}

static void
no_rule(int data, struct buf *b)
{
	struct refusal r = {.rule = RULE_NONE};

	(void)data;
	report_refused(b, &r);
}

static void
an_endless_tar(int data, struct buf *b)
{
	static const char piece[65536];

	(void)b;
	while (fd_write(data, piece, sizeof piece) == 0)
		;
}

static void
a_crash(int data, struct buf *b)
{
	the_truth(data, b);
	raise(SIGSEGV);
}

static const struct {
	const char *what;
	void (*lie)(int data, struct buf *report);
} lies[] = {
    {"nothing", nothing},
    {"no end", no_end},
    {"two ends", two_ends},
    {"a file after the end", a_file_after_the_end},
    {"half a message", half_a_message},
    {"noise", noise},
    {"a name that leads out", a_name_that_leads_out},
    {"an absolute name", an_absolute_name},
    {"a name that is no text", no_text},
    {"one file twice", one_file_twice},
    {"another order", another_order},
    {"a file too large", too_large},
    {"files too large together", too_large_together},
    {"too many files", too_many},
    {"an app id that is no text", an_app_id_that_is_no_text},
    {"an app id that is too long", an_app_id_that_is_too_long},
    {"an unknown rule", an_unknown_rule},
    {"no rule", no_rule},
    {"an endless tar", an_endless_tar},
    {"a crash", a_crash},
};

/* Stage with the parser that tells that; the archive is any file. */
static int
stage(void (*with)(int, struct buf *), json_t **bundle, struct fault *f)
{
	const struct profile profile = {.name = "unit", .limits = {1000000, 10, 1500, 2000, 200}};
	const struct stage_request q = {"/etc/passwd", NULL, dir, &profile};

	lie = with;
	return stage_bundle(&q, bundle, f);
}

static bool
is_empty(void)
{
	/* rmdir(2) takes empty directories only. */
	return rmdir(dir) == 0 && mkdir(dir, 0700) == 0;
}

int
main(void)
{
	struct fault f = {0};
	json_t *bundle;

	check(mkdtemp(dir) != NULL, dir);
	for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
		check(stage(lies[i].lie, &bundle, &f) == -1, lies[i].what);
		check(strcmp(f.reason, "parser_died") == 0 && f.status == STATUS_TROUBLE, lies[i].what);
		check(is_empty(), lies[i].what);
		fault_clear(&f);
	}
	check(stage(the_truth, &bundle, &f) == 0, "the truth");
	check(json_int_at(bundle, "files", 0) == 2 && json_int_at(bundle, "total_bytes", 0) == 3, "the truth");
	json_decref(bundle);
	return path_remove(dir, &f) == 0 ? 0 : 1;
}
