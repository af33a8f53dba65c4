/* docker_get - the bytes of one file of a sandbox */

#include "clock.h"
#include "docker.h"
#include "docker_verb.h"
#include "fd.h"
#include "untar.h"

enum {
	GET_MS = 180000,
	PIECE = 65536
};

static int
copy(struct untar *u, int64_t size, const char *path, int fd, struct fault *f)
{
	char piece[PIECE];
	int64_t copied = 0;
	ssize_t n;

	while ((n = untar_read(u, piece, sizeof piece, f)) > 0) {
		if (fd_write(fd, piece, (size_t)n) == -1)
			return fault_errno(f, STATUS_TROUBLE, "output_unwritten", "%s", path);
		copied += n;
	}
	if (n == 0 && copied != size)
		return fault_set(f, STATUS_TROUBLE, "tar_malformed", "%s: %lld bytes came instead of %lld", path,
		    (long long)copied, (long long)size);
	return (int)n;
}

/* The tar must hold one regular file. Links are not followed: where they lead is for the sandbox to say. */
static int
take_file(struct http *h, const char *path, int fd, struct fault *f)
{
	struct untar *u = untar_begin(h);
	struct archive_entry *entry = untar_next(u, f);
	int status = -1;

	if (entry != NULL && (archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry) != NULL))
		fault_fill(f, STATUS_NO, "not_a_file", "%s: not a regular file", path);
	else if (entry != NULL && copy(u, archive_entry_size(entry), path, fd, f) == 0)
		status = untar_next(u, f) == NULL && !fault_is(f) ? 0 : -1;
	if (status == -1)
		fault_fill(
		    f, STATUS_TROUBLE, "tar_malformed", "%s: the Engine sent something else than one file", path);
	untar_end(u);
	return status;
}

static int
take_replies(struct docker *d, const char *id, const char *path, struct http *h, int fd, struct fault *f)
{
	struct http_reply reply = {0};
	json_t *inspected = NULL;
	int status = http_collect(h, &reply, 1, f);

	if (status == 0 && (inspected = docker_known(d, id, &reply, f)) == NULL)
		status = -1;
	json_decref(inspected);
	http_free(&reply, 1);
	if (status == -1 || http_next(h, &reply, f) == -1)
		return -1;
	if (reply.status == 200)
		return take_file(h, path, fd, f);
	if (reply.status == 404)
		return fault_set(f, STATUS_NO, "file_not_found", "%s: not in the sandbox", path);
	http_rest(h, &reply.body, PIECE, f);
	docker_refused(&reply.body, reply.status, "get_refused", path, f);
	http_free(&reply, 1);
	return -1;
}

int
docker_get(const struct site *s, const char *id, const char *path, int out_fd, struct fault *f)
{
	auto_free char *whole = x_printf("%s%s", *path == '/' ? "" : DOCKER_WORKSPACE "/", path);
	auto_free char *look = x_printf("/containers/%s/json", id);
	auto_buf struct buf archive = {0};
	struct docker d = {.site = s};
	struct http *h;
	int status;

	buf_printf(&archive, "/containers/%s/archive?path=", id);
	http_escape(&archive, whole);
	h = docker_begin(&d,
	    (const struct http_request[]) {{.method = "GET", .path = look}, {.method = "GET", .path = archive.data}}, 2,
	    clock_deadline(GET_MS), f);
	status = h == NULL ? -1 : take_replies(&d, id, path, h, out_fd, f);
	http_end(h);
	docker_doubt(&d, id, f);
	return status;
}
