/* e2b_files - send the staged tar into a sandbox and read back that it arrived; the bytes of one file of it */

#include <string.h>

#include "clock.h"
#include "crash.h"
#include "e2b_process.h"
#include "e2b_verbs.h"
#include "fd.h"
#include "id.h"
#include "readback.h"

enum {
	PUT_MS = 180000,
	GET_MS = 180000,
	SAID_MOST = 300, /* bytes of what tar(1) said that are passed on */
	PIECE = 65536
};

/* Unpack as the sandbox's own user, and make a tar of what is there then. */
static const char unpack[] =
    "umask 022 && mkdir -p \"$1\" && tar -xf \"$2\" -C \"$1\" --no-same-owner && rm -f \"$2\" &&\n"
    "tar --format=gnu -cf \"$3\" -C \"$1\" .";

/* What a command in the sandbox said last. */
struct said {
	char text[SAID_MOST + 1];
};

static int
listen(bool error, const char *bytes, size_t len, void *context, struct fault *f)
{
	struct said *said = context;
	size_t have = strlen(said->text), room = SAID_MOST - have;

	(void)f;
	if (error)
		strncat(said->text, bytes, len < room ? len : room);
	return 0;
}

static int
run(struct e2b *e, struct e2b_sandbox *s, const char *const *args, int64_t deadline, struct fault *f)
{
	struct said said = {""};
	struct e2b_process process = {0};
	struct e2b_reader reader = {.process = &process, .sink = listen, .context = &said};

	if (e2b_process_run(e, s, args, NULL, NULL, deadline, &reader, f) == -1)
		return -1;
	if (!process.exited || process.exit_code != 0)
		return fault_set(f, STATUS_TROUBLE, "put_refused", "%s: unpacking in the sandbox ended with %s: %s",
		    s->id, process.words, said.text);
	return 0;
}

/* "/files?path=..." */
static char *
file_path(const char *path)
{
	auto_buf struct buf text = {0};

	buf_text(&text, "/files?path=");
	http_escape(&text, path);
	return x_steal(text.data);
}

static int
upload(struct e2b *e, struct e2b_sandbox *s, const char *path, int fd, int64_t deadline, struct fault *f)
{
	auto_free char *where = file_path(path);
	struct http_request send = {.method = "POST", .path = where, .type = "application/octet-stream", .body_fd = fd};
	struct http *h = e2b_begin(e, s, &send, 1, deadline, f);
	struct http_reply reply = {0};
	int status = h == NULL ? -1 : http_collect(h, &reply, 1, f);

	http_end(h);
	crash_point("e2b.put.sent");
	if (status == 0 && reply.status != 200)
		status = e2b_refused(&reply, "put_refused", s->id, f);
	http_free(&reply, 1);
	return status;
}

static int
read_back(struct e2b *e, struct e2b_sandbox *s, const char *path, struct readback *b, int64_t deadline, struct fault *f)
{
	auto_free char *where = file_path(path);
	struct http_request ask = {.method = "GET", .path = where};
	struct http *h = e2b_begin(e, s, &ask, 1, deadline, f);
	struct http_reply head = {0};
	int status = h == NULL || http_next(h, &head, f) == -1 ? -1 : 0;

	if (status == 0 && head.status == 200)
		status = readback_check(b, h, f);
	else if (status == 0) {
		if ((status = http_rest(h, &head.body, PIECE, f)) == 0)
			status = e2b_refused(&head, "put_unverified", s->id, f);
		http_free(&head, 1);
	}
	http_end(h);
	return status;
}

/* What is shown under -n goes on after each step. */
static bool
goes_on(const struct site *s, int status, struct fault *f)
{
	if (s->show != NULL)
		fault_clear(f);
	return status == 0 || s->show != NULL;
}

json_t *
e2b_put(const struct site *s, const char *id, int tar_fd, const json_t *manifest, struct fault *f)
{
	struct readback b = {.workspace = s->e2b.workdir};
	char nonce[ID_RUN + 1];
	auto_free char *sent = NULL, *back = NULL;
	auto_e2b struct e2b e = {0};
	auto_sandbox struct e2b_sandbox sandbox = {0};
	int64_t deadline = clock_deadline(PUT_MS);
	json_t *put = NULL;

	id_hex(nonce, ID_RUN);
	sent = x_printf("/tmp/sbx-%s.tar", nonce);
	back = x_printf("/tmp/sbx-%s.back.tar", nonce);
	if (readback_expect(&b, manifest, f) == 0 && e2b_open(&e, s, f) == 0 &&
	    e2b_look(&e, id, E2B_TOUCH, &sandbox, f) == 0 &&
	    goes_on(s, upload(&e, &sandbox, sent, tar_fd, deadline, f), f)) {
		const char *const args[] = {"/bin/sh", "-c", unpack, "sbx", s->e2b.workdir, sent, back, NULL};
		const char *const clean[] = {"/bin/rm", "-f", sent, back, NULL};
		int status = run(&e, &sandbox, args, deadline, f);

		crash_point("e2b.put.unpacked");
		if (goes_on(s, status, f) && goes_on(s, read_back(&e, &sandbox, back, &b, deadline, f), f) &&
		    run(&e, &sandbox, clean, deadline, f) == 0)
			put = readback_member(&b);
	}
	readback_free(&b);
	return put;
}

/* Links are not followed: where they lead is for the sandbox to say. */
static int
check_file(const struct http_reply *reply, const char *path, struct fault *f)
{
	json_auto_t *answer = NULL;
	const char *type;

	if (reply->status == 404)
		return fault_set(f, STATUS_NO, "file_not_found", "%s: not in the sandbox", path);
	if (reply->status != 200)
		return e2b_refused(reply, "get_refused", path, f);
	if ((answer = e2b_json(reply, f)) == NULL)
		return -1;
	type = json_text_at(answer, "entry.type");
	if (type == NULL || strcmp(type, "FILE_TYPE_FILE") != 0 || json_text_at(answer, "entry.symlinkTarget") != NULL)
		return fault_set(f, STATUS_NO, "not_a_file", "%s: not a regular file", path);
	return 0;
}

static int
copy(struct http *h, const char *path, int fd, struct fault *f)
{
	auto_free char *piece = x_alloc(PIECE);
	ssize_t n;

	while ((n = http_read(h, piece, PIECE, f)) > 0)
		if (fd_write(fd, piece, (size_t)n) == -1)
			return fault_errno(f, STATUS_TROUBLE, "output_unwritten", "%s", path);
	return (int)n;
}

static int
take(struct http *h, const char *path, int fd, struct fault *f)
{
	struct http_reply reply = {0};
	int status = http_collect(h, &reply, 1, f);

	if (status == 0)
		status = check_file(&reply, path, f);
	http_free(&reply, 1);
	if (status == -1 || http_next(h, &reply, f) == -1)
		return -1;
	if (reply.status == 200)
		return copy(h, path, fd, f);
	if (http_rest(h, &reply.body, PIECE, f) == 0)
		e2b_refused(&reply, "get_refused", path, f);
	http_free(&reply, 1);
	return -1;
}

int
e2b_get(const struct site *s, const char *id, const char *path, int out_fd, struct fault *f)
{
	auto_free char *whole = e2b_inside(s, path);
	auto_free char *where = file_path(whole);
	json_auto_t *stat = json_make("{s:s}", "path", whole);
	auto_buf struct buf text = {0};
	auto_e2b struct e2b e = {0};
	auto_sandbox struct e2b_sandbox sandbox = {0};
	struct http *h;
	int status;

	json_add_text(&text, stat);
	if (e2b_open(&e, s, f) == -1 || e2b_look(&e, id, E2B_TOUCH, &sandbox, f) == -1)
		return -1;
	h = e2b_begin(&e, &sandbox,
	    (struct http_request[]) {{.method = "POST",
	                                 .path = "/filesystem.Filesystem/Stat",
	                                 .type = "application/json",
	                                 .body = text.data,
	                                 .len = text.len},
	        {.method = "GET", .path = where}},
	    2, clock_deadline(GET_MS), f);
	status = h == NULL ? -1 : take(h, path, out_fd, f);
	http_end(h);
	return status;
}
