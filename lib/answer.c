/* answer - what came back from a repair: admitted whole, or rejected whole */

#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "bundle.h"
#include "clock.h"
#include "history.h"
#include "x.h"

enum {
	OUTSIDE_TOLD = 20 /* files that an answer had to leave alone and did not */
};

/* One answer, while it is judged. */
struct answer {
	const char *request;
	const char *bundle; /* its digest; "": sbx-stage refused it */
	json_t *files;      /* its digests by their paths; NULL: it was refused */
	char *task;
	bool admitted;
	json_int_t written, deleted, outside;
	json_t *told; /* of those outside: [{"path", "how"}] */
};

static void
answer_free(struct answer *a)
{
	json_decref(a->files);
	json_decref(a->told);
	free(a->task);
}

/* The digest of each file, by the path that it has in the bundle. */
static json_t *
read_digests(const json_t *manifest, struct fault *f)
{
	json_auto_t *files = bundle_files(manifest, "bundle_path", f);
	json_t *digests = files == NULL ? NULL : json_object(), *file;
	const char *path;

	json_object_foreach (files, path, file)
		json_object_set(digests, path, json_object_get(file, "sha256"));
	return digests;
}

char *
answer_scope(const json_t *allowed, const char *manifest)
{
	struct fault absent = {0};
	json_auto_t *read = bundle_manifest_at(manifest, &absent);
	json_auto_t *files = read == NULL ? NULL : read_digests(read, &absent), *scope = NULL;
	auto_buf struct buf text = {0};

	fault_clear(&absent);
	if (files == NULL)
		return NULL;
	scope = json_make("{s:O, s:O}", "allowed_paths", allowed, "files", files);
	json_add_text(&text, scope);
	return x_steal(text.data);
}

static bool
is_allowed(const json_t *scope, const char *path)
{
	const json_t *allowed = json_object_get(scope, "allowed_paths"), *one;
	size_t i;

	json_array_foreach (allowed, i, one)
		if (strcmp(json_string_value(one), path) == 0)
			return true;
	return false;
}

static void
count(struct answer *a, const json_t *scope, const char *path, const char *how)
{
	if (!is_allowed(scope, path)) {
		if (a->outside++ < OUTSIDE_TOLD)
			json_array_append_new(a->told, json_make("{s:s, s:s}", "path", path, "how", how));
	} else if (strcmp(how, "deleted") == 0)
		a->deleted++;
	else
		a->written++;
}

/* A file that is as it was says nothing, whoever owns it. */
static void
compare(struct answer *a, const json_t *scope)
{
	json_t *before = json_object_get(scope, "files"), *digest;
	const char *path;

	json_object_foreach (before, path, digest)
		if (json_object_get(a->files, path) == NULL)
			count(a, scope, path, "deleted");
	json_object_foreach (a->files, path, digest) {
		const json_t *old = json_object_get(before, path);

		if (old == NULL || !json_equal(old, digest))
			count(a, scope, path, old == NULL ? "added" : "changed");
	}
	a->admitted = a->outside == 0;
}

static int
judge(struct answer *a, const struct asked *asked, struct fault *f)
{
	char why[JSON_ERROR_TEXT_LENGTH];
	json_auto_t *scope = NULL;

	if (a->files == NULL)
		return 0;
	if (asked->scope == NULL)
		return fault_set(f, STATUS_NO, "request_unbounded",
		    "%s: the files of the bundle that it is about are not known, so no answer can be compared with "
		    "them",
		    a->request);
	if ((scope = json_parse(asked->scope, strlen(asked->scope), why)) == NULL)
		return fault_set(f, STATUS_TROUBLE, "store_corrupt", "%s: its scope: %s", a->request, why);
	compare(a, scope);
	return 0;
}

/* Told again, the answer that settled the request is judged again: whoever asks may have died before it heard. */
static int
settle(struct store *s, void *context, struct fault *f)
{
	auto_asked struct asked asked = {0};
	struct answer *a = context;
	bool waits, again;

	if (history_find(s, a->request, &asked, f) == -1)
		return -1;
	waits = strcmp(asked.status, "selected") == 0;
	again = asked.answer != NULL && strcmp(asked.answer, a->bundle) == 0;
	if (!waits && !again)
		return fault_set(
		    f, STATUS_NO, "request_settled", "%s: waits for no answer: it is %s", a->request, asked.status);
	a->task = x_steal(asked.task);
	if (judge(a, &asked, f) == -1)
		return -1;
	return waits ? history_settle(s, a->request, a->admitted ? "responded" : "rejected", a->bundle, f) : 0;
}

/*
 * Does the line bring an answer? A bundle that sbx-stage refused is one too, unless it was another than was meant. Where anything
 * else failed, it may still come.
 */
static bool
has_answer(const json_t *line)
{
	const char *by = json_text_at(line, "error.by"), *reason = json_text_at(line, "error.reason");

	if (json_object_get(line, "error") == NULL)
		return true;
	return by != NULL && strcmp(by, "sbx-stage") == 0 && json_int_at(line, "error.status", 0) == STATUS_NO &&
	       reason != NULL && strcmp(reason, "digest_mismatch") != 0;
}

static int
read_answer(struct answer *a, const struct line *l, struct fault *f)
{
	auto_close int tar = json_object_get(l->root, "error") == NULL ? bundle_tar(l, f) : -1;
	json_auto_t *manifest = tar != -1 ? bundle_manifest(l, f) : NULL;

	a->bundle = "";
	if (json_object_get(l->root, "error") != NULL)
		return 0;
	if (manifest == NULL || (a->files = read_digests(manifest, f)) == NULL)
		return -1;
	a->bundle = json_text_at(l->root, "bundle.tar_sha256");
	return 0;
}

static int
reject(const struct answer *a, struct fault *f)
{
	auto_buf struct buf b = {0};
	json_int_t named = 3;

	for (json_int_t i = 0; i < a->outside && i < named; i++) {
		const json_t *one = json_array_get(a->told, (size_t)i);

		buf_printf(&b, "%s %s was %s", i > 0 ? "," : "", json_text_at(one, "path"), json_text_at(one, "how"));
	}
	if (a->outside > named)
		buf_printf(&b, ", and %lld more", (long long)(a->outside - named));
	return fault_set(f, STATUS_NO, "answer_rejected",
	    "the answer of task %s to request %.12s goes beyond the files that it was allowed:%s", a->task, a->request,
	    b.data);
}

int
answer_work(struct line *l, void *context, struct fault *f)
{
	struct answer_site *site = context;
	struct answer a __attribute__((cleanup(answer_free))) = {.request = site->request, .told = json_array()};

	if (!has_answer(l->root))
		return STATUS_YES;
	if (read_answer(&a, l, f) == -1 ||
	    (site->store == NULL && (site->store = store_open(site->place, f)) == NULL) ||
	    store_change(site->store, settle, &a, clock_deadline(STORE_WAIT_MS), f) == -1)
		return -1;
	line_add(l, "answer",
	    json_make("{s:s, s:s, s:b, s:I, s:I, s:O}", "request_id", a.request, "task_id", a.task, "admitted",
	        a.admitted, "written", a.written, "deleted", a.deleted, "outside", a.told));
	if (a.admitted)
		return STATUS_YES;
	return a.files == NULL ? STATUS_NO : reject(&a, f);
}
