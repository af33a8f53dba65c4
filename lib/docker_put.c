/* docker_put - send the staged tar into a sandbox, and read back that it arrived */

#include "clock.h"
#include "crash.h"
#include "docker.h"
#include "docker_verb.h"
#include "readback.h"

enum {
	PUT_MS = 180000,
	PIECE = 65536
};

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
take_readback(const char *id, struct http *h, struct readback *e, struct fault *f)
{
	struct http_reply head;

	if (http_next(h, &head, f) == -1)
		return -1;
	if (head.status == 200)
		return readback_check(e, h, f);
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
	struct readback e = {.workspace = DOCKER_WORKSPACE, .owned = true};
	struct http *h = NULL;
	json_t *put = NULL;

	if (readback_expect(&e, manifest, f) == 0 && docker_recall(s, id, &known, f) == 0) {
		if (!known.known && s->show == NULL)
			fault_fill(f, STATUS_NO, "sandbox_foreign", "%s: not a sandbox of this store", id);
		else
			h = docker_begin(&d, r, 3, clock_deadline(PUT_MS), f);
	}
	if (h != NULL && take_upload(&d, id, h, f) == 0 && take_readback(id, h, &e, f) == 0)
		put = readback_member(&e);
	http_end(h);
	docker_doubt(&d, id, f);
	readback_free(&e);
	return put;
}
