/* docker_put - send the staged tar into a sandbox, and read back that it arrived */

#include <string.h>

#include "clock.h"
#include "crash.h"
#include "digest.h"
#include "docker.h"
#include "docker_verb.h"
#include "untar.h"

enum {
	PUT_MS = 180000,
	PIECE = 65536
};

/* What the workspace must hold. */
struct expected {
	json_t *files; /* by path, those that were not seen yet */
	int64_t uid, gid;
	int64_t count, bytes; /* seen */
};

static int
unverified(struct fault *f, const char *path, const char *what)
{
	return fault_set(f, STATUS_TROUBLE, "put_unverified", "%s/%s: %s", DOCKER_WORKSPACE, path, what);
}

static int
expect(struct expected *e, const json_t *manifest, struct fault *f)
{
	const json_t *files = json_object_get(manifest, "files"), *file;
	size_t i;

	*e = (struct expected) {.files = json_object(),
	    .uid = json_int_at(manifest, "owner.uid", -1),
	    .gid = json_int_at(manifest, "owner.gid", -1)};
	json_array_foreach ((json_t *)files, i, file) {
		const char *path = json_text_at(file, "path");

		if (path == NULL || json_text_at(file, "sha256") == NULL)
			return fault_set(
			    f, STATUS_TROUBLE, "manifest_invalid", "manifest: file %zu has no path or no sha256", i);
		json_object_set(e->files, path, (json_t *)file);
	}
	if (!json_is_array(files) || e->uid == -1 || e->gid == -1)
		return fault_set(f, STATUS_TROUBLE, "manifest_invalid", "manifest: has no files or no owner");
	return 0;
}

static int
check_content(struct untar *u, const json_t *file, const char *path, struct fault *f)
{
	uint8_t got[DIGEST_BYTES], wanted[DIGEST_BYTES];
	char piece[PIECE];
	struct digest digest;
	ssize_t n;

	digest_begin(&digest);
	while ((n = untar_read(u, piece, sizeof piece, f)) > 0)
		digest_add(&digest, piece, (size_t)n);
	if (n == -1)
		return -1;
	digest_end(&digest, got);
	if (!digest_parse(json_text_at(file, "sha256"), wanted) || !digest_equal(got, wanted))
		return unverified(f, path, "its content is not what was sent");
	return 0;
}

/* Directories are not in the manifest; what is in them is. */
static int
check_entry(struct expected *e, struct untar *u, struct archive_entry *entry, struct fault *f)
{
	const char *path = untar_path(entry, f);
	bool directory = archive_entry_filetype(entry) == AE_IFDIR;
	const json_t *file;

	if (path == NULL)
		return -1;
	if (archive_entry_uid(entry) != e->uid || archive_entry_gid(entry) != e->gid)
		return unverified(f, path, "belongs to somebody else than it should");
	if (directory)
		return archive_entry_perm(entry) == 0755 ? 0 : unverified(f, path, "has another mode than it should");
	if (archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry) != NULL ||
	    (file = json_object_get(e->files, path)) == NULL)
		return unverified(f, path, "is there and should not be");
	if (archive_entry_size(entry) != json_int_at(file, "size", -1) ||
	    archive_entry_perm(entry) != (__LA_MODE_T)json_int_at(file, "mode", -1))
		return unverified(f, path, "has another size or mode than it should");
	if (check_content(u, file, path, f) == -1)
		return -1;
	e->count++;
	e->bytes += archive_entry_size(entry);
	json_object_del(e->files, path);
	return 0;
}

static int
check_all(struct expected *e, struct http *h, struct fault *f)
{
	struct untar *u = untar_begin(h);
	struct archive_entry *entry;
	int status = 0;

	while (status == 0 && (entry = untar_next(u, f)) != NULL)
		status = check_entry(e, u, entry, f);
	untar_end(u);
	if (fault_is(f))
		return -1;
	if (json_object_size(e->files) > 0)
		return unverified(f, json_object_iter_key(json_object_iter(e->files)), "is missing");
	return 0;
}

/* The replies to the look at the container and to the upload. */
static int
take_upload(struct docker *d, const char *id, struct http *h, struct fault *f)
{
	struct http_reply reply[2] = {{0}};
	json_t *inspected = NULL;
	int status = http_collect(h, reply, 2, f);

	if (status == 0 && (inspected = docker_known(d, id, &reply[0], f)) == NULL)
		status = -1;
	if (status == 0 && reply[1].status != 200)
		status = docker_refused(&reply[1].body, reply[1].status, "put_refused", id, f);
	crash_point("docker.put.sent");
	json_decref(inspected);
	http_free(reply, 2);
	return status;
}

static int
take_readback(const char *id, struct http *h, struct expected *e, struct fault *f)
{
	struct http_reply head;

	if (http_next(h, &head, f) == -1)
		return -1;
	if (head.status == 200)
		return check_all(e, h, f);
	http_rest(h, &head.body, PIECE, f);
	docker_refused(&head.body, head.status, "put_unverified", id, f);
	http_free(&head, 1);
	return -1;
}

json_t *
docker_put(const struct site *s, const char *id, int tar_fd, const json_t *manifest, struct fault *f)
{
	auto_free char *look = x_printf("/containers/%s/json", id);
	auto_free char *archive = x_printf("/containers/%s/archive?path=%s", id, DOCKER_WORKSPACE);
	/* With another content type the Engine says yes and writes nothing. */
	const struct http_request r[] = {{.method = "GET", .path = look},
	    {.method = "PUT", .path = archive, .type = "application/x-tar", .body_fd = tar_fd},
	    {.method = "GET", .path = archive}};
	struct docker d = {.site = s};
	struct docker_record known = {0};
	struct expected e;
	struct http *h = NULL;
	json_t *put = NULL;

	if (expect(&e, manifest, f) == 0 && docker_recall(s, id, &known, f) == 0) {
		if (!known.known && s->show == NULL)
			fault_fill(f, STATUS_NO, "sandbox_foreign", "%s: not a sandbox of this store", id);
		else
			h = docker_begin(&d, r, 3, clock_deadline(PUT_MS), f);
	}
	if (h != NULL && take_upload(&d, id, h, f) == 0 && take_readback(id, h, &e, f) == 0)
		put = json_make(
		    "{s:I, s:I, s:b}", "files", (json_int_t)e.count, "bytes", (json_int_t)e.bytes, "verified", 1);
	http_end(h);
	docker_doubt(&d, id, f);
	json_decref(e.files);
	return put;
}
