/* fuzz-zip - fuzzes lib/zip.c lib/zip_end.c lib/zip_central.c lib/zip_local.c lib/zip_extra.c lib/name.c lib/name_meet.c lib/plan.c lib/pack.c */

#include <stdlib.h>
#include <string.h>

#include "pack.h"
#include "zip.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static uint8_t seen; /* what comes out is looked at, so that a sanitizer sees each byte read */

static int
take_tar(const void *bytes, size_t len, void *context)
{
	(void)context;
	for (size_t i = 0; i < len; i++)
		seen ^= ((const uint8_t *)bytes)[i];
	return 0;
}

static int
take_file(const struct plan_item *item, const uint8_t digest[static DIGEST_BYTES], void *context)
{
	(void)context;
	seen ^= digest[0];
	/* Nothing gets this far with a name that leads out of the workspace. */
	if (item->path[0] == '/' || strncmp(item->path, "../", 3) == 0 || strstr(item->path, "/../") != NULL ||
	    strlen(item->path) != item->path_len)
		abort();
	return 0;
}

static int
contents(void *context, const struct plan_item *item, void *room, const void **bytes, struct refusal *r)
{
	const struct zip *z = context;

	return zip_read(z, &z->entry[item->source], room, bytes, r);
}

/* Small limits, so that an execution is short; the canonical layout, so that app.json is read as well. */
int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	const struct profile profile = {.canonical = len % 2,
	    .app_prefix = len % 2 ? "app/" : NULL,
	    .limits = {65536, 200, 1 << 20, 4 << 20, 1000}};
	const struct zip_policy policy = {profile.limits};
	struct zip z;
	const struct pack_source source = {contents, &z};
	const struct pack_sink sink = {take_tar, take_file, NULL};
	auto_plan struct plan plan = {0};
	struct pack_result result;
	struct refusal r = {0};

	if (zip_audit(&z, bytes, len, &policy, &r) == 0) {
		for (size_t i = 0; i < z.count; i++) {
			const struct zip_entry *e = &z.entry[i];

			plan_add(&plan, &(struct plan_item) {.name = e->name,
			                    .name_len = e->name_len - e->directory,
			                    .directory = e->directory,
			                    .size = e->size,
			                    .offset = e->central,
			                    .source = i});
		}
		if (plan_make(&plan, &profile, &r) == 0)
			pack(&plan, &profile, &source, &sink, &result, &r);
	}
	zip_free(&z);
	return 0;
}
