/* record - the evidence ledger: lines that are kept, each bound to the one before it by its SHA-256 */

#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "crash.h"
#include "id.h"
#include "record.h"
#include "x.h"

/* The text of the member that is hashed over all others: ,"sha256":"…" right before the two braces that end the line. */
#define SEAL_BEFORE ",\"sha256\":\""
#define SEAL_BEHIND "\"}}"

enum {
	SEAL_HEX = DIGEST_TEXT - 1,
	SEAL_START = sizeof SEAL_BEFORE - 1,
	SEAL = SEAL_START + SEAL_HEX + 1 /* with its closing quote */
};

void
record_fields(const json_t *line, struct record_fields *f)
{
	const json_t *sandbox = json_object_get(line, "sandbox");

	*f = (struct record_fields) {
	    .run = json_text_at(line, "run"),
	    .status = json_text_at(line, "result.validation_status"),
	    .strategy = json_text_at(line, "result.validation_strategy"),
	    .session = json_text_at(sandbox, "id"),
	    .provider = json_text_at(sandbox, "provider"),
	};
	if (f->status == NULL)
		f->status = json_object_get(line, "error") != NULL ? "failed" : "pending";
	if (f->strategy == NULL)
		f->strategy = json_text_at(line, "strategy.name");
	if (f->session == NULL)
		f->provider = NULL;
}

int
record_status(const json_t *line)
{
	const json_t *teardown = json_object_get(line, "teardown"), *verdict = json_object_get(line, "verdict");
	const char *review = json_text_at(line, "review.status");

	if (teardown != NULL && !json_true_at(teardown, "confirmed"))
		return STATUS_DOUBT;
	if (verdict == NULL && review != NULL)
		return strcmp(review, "passed") == 0 ? STATUS_YES : STATUS_NO;
	return json_true_at(verdict, "ready") ? STATUS_YES : STATUS_NO;
}

bool
record_is_id(const char *text)
{
	return strncmp(text, "av_", 3) == 0 && id_is_hex(text + 3, RECORD_ID_LENGTH - 3);
}

/* The digest of TEXT and a newline, as sha256sum(1) sees a line of a file; CUT bytes at AT are passed over. */
static void
hash(const char *text, size_t len, size_t at, size_t cut, char hex[static DIGEST_TEXT])
{
	uint8_t bytes[DIGEST_BYTES];
	struct digest d;

	digest_begin(&d);
	digest_add(&d, text, at);
	digest_add(&d, text + at + cut, len - at - cut);
	digest_add(&d, "\n", 1);
	digest_end(&d, bytes);
	digest_hex(bytes, hex);
}

bool
record_digests(const char *line, char claimed[static DIGEST_TEXT], char real[static DIGEST_TEXT])
{
	size_t len = strlen(line), end = len, seal;

	while (end > 0 && strchr(" \t\r", line[end - 1]) != NULL)
		end--;
	if (end < SEAL + 2)
		return false;
	seal = end - 2 - SEAL;
	if (strncmp(line + seal, SEAL_BEFORE, SEAL_START) != 0 || strncmp(line + end - 3, SEAL_BEHIND, 3) != 0)
		return false;
	memcpy(claimed, line + seal + SEAL_START, SEAL_HEX);
	claimed[SEAL_HEX] = '\0';
	if (!id_is_hex(claimed, SEAL_HEX))
		return false;
	hash(line, len, seal, SEAL, real);
	return true;
}

/* The end of the chain, and the line that is to become its next record. */
struct append {
	int64_t seq;
	char previous[DIGEST_TEXT];
	struct line *line; /* a copy, which is given up when the ledger does not take it */
};

static int
see_last(const struct store_row *row, void *context, struct fault *f)
{
	struct append *a = context;

	(void)f;
	a->seq = store_row_integer(row, 0);
	snprintf(a->previous, sizeof a->previous, "%s", store_row_text(row, 1));
	return 0;
}

static void
seal(struct append *a, int64_t time, const char *id, char sha256[static DIGEST_TEXT])
{
	struct line *l = a->line;
	char text[CLOCK_TEXT], member[SEAL + 1];
	size_t brace;

	clock_format(time, text);
	line_add(l, "record",
	    json_make(
	        "{s:s, s:I, s:s, s:s}", "id", id, "seq", (json_int_t)a->seq, "time", text, "previous", a->previous));
	hash(l->text.data, l->text.len, l->text.len, 0, sha256);
	for (brace = l->text.len - 1; l->text.data[brace] != '}'; brace--)
		;
	snprintf(member, sizeof member, SEAL_BEFORE "%s\"", sha256);
	buf_insert(&l->text, brace - 1, member, SEAL);
	json_object_set_new(json_object_get(l->root, "record"), "sha256", json_string(sha256));
}

static int
append(struct store *s, void *context, struct fault *f)
{
	struct append *a = context;
	char id[RECORD_ID_LENGTH + 1] = "av_", sha256[DIGEST_TEXT];
	int64_t time = clock_wall();
	struct record_fields fields;

	if (store_each(s, "SELECT seq, sha256 FROM records ORDER BY seq DESC LIMIT 1", NULL, see_last, a, f) == -1)
		return -1;
	a->seq++;
	id_hex(id + 3, RECORD_ID_LENGTH - 3);
	record_fields(a->line->root, &fields);
	seal(a, time, id, sha256);
	crash_point("record.sealed");
	return store_run(s,
	           "INSERT INTO records (seq, id, time, run, status, strategy, session, provider, sha256, line)"
	           " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
	           STORE_VALUES(store_integer(a->seq), store_text(id), store_integer(time), store_text(fields.run),
	               store_text(fields.status), store_text(fields.strategy), store_text(fields.session),
	               store_text(fields.provider), store_text(sha256), store_text(a->line->text.data)),
	           f) == 1
	           ? 0
	           : -1;
}

int
record_append(struct store *s, struct line *l, int64_t deadline, struct fault *f)
{
	struct line copy = {.root = json_copy(l->root), .number = l->number};
	struct append a = {.previous = RECORD_FIRST, .line = &copy};
	struct fault why = {0};
	int status;

	buf_add(&copy.text, l->text.data, l->text.len);
	status = store_change(s, append, &a, deadline, &why);
	if (status == 0) {
		struct line old = *l;

		crash_point("record.stored");
		*l = copy;
		copy = old;
	} else {
		fault_fill(f, STATUS_DOUBT, "record_not_stored", "record: %s: %s",
		    why.status == STATUS_DOUBT ? "may or may not be stored" : "not stored", why.message);
	}
	json_decref(copy.root);
	buf_free(&copy.text);
	fault_clear(&why);
	return status;
}

int
record_each(struct store *s, const struct record_filter *wanted, store_row_fn *each, void *context, struct fault *f)
{
	const struct {
		const char *name, *value;
	} terms[] = {{"id", wanted->id}, {"run", wanted->run}, {"status", wanted->status},
	    {"strategy", wanted->strategy}, {"session", wanted->session}, {"provider", wanted->provider}};
	struct store_value values[sizeof terms / sizeof *terms + 1];
	auto_buf struct buf sql = {0};
	int n = 0;

	buf_text(&sql, "SELECT seq, id, time, run, status, strategy, provider, session, sha256, line FROM records");
	for (size_t i = 0; i < sizeof terms / sizeof *terms; i++)
		if (terms[i].value != NULL) {
			values[n++] = store_text(terms[i].value);
			buf_printf(&sql, " %s %s = $%d", n == 1 ? "WHERE" : "AND", terms[i].name, n);
		}
	values[n].kind = STORE_END;
	buf_text(&sql, " ORDER BY seq");
	return store_read(s, sql.data, values, each, context, clock_deadline(STORE_WAIT_MS), f);
}
