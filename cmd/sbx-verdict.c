/* sbx-verdict - combine what is known of a run into its result, and what is not into words */

#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "answer.h"
#include "digest.h"
#include "id.h"
#include "permit.h"
#include "record.h"
#include "setting.h"
#include "verdict.h"

static const char *gate, *inventory_file, *answer;

static const struct cli_option options[] = {
    {0, "inventory", "FILE", "the approved tasks: who may be asked to repair what", cli_text, &inventory_file},
    {0, "gate", "WORD", "may the bundle of a record go there: export or promote", cli_text, &gate},
    {0, "answer", "REQUEST", "the bundle is the answer to that request: admit it or reject it", cli_text, &answer},
    {0},
};

static int
filter(void)
{
	static const struct line_stage stage = {{"result", "verdict"}, .always = true, .work = verdict_work};
	struct verdict_site site = {.state = setting_state(),
	    .share = setting_share(),
	    .place = setting_store(),
	    .scrub = {setting_state(), setting_text("TMPDIR", NULL)}};
	auto_inventory struct inventory inventory = {0};
	int status;

	if (inventory_file != NULL && inventory_read(&inventory, inventory_file, &site.unusable) == 0)
		site.inventory = &inventory;
	else if (inventory_file != NULL)
		cli_warn("%s", site.unusable.message);
	status = line_each(&stage, &site);
	fault_clear(&site.unusable);
	store_close(site.store);
	return status;
}

static int
ask_gate(struct store *s, const char *record, struct fault *f)
{
	struct permit p;
	int status = permit_judge(&p, s, record, strcmp(gate, "promote") == 0, f);
	const json_t *why;
	size_t i;

	if (status == 0) {
		printf("%s: %s: %s, the bundle with SHA-256 %s\n", gate, p.given ? "yes" : "no", record,
		    p.sha256 == NULL ? "(none)" : p.sha256);
		json_array_foreach (p.reasons, i, why)
			printf("%s\n", json_string_value(why));
		status = p.given ? STATUS_YES : STATUS_NO;
	}
	permit_free(&p);
	return status;
}

static int
take_answer(void)
{
	static const struct line_stage stage = {{"answer"}, .always = true, .work = answer_work};
	struct answer_site site = {.request = answer, .place = setting_store()};
	int status = line_each(&stage, &site);

	store_close(site.store);
	return status;
}

static int
judge_record(const char *record)
{
	struct fault f = {0};
	struct store *s = store_open(setting_store(), &f);
	int status = s == NULL ? -1 : ask_gate(s, record, &f);

	if (status == -1) {
		cli_warn("%s", f.message);
		status = f.status;
	}
	fault_clear(&f);
	store_close(s);
	return cli_end(status);
}

/* One form, its words, and one operand of the right shape. */
static void
check_use(int argc, char *argv[])
{
	if ((gate != NULL) + (inventory_file != NULL) + (answer != NULL) > 1)
		cli_usage("--gate, --answer and --inventory exclude each other");
	if (gate != NULL && strcmp(gate, "export") != 0 && strcmp(gate, "promote") != 0)
		cli_usage("--gate takes export or promote, not '%s'", gate);
	if (answer != NULL && !id_is_hex(answer, DIGEST_TEXT - 1))
		cli_usage("--answer takes one request_id, %d hex digits", DIGEST_TEXT - 1);
	if (gate == NULL && argc > 0)
		cli_usage("it takes no operands without --gate");
	if (gate != NULL && (argc != 1 || !record_is_id(argv[0])))
		cli_usage("--gate goes with the id of one record: av_ and %d hex digits", RECORD_ID_LENGTH - 3);
}

int
main(int argc, char *argv[])
{
	static const struct cli cli = {SBX_TITLE, "\nRECORD", options, .command = false};

	cli_parse(&cli, &argc, &argv);
	check_use(argc, argv);
	if (gate != NULL)
		return judge_record(argv[0]);
	return answer != NULL ? take_answer() : filter();
}
