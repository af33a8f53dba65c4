/* show - evidence, written for people */

#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "plain.h"
#include "record.h"
#include "show.h"

enum {
	TEXT_SHOWN = 2000 /* bytes of one line of text */
};

/* At most MOST bytes of it, in at least WIDTH columns. */
static void
print_plain(const char *text, size_t most, int width)
{
	auto_buf struct buf plain = {0};

	if (text != NULL)
		plain_add(&plain, text, strnlen(text, most), TEXT_SHOWN);
	printf("%-*s", width, plain.len > 0 ? plain.data : "-");
}

void
show_heading(void)
{
	printf("%6s  %-24s  %-27s  %-9s%-9s%-9s%s\n", "SEQ", "TIME", "ID", "STATUS", "STRATEGY", "PROVIDER", "SESSION");
}

int
show_row(const struct store_row *row, void *context, struct fault *f)
{
	char time[CLOCK_TEXT];

	(void)context;
	(void)f;
	clock_format(store_row_integer(row, RECORD_TIME), time);
	printf("%6lld  %s  %s  ", (long long)store_row_integer(row, RECORD_SEQ), time, store_row_text(row, RECORD_ID));
	for (int column = RECORD_STATUS; column <= RECORD_PROVIDER; column++)
		print_plain(store_row_text(row, column), 8, 9);
	print_plain(store_row_text(row, RECORD_SESSION), 12, 0);
	putchar('\n');
	return 0;
}

static void
print_field(const char *label, const json_t *value)
{
	if (value == NULL || json_is_null(value))
		return;
	printf("%-10s ", label);
	if (json_is_integer(value))
		printf("%lld", (long long)json_integer_value(value));
	else
		print_plain(json_string_value(value), TEXT_SHOWN, 0);
	putchar('\n');
}

static void
print_fields(const char *label, const json_t *array)
{
	const json_t *value;
	size_t i;

	json_array_foreach (array, i, value) {
		print_field(label, value);
	}
}

/* The white space that a line starts with is kept, since compilers point at columns. */
static void
print_output(const char *output)
{
	while (output != NULL && *output != '\0') {
		size_t len = strcspn(output, "\n"), indent = strspn(output, " \t");

		printf("| %.*s", (int)indent, output);
		print_plain(output + indent, len - indent, 0);
		putchar('\n');
		output += len + (output[len] == '\n');
	}
}

static void
print_step(const char *label, const json_t *step, const char *says)
{
	printf("%-10s ", label);
	print_plain(json_text_at(step, "status"), TEXT_SHOWN, 9);
	printf("%7lld ms  ", (long long)json_int_at(step, "duration_ms", 0));
	print_plain(json_text_at(step, says), TEXT_SHOWN, 0);
	putchar('\n');
}

static void
print_steps(const json_t *line)
{
	const json_t *smoke = json_object_get(line, "smoke"), *step;
	size_t i;

	if (smoke != NULL)
		print_step("smoke", smoke, "message");
	json_array_foreach (json_object_get(line, "steps"), i, step)
		print_step("step", step, "title");
}

static void
print_text(const json_t *line, const char *status)
{
	static const struct {
		const char *label, *path;
	} fields[] = {{"record", "record.id"}, {"number", "record.seq"}, {"time", "record.time"}, {"run", "run"},
	    {"purpose", "purpose"}, {"bundle", "bundle.path"}, {"", "bundle.sha256"}, {"profile", "bundle.profile"},
	    {"strategy", "strategy.name"}, {"", "strategy.reason"}, {"provider", "sandbox.provider"},
	    {"session", "sandbox.id"}, {"teardown", "teardown.result"}, {"readiness", "verdict.readiness"},
	    {"error", "error.message"}};

	printf("%-10s ", "status");
	print_plain(status, TEXT_SHOWN, 0);
	putchar('\n');
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
		print_field(fields[i].label, json_at(line, fields[i].path));
	print_steps(line);
	print_fields("wrong", json_at(line, "result.errors"));
	print_fields("warning", json_at(line, "result.warnings"));
	print_fields("claimed", json_at(line, "verdict.claims"));
	print_fields("unclaimed", json_at(line, "verdict.not_claimed"));
	print_output(json_text_at(line, "result.build_output"));
}

int
show_record(const struct store_row *row, struct fault *f)
{
	const char *text = store_row_text(row, RECORD_LINE);
	char why[JSON_ERROR_TEXT_LENGTH];
	json_auto_t *line = json_parse(text, strlen(text), why);

	if (line == NULL)
		return fault_set(f, STATUS_TROUBLE, "record_altered", "%s: its line is none any more: %s",
		    store_row_text(row, RECORD_ID), why);
	print_text(line, store_row_text(row, RECORD_STATUS));
	return 0;
}

void
show_chain(const struct chain *c, const json_t *breaks)
{
	const json_t *b;
	size_t i;

	json_array_foreach (breaks, i, b) {
		if (json_object_get(b, "id") != NULL) {
			printf("record %lld, ", (long long)json_int_at(b, "seq", 0));
			print_plain(json_text_at(b, "id"), TEXT_SHOWN, 0);
			printf(": ");
		}
		printf("%s: ", json_text_at(b, "kind"));
		print_plain(json_text_at(b, "message"), TEXT_SHOWN, 0);
		putchar('\n');
	}
	printf("%s: %lld record%s", c->breaks == 0 ? "whole" : "broken", (long long)c->records,
	    c->records == 1 ? "" : "s");
	if (c->records > 0)
		printf(", the last is %lld %s with the SHA-256 %s", (long long)c->seq, c->id, c->sha256);
	putchar('\n');
}
