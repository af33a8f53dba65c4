/* report - what the jailed parser tells: each file it packed, then that it is done, or what it refused */

#include <string.h>

#include "report.h"

enum {
	TEXT_MOST = UINT16_MAX /* as long as a name in an archive can be */
};

static void
add(struct buf *b, struct report_head *head, const char *text, size_t len, const char *other, size_t other_len)
{
	head->text_len = text != NULL ? (uint32_t)len : REPORT_ABSENT;
	head->other_len = other != NULL ? (uint32_t)other_len : REPORT_ABSENT;
	buf_add(b, head, sizeof *head);
	if (text != NULL)
		buf_add(b, text, len);
	if (other != NULL)
		buf_add(b, other, other_len);
}

void
report_file(struct buf *b, const struct plan_item *item, const uint8_t digest[static DIGEST_BYTES])
{
	struct report_head head = {.kind = REPORT_FILE, .size = item->size};

	memcpy(head.digest, digest, DIGEST_BYTES);
	add(b, &head, item->name, item->name_len, NULL, 0);
}

void
report_done(struct buf *b, const struct pack_result *result)
{
	struct report_head head = {.kind = REPORT_DONE};

	add(b, &head, result->has_app_id ? result->app_id : NULL, strlen(result->app_id), NULL, 0);
}

void
report_refused(struct buf *b, const struct refusal *r)
{
	struct report_head head = {.kind = REPORT_REFUSED, .rule = r->rule, .offset = r->offset};

	add(b, &head, r->entry, r->entry_len, r->other, r->other_len);
}

/* A text of LEN bytes at *AT, borrowed; false when it is not there yet. */
static bool
take(const struct buf *bytes, size_t *at, uint32_t len, const char **text)
{
	*text = NULL;
	if (len == REPORT_ABSENT)
		return true;
	if (bytes->len - *at < len)
		return false;
	*text = bytes->data + *at;
	*at += len;
	return true;
}

static bool
is_sane(const struct report_head *h)
{
	return h->kind <= REPORT_REFUSED && (h->text_len <= TEXT_MOST || h->text_len == REPORT_ABSENT) &&
	       (h->other_len <= TEXT_MOST || h->other_len == REPORT_ABSENT) &&
	       (h->kind == REPORT_REFUSED) == (h->rule > RULE_NONE && h->rule < RULE_COUNT) &&
	       (h->kind != REPORT_FILE || h->text_len != REPORT_ABSENT) &&
	       (h->kind != REPORT_DONE || h->text_len == REPORT_ABSENT || h->text_len <= PACK_APP_ID_MOST);
}

int
report_next(const struct buf *bytes, size_t *at, struct report *r)
{
	size_t end = *at;

	if (bytes->len - end < sizeof r->head)
		return 0;
	memcpy(&r->head, bytes->data + end, sizeof r->head);
	end += sizeof r->head;
	if (!is_sane(&r->head))
		return -1;
	if (!take(bytes, &end, r->head.text_len, &r->text) || !take(bytes, &end, r->head.other_len, &r->other))
		return 0;
	*at = end;
	return 1;
}
