/* stage - the gate: a bundle comes in as an archive or a directory, and goes on as one deterministic tar or not at all */

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "stage_parts.h"
#include "stop.h"
#include "x.h"

int
stage_stopped(struct fault *f)
{
	int signal = stop_signal();

	if (signal == 0)
		return 0;
	return fault_set(f, 128 + signal, "stopped", "stopped by signal %d (%s)", signal, strsignal(signal));
}

int
stage_check_digest(const struct stage_request *q, const uint8_t found[static DIGEST_BYTES], struct fault *f)
{
	char text[DIGEST_TEXT];
	struct refusal r;

	if (q->sha256 == NULL || digest_equal(q->sha256, found))
		return 0;
	rule_fill(&r, RULE_DIGEST, RULE_NOWHERE, NULL, 0);
	rule_fault(&r, q->path, f);
	digest_hex(found, text);
	json_object_set_new(f->detail, "sha256", json_string(text));
	return -1;
}

static json_t *
describe(const struct stage_request *q, const struct staged *s, const struct stage_out *o, const uint8_t *tar_sha256)
{
	char sha256[DIGEST_TEXT], tar[DIGEST_TEXT];
	json_t *bundle;

	digest_hex(tar_sha256, tar);
	digest_hex(s->bytes > 0 ? s->sha256 : tar_sha256, sha256);
	bundle = json_make("{s:o, s:s, s:I, s:I, s:I, s:s, s:s, s:s, s:s, s:b}", "path",
	    json_lossy(q->path, strlen(q->path)), "sha256", sha256, "bytes",
	    (json_int_t)(s->bytes > 0 ? s->bytes : o->tar_bytes), "files", (json_int_t)o->files, "total_bytes",
	    (json_int_t)o->total_bytes, "profile", q->profile->name, "tar", o->tar, "tar_sha256", tar, "manifest",
	    o->manifest, "canonical", q->profile->canonical);
	if (s->app_id != NULL)
		json_object_set(bundle, "app_id", s->app_id);
	return bundle;
}

static int
finish(const struct stage_request *q, const struct staged *s, struct stage_out *o, json_t **bundle, struct fault *f)
{
	uint8_t tar_sha256[DIGEST_BYTES];

	stage_out_digest(o, tar_sha256);
	if ((s->bytes == 0 && stage_check_digest(q, tar_sha256, f) == -1) || stage_out_commit(o) == -1)
		return -1;
	*bundle = describe(q, s, o, tar_sha256);
	return 0;
}

int
stage_bundle(const struct stage_request *q, json_t **bundle, struct fault *f)
{
	/* A pipe without a writer must not keep us from hearing signals. */
	auto_close int fd = open(q->path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	auto_stage_out struct stage_out out = STAGE_OUT_NONE;
	struct staged staged = {0};
	struct stat st;
	int status;

	if (fd == -1 || fstat(fd, &st) == -1)
		return fault_errno(f, STATUS_TROUBLE, "bundle_unreadable", "%s", q->path);
	if (stage_out_begin(&out, q->dir, q->profile, f) == -1)
		return -1;
	status = (S_ISDIR(st.st_mode) ? stage_directory : stage_zip)(q, fd, &out, &staged, f);
	if (status == 0)
		status = finish(q, &staged, &out, bundle, f);
	json_decref(staged.app_id);
	return status;
}
