/* chain - whether the evidence ledger is what was written, or where it is not */

#include <err.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chain.h"
#include "clock.h"
#include "json.h"
#include "x.h"

struct walk {
	struct chain *chain;
	chain_see *see;
	void *context;
	const char *head;
	bool found; /* the head */
	bool bound; /* the next record must name the last one's sha256: that one is in its place */
};

static void __attribute__((format(printf, 5, 6)))
tell(struct walk *w, const char *kind, int64_t seq, const char *id, const char *format, ...)
{
	auto_free char *text = NULL;
	struct chain_break broken = {seq, id, kind, NULL};
	va_list ap;

	va_start(ap, format);
	if (vasprintf(&text, format, ap) == -1)
		err(STATUS_TROUBLE, "memory");
	va_end(ap);
	broken.text = text;
	w->chain->breaks++;
	w->see(&broken, w->context);
}

static bool
same(const char *a, const char *b)
{
	return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static bool
columns_agree(const struct store_row *row, const json_t *line)
{
	struct record_fields fields;
	char time[CLOCK_TEXT];

	record_fields(line, &fields);
	clock_format(store_row_integer(row, RECORD_TIME), time);
	return same(store_row_text(row, RECORD_RUN), fields.run) &&
	       same(store_row_text(row, RECORD_STATUS), fields.status) &&
	       same(store_row_text(row, RECORD_STRATEGY), fields.strategy) &&
	       same(store_row_text(row, RECORD_SESSION), fields.session) &&
	       same(store_row_text(row, RECORD_PROVIDER), fields.provider) &&
	       same(store_row_text(row, RECORD_ID), json_text_at(line, "record.id")) &&
	       same(time, json_text_at(line, "record.time"));
}

/* What one record says of itself. */
struct seen {
	int64_t seq;
	const char *id;
	json_t *line; /* owned; NULL when the text is no record */
	char claimed[DIGEST_TEXT], real[DIGEST_TEXT];
};

/* Its bytes against its own hash, and its columns against its bytes. */
static void
check_itself(struct walk *w, const struct store_row *row, struct seen *r)
{
	const char *text = store_row_text(row, RECORD_LINE);
	char why[JSON_ERROR_TEXT_LENGTH];

	r->line = json_parse(text, strlen(text), why);
	if (r->line == NULL || !record_digests(text, r->claimed, r->real)) {
		tell(w, "altered", r->seq, r->id, "its line is no record any more");
		json_decref(r->line);
		r->line = NULL;
	} else if (strcmp(r->claimed, r->real) != 0) {
		tell(w, "altered", r->seq, r->id, "its line has the SHA-256 %s and says %s", r->real, r->claimed);
	} else if (!same(store_row_text(row, RECORD_SHA256), r->claimed) || !columns_agree(row, r->line)) {
		tell(w, "columns_differ", r->seq, r->id, "what it is found by is not what its line says");
	}
}

/* Its number and the hash it was bound to against the record before it. */
static void
check_place(struct walk *w, const struct seen *r)
{
	int64_t expected = w->chain->seq + 1, own = json_int_at(r->line, "record.seq", 0);
	const char *previous = json_text_at(r->line, "record.previous");

	if (r->seq > expected) {
		tell(w, "missing", r->seq, r->id, "records %lld to %lld before it are not there", (long long)expected,
		    (long long)r->seq - 1);
		w->bound = false;
	}
	if (r->line != NULL && own != r->seq)
		tell(w, "reordered", r->seq, r->id, "it was record %lld", (long long)own);
	else if (r->line != NULL && w->bound && !same(previous, w->chain->sha256))
		tell(w, "unlinked", r->seq, r->id, "it was bound to a record with the SHA-256 %s, and before it is %s",
		    previous == NULL ? "(none)" : previous, w->chain->sha256);
	w->bound = r->line != NULL && own == r->seq;
}

static int
check_record(const struct store_row *row, void *context, struct fault *f)
{
	struct walk *w = context;
	struct chain *c = w->chain;
	struct seen r = {.seq = store_row_integer(row, RECORD_SEQ), .id = store_row_text(row, RECORD_ID)};

	(void)f;
	check_itself(w, row, &r);
	check_place(w, &r);
	c->records++;
	c->seq = r.seq;
	snprintf(c->id, sizeof c->id, "%s", r.id);
	snprintf(c->sha256, sizeof c->sha256, "%s", r.line != NULL ? r.claimed : store_row_text(row, RECORD_SHA256));
	if (w->head != NULL && r.line != NULL && strcmp(w->head, r.real) == 0)
		w->found = true;
	json_decref(r.line);
	return 0;
}

int
chain_verify(struct store *s, const char *head, chain_see *see, void *context, struct chain *c, struct fault *f)
{
	struct walk w = {.chain = c, .see = see, .context = context, .head = head, .bound = true};

	*c = (struct chain) {.sha256 = RECORD_FIRST};
	if (record_each(s, &(struct record_filter) {0}, check_record, &w, f) == -1)
		return -1;
	if (head != NULL && !w.found)
		tell(&w, "head_missing", 0, NULL, "no record has the SHA-256 %s", head);
	return 0;
}
