/* sbx-record - keep lines as evidence in a chained ledger, find them again, verify the chain */

#include <bsd/stdlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chain.h"
#include "cli.h"
#include "clock.h"
#include "id.h"
#include "record.h"
#include "setting.h"
#include "show.h"
#include "trim.h"

static struct record_filter wanted;
static const char *head;
static bool json;
static struct store *store;

static const struct cli_option options[] = {
    {0, "status", "WORD", "list: only that status: passed, failed, skipped or pending", cli_text, &wanted.status},
    {0, "strategy", "WORD", "list: only that strategy", cli_text, &wanted.strategy},
    {0, "session", "ID", "list: only that sandbox", cli_text, &wanted.session},
    {0, "provider", "NAME", "list: only that provider", cli_text, &wanted.provider},
    {0, "run", "ID", "list: only that run", cli_text, &wanted.run},
    {0, "head", "SHA256", "verify: the record with that SHA-256 must be in the chain", cli_text, &head},
    {0, "json", NULL, "list, show and verify: print JSON", cli_flag, &json},
    {0},
};

static int64_t
characters_to_keep(void)
{
	const char *text = setting_text("APP_VALIDATION_BUILD_OUTPUT_MAX_CHARS", NULL), *wrong = NULL;
	int64_t most = text == NULL ? TRIM_DEFAULT : strtonum(text, INT64_MIN, INT64_MAX, &wrong);

	return wrong == NULL ? most : TRIM_DEFAULT;
}

static int
keep(struct line *l, void *context, struct fault *f)
{
	struct fault why = {0};

	trim_output(l, *(int64_t *)context);
	if (store == NULL && (store = store_open(setting_store(), &why)) == NULL) {
		fault_fill(f, STATUS_DOUBT, "record_not_stored", "record: not stored: %s", why.message);
		return -1;
	}
	if (record_append(store, l, clock_deadline(STORE_WAIT_MS), f) == -1)
		return -1;
	return record_status(l->root);
}

static int
filter(void)
{
	static const struct line_stage stage = {.members = {"record"}, .always = true, .work = keep};
	int64_t most = characters_to_keep();
	int status;

	setting_store();
	status = line_each(&stage, &most);
	store_close(store);
	return status;
}

static int
print_line(const struct store_row *row, void *context, struct fault *f)
{
	(void)context;
	(void)f;
	puts(store_row_text(row, RECORD_LINE));
	return 0;
}

static int
list(const char *operand, struct fault *f)
{
	(void)operand;
	if (!json)
		show_heading();
	return record_each(store, &wanted, json ? print_line : show_row, NULL, f);
}

static int
print_record(const struct store_row *row, void *context, struct fault *f)
{
	*(bool *)context = true;
	return json ? print_line(row, NULL, f) : show_record(row, f);
}

static int
find(const char *id, struct fault *f)
{
	struct record_filter only = {.id = id};
	bool found = false;

	if (record_each(store, &only, print_record, &found, f) == -1)
		return -1;
	return found ? 0 : fault_set(f, STATUS_NO, "record_missing", "%s: no such record", id);
}

static void
see_break(const struct chain_break *b, void *context)
{
	json_t *breaks = context, *one = json_make("{s:s, s:s}", "kind", b->kind, "message", b->text);

	if (b->id != NULL) {
		json_object_set_new(one, "seq", json_integer(b->seq));
		json_object_set_new(one, "id", json_lossy(b->id, strlen(b->id)));
	}
	json_array_append_new(breaks, one);
}

static int
verify(const char *operand, struct fault *f)
{
	json_auto_t *breaks = json_array();
	struct chain chain;

	(void)operand;
	if (chain_verify(store, head, see_break, breaks, &chain, f) == -1)
		return -1;
	if (json) {
		json_auto_t *answer = json_make("{s:b, s:I, s:O}", "whole", chain.breaks == 0, "records",
		    (json_int_t)chain.records, "breaks", breaks);

		if (chain.records > 0)
			json_object_set_new(answer, "head",
			    json_make("{s:I, s:s, s:s}", "seq", (json_int_t)chain.seq, "id", chain.id, "sha256",
			        chain.sha256));
		json_print(answer);
	} else {
		show_chain(&chain, breaks);
	}
	return chain.breaks == 0 ? STATUS_YES : STATUS_NO;
}

static const struct verb {
	const char *name;
	int (*work)(const char *operand, struct fault *);
	bool takes_id;
} verbs[] = {{"list", list, false}, {"show", find, true}, {"verify", verify, false}};

static const struct verb *
find_verb(const char *name)
{
	for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
		if (strcmp(name, verbs[i].name) == 0)
			return &verbs[i];
	cli_usage("'%s' is none of list, show and verify", name);
}

static void
check_operands(const struct verb *v, int argc, char *argv[])
{
	if (argc != 1 + v->takes_id)
		cli_usage(v->takes_id ? "%s takes the id of one record" : "%s takes no operand", v->name);
	if (v->takes_id && !record_is_id(argv[1]))
		cli_usage("'%s' is no record's id: av_ and %d hex digits", argv[1], RECORD_ID_LENGTH - 3);
}

/* Options that would be passed over in silence are refused. */
static void
check_options(const char *verb)
{
	static const struct record_filter none;

	if (memcmp(&wanted, &none, sizeof none) != 0 && strcmp(verb, "list") != 0)
		cli_usage("only list selects records");
	if (head != NULL && strcmp(verb, "verify") != 0)
		cli_usage("--head goes with verify");
	if (head != NULL && !id_is_hex(head, DIGEST_TEXT - 1))
		cli_usage("--head takes the sha256 of a record, 64 lower-case hex digits");
	if (json && *verb == '\0')
		cli_usage("--json goes with list, show and verify: a line is JSON anyway");
}

static int
look(const struct verb *v, const char *operand)
{
	struct fault f = {0};
	int status = -1;

	if ((store = store_open(setting_store(), &f)) != NULL)
		status = v->work(operand, &f);
	if (status == -1) {
		cli_warn("%s", f.message);
		status = f.status;
	}
	fault_clear(&f);
	store_close(store);
	return cli_end(status);
}

int
main(int argc, char *argv[])
{
	static const struct cli cli = {.title = SBX_TITLE, .operands = "\nlist\nshow ID\nverify", .options = options};
	const struct verb *verb;

	cli_parse(&cli, &argc, &argv);

	check_options(argc == 0 ? "" : argv[0]);
	if (argc == 0)
		return filter();
	verb = find_verb(argv[0]);
	check_operands(verb, argc, argv);
	return look(verb, argv[1]);
}
