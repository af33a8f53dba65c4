/* stage_parse - what the jailed child does: audit the archive, plan, unpack into a tar */

#include "fd.h"
#include "report.h"
#include "stage_parts.h"
#include "zip.h"

enum {
	REPORT_FLUSH = 32768 /* bytes of report that are collected before they are sent */
};

struct parser {
	const struct profile *profile;
	struct zip zip;
	struct buf report;
	int data_fd, report_fd;
};

static int
send_tar(const void *bytes, size_t len, void *context)
{
	return fd_write(((struct parser *)context)->data_fd, bytes, len);
}

static int
send_report(struct parser *p, size_t least)
{
	if (p->report.len < least)
		return 0;
	if (fd_write(p->report_fd, p->report.data, p->report.len) == -1)
		return -1;
	p->report.len = 0;
	return 0;
}

static int
send_file(const struct plan_item *item, const uint8_t digest[static DIGEST_BYTES], void *context)
{
	struct parser *p = context;

	report_file(&p->report, item, digest);
	return send_report(p, REPORT_FLUSH);
}

static int
contents(void *context, const struct plan_item *item, void *room, const void **bytes, struct refusal *r)
{
	const struct parser *p = context;

	return zip_read(&p->zip, &p->zip.entry[item->source], room, bytes, r);
}

/* Every entry of the archive becomes an item. Directories are read here, as what they pack must be proven to be nothing. */
static int
add_items(const struct zip *z, struct plan *plan, struct refusal *r)
{
	const void *bytes;
	char nothing;

	for (size_t i = 0; i < z->count; i++) {
		const struct zip_entry *e = &z->entry[i];

		if (e->directory && zip_read(z, e, &nothing, &bytes, r) == -1)
			return -1;
		plan_add(plan, &(struct plan_item) {.name = e->name,
		                   .name_len = e->name_len - e->directory,
		                   .directory = e->directory,
		                   .size = e->size,
		                   .offset = e->central,
		                   .source = i});
	}
	return 0;
}

static int
parse(struct parser *p, const struct buf *archive, struct pack_result *result, struct refusal *r)
{
	const struct zip_policy policy = {p->profile->limits};
	const struct pack_source source = {contents, p};
	const struct pack_sink sink = {send_tar, send_file, p};
	struct plan plan = {0};

	if (zip_audit(&p->zip, archive->data, archive->len, &policy, r) == -1 || add_items(&p->zip, &plan, r) == -1 ||
	    plan_make(&plan, p->profile, r) == -1)
		return -1;
	return pack(&plan, p->profile, &source, &sink, result, r);
}

/* Nothing is freed: it goes with the process. */
void
stage_parse(int data, int report, void *context)
{
	const struct stage_parse *given = context;
	struct parser p = {.profile = given->profile, .data_fd = data, .report_fd = report};
	struct pack_result result;
	struct refusal r = {0};

	if (parse(&p, given->archive, &result, &r) == 0)
		report_done(&p.report, &result);
	else if (r.rule != RULE_NONE)
		report_refused(&p.report, &r);
	send_report(&p, 0);
}
