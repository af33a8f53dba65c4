/* permit - may what a record tells of be exported or promoted? */

#include <stdlib.h>
#include <string.h>

#include "acceptance.h"
#include "chain.h"
#include "id.h"
#include "permit.h"
#include "plain.h"
#include "record.h"
#include "x.h"

struct found {
	json_t *line; /* owned */
	char sha256[DIGEST_TEXT];
};

static void
refuse(struct permit *p, const char *why)
{
	json_array_append_new(p->reasons, json_string(why));
}

static bool
is(const json_t *line, const char *path, const char *wanted)
{
	const char *found = json_text_at(line, path);

	return found != NULL && strcmp(found, wanted) == 0;
}

/* The bytes are parsed here, and chain_verify tells whether they are those of the chain. */
static int
see_record(const struct store_row *row, void *context, struct fault *f)
{
	const char *text = store_row_text(row, RECORD_LINE);
	char why[JSON_ERROR_TEXT_LENGTH], claimed[DIGEST_TEXT];
	struct found *found = context;

	found->line = json_parse(text, strlen(text), why);
	if (found->line == NULL || !record_digests(text, claimed, found->sha256))
		return fault_set(f, STATUS_TROUBLE, "ledger_broken", "%s: its line is no record any more",
		    store_row_text(row, RECORD_ID));
	return 0;
}

static void
note_break(const struct chain_break *b, void *context)
{
	struct fault *f = context;

	fault_fill(f, STATUS_TROUBLE, "ledger_broken",
	    "the ledger does not verify, so it proves nothing: %s%s%s (sbx-record verify tells all)",
	    b->id == NULL ? "" : b->id, b->id == NULL ? "" : ": ", b->text);
}

static void
judge_acceptance(struct permit *p, const json_t *line)
{
	struct judgement j __attribute__((cleanup(judge_free))) = {
	    .reasons = json_array(), .errors = json_array(), .warnings = json_array()};
	const char *snapshot = json_text_at(line, "acceptance.snapshot_digest");

	if (acceptance_judge(&j, line, true) != ACCEPTANCE_PASSED)
		refuse(p, "Acceptance has not passed.");
	else if (snapshot == NULL || !is(line, "bundle.tar_sha256", snapshot))
		refuse(p, "Acceptance was not of what was built: their digests differ.");
}

static void
judge_build(struct permit *p, const json_t *line)
{
	const char *purpose = json_text_at(line, "purpose");

	if (purpose != NULL && strcmp(purpose, "app_validation") != 0)
		refuse(p, "It is the record of no validation.");
	if (!is(line, "result.validation_status", "passed") || !json_true_at(line, "result.success"))
		refuse(p, "The build has not passed.");
	if (!json_true_at(line, "put.verified"))
		refuse(p, "Nobody verified that what was built is the bundle.");
	if (!json_true_at(line, "teardown.confirmed"))
		refuse(p, "Nobody confirmed that the sandbox is gone.");
	if (!json_true_at(line, "verdict.ready"))
		refuse(p, "Its verdict is not that it is ready.");
}

/* The last word on a bundle: a look at it that failed takes back one that passed before. */
struct last {
	const char *sha256; /* of the bundle */
	bool any, passed;
};

/* What a review says counts for the very bundle that was put into its sandbox and answered there as the app it is. */
static int
see_review(const struct store_row *row, void *context, struct fault *f)
{
	const char *text = store_row_text(row, RECORD_LINE), *app_id;
	char why[JSON_ERROR_TEXT_LENGTH];
	struct last *last = context;
	json_auto_t *line = NULL;

	(void)f;
	if (strstr(text, last->sha256) == NULL || (line = json_parse(text, strlen(text), why)) == NULL ||
	    !is(line, "review.bundle_sha256", last->sha256))
		return 0;
	app_id = json_text_at(line, "bundle.app_id");
	last->any = true;
	last->passed = is(line, "review.status", "passed") && is(line, "bundle.sha256", last->sha256) &&
	               json_true_at(line, "put.verified") && app_id != NULL && is(line, "review.app_id", app_id);
	return 0;
}

static void
judge_review(struct permit *p, const struct last *last)
{
	if (!last->any)
		refuse(p, "No review of that bundle has passed.");
	else if (!last->passed)
		refuse(p, "The last review of that bundle has not passed.");
}

static void
judge_bundle(struct permit *p, const json_t *line)
{
	const char *sha256 = json_text_at(line, "bundle.sha256");

	if (sha256 != NULL && id_is_hex(sha256, DIGEST_TEXT - 1))
		p->sha256 = x_strdup(sha256);
	else
		refuse(p, "It names no bundle.");
}

int
permit_judge(struct permit *p, struct store *s, const char *id, bool promote, struct fault *f)
{
	static const struct record_filter all;
	const struct record_filter only = {.id = id};
	struct found found = {0};
	struct last last = {0};
	struct chain chain;

	*p = (struct permit) {.id = id, .reasons = json_array()};
	if (record_each(s, &only, see_record, &found, f) == 0 && found.line == NULL)
		fault_fill(f, STATUS_NO, "record_missing", "%s: no such record", id);
	if (!fault_is(f)) {
		judge_bundle(p, found.line);
		last.sha256 = p->sha256;
		if (promote && p->sha256 != NULL)
			record_each(s, &all, see_review, &last, f);
	}
	/* After all that was read, so that none of it goes unverified. */
	if (!fault_is(f))
		chain_verify(s, found.sha256, note_break, f, &chain, f);
	if (!fault_is(f)) {
		judge_acceptance(p, found.line);
		judge_build(p, found.line);
		if (promote)
			judge_review(p, &last);
		p->given = json_array_size(p->reasons) == 0;
	}
	json_decref(found.line);
	return fault_is(f) ? -1 : 0;
}

void
permit_free(struct permit *p)
{
	json_decref(p->reasons);
	free(p->sha256);
	*p = (struct permit) {0};
}
