/* accept - static acceptance: a staged bundle against the rules of its profile */

#include <string.h>
#include <unistd.h>

#include "accept.h"
#include "accept_input.h"
#include "accept_result.h"
#include "accept_rules.h"
#include "bundle.h"
#include "cli.h"
#include "fd.h"
#include "profile.h"
#include "x.h"

static json_t *
judge(const char *share, const struct line *l, const struct profile *p, struct fault *f)
{
	auto_close int tar = bundle_tar(l, f), input = -1;
	json_auto_t *manifest = tar != -1 ? bundle_manifest(l, f) : NULL, *reports = NULL;
	json_auto_t *files = manifest != NULL ? bundle_files(manifest, "path", f) : NULL;

	if (files == NULL)
		return NULL;
	input = fd_memory("acceptance");
	if (accept_input(tar, files, p, input, f) == -1)
		return NULL;
	lseek(input, 0, SEEK_SET);
	if ((reports = accept_rules_run(share, p->rules, input, f)) == NULL)
		return NULL;
	return accept_result(reports, p, files, json_text_at(l->root, "bundle.tar_sha256"), f);
}

/* One sentence for who watches; all of it is in the line. */
static void
tell(const json_t *acceptance)
{
	const json_t *first = json_array_get(json_object_get(acceptance, "failures"), 0);

	if (first != NULL)
		cli_warn("%s: %s (%s)", json_text_at(first, "path"), json_text_at(first, "message"),
		    json_text_at(first, "rule"));
	else
		cli_warn("acceptance is %s", json_text_at(acceptance, "status"));
}

int
accept_work(struct line *l, void *context, struct fault *f)
{
	const char *share = context;
	const char *name = json_text_at(l->root, "bundle.profile");
	auto_profile struct profile profile = {0};
	json_t *acceptance;

	if (name == NULL)
		return fault_set(f, STATUS_TROUBLE, "bundle_missing",
		    "stdin:%lu: no bundle with a profile: sbx-stage comes before", l->number);
	if (profile_find(&profile, share, name, f) == -1 || (acceptance = judge(share, l, &profile, f)) == NULL)
		return -1;
	line_add(l, "acceptance", acceptance);
	if (strcmp(json_text_at(acceptance, "status"), "passed") == 0)
		return STATUS_YES;
	tell(acceptance);
	return STATUS_NO;
}
