/* template_send - the files that a template is built from, on their way to E2B */

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "clock.h"
#include "program.h"
#include "template_parts.h"

enum {
	PACK_MS = 600000,
	HEADERS_MOST = 16
};

/* The files of a COPY step, as a tar that is the same for the same files. */
static int
pack(const struct template_build *b, const char *source, int out, struct fault *f)
{
	const char *const argv[] = {"tar", "--sort=name", "--mtime=@0", "--owner=0", "--group=0", "--numeric-owner",
	    "--format=gnu", "-C", b->context_path, "-cz", "--", source, NULL};
	static const char *const envp[] = {"LC_ALL=C", NULL};
	int64_t soon = clock_deadline(PACK_MS);

	return program_run(&(struct program) {.argv = argv,
	                       .envp = envp,
	                       .in = -1,
	                       .out = out,
	                       .deadline = soon < b->deadline ? soon : b->deadline,
	                       .reason = "stage_failed",
	                       .subject = source},
	    NULL, f);
}

/* Which headers the address wants, for as long as ANSWER lives. */
static int
take_headers(const json_t *answer, struct http_header *headers, struct fault *f)
{
	const char *name;
	json_t *value;
	size_t count = 0;

	json_object_foreach (json_object_get(answer, "headers"), name, value) {
		const char *text = json_string_value(value);

		if (text == NULL || count == HEADERS_MOST || strpbrk(text, "\r\n") != NULL ||
		    strpbrk(name, "\r\n: ") != NULL)
			return fault_set(
			    f, STATUS_TROUBLE, "e2b_reply_invalid", "the service's answer has no plain headers");
		if (strcasecmp(name, "content-length") != 0)
			headers[count++] = (struct http_header) {name, text, NULL};
	}
	return 0;
}

/* To an address that carries its own permission. */
static int
put(const struct template_build *b, const char *source, const json_t *answer, int file, struct fault *f)
{
	struct http_header headers[HEADERS_MOST + 1] = {0};
	const char *url = json_text_at(answer, "url"), *host = url != NULL ? strstr(url, "://") : NULL, *path;
	struct http_reply reply = {0};
	int status;

	if (host == NULL || strncmp(url, "http", 4) != 0 || (path = strchr(host + 3, '/')) == NULL ||
	    strpbrk(url, " \"\\\r\n") != NULL)
		return fault_set(f, STATUS_TROUBLE, "e2b_reply_invalid", "the service's answer has no address");
	auto_free char *base = x_strndup(url, (size_t)(path - url));

	if (take_headers(answer, headers, f) == -1)
		return -1;
	status = http_send(&(struct http_server) {.base = base},
	    &(struct http_request) {.method = "PUT", .path = path, .body_fd = file, .headers = headers}, &reply, 1,
	    b->deadline, f);
	if (status == 0 && !template_is_good(&reply))
		status =
		    fault_set(f, STATUS_TROUBLE, "upload_refused", "%s: %s refuses it: %d", source, base, reply.status);
	http_free(&reply, 1);
	return status;
}

static int
upload(const struct template_build *b, const char *source, const json_t *answer, struct fault *f)
{
	auto_close int file = open(b->spare, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (file == -1)
		return fault_errno(f, STATUS_TROUBLE, "stage_failed", "%s", b->spare);
	if (pack(b, source, file, f) == -1)
		return -1;
	cli_warn("%s: uploading %lld bytes", source, (long long)lseek(file, 0, SEEK_END));
	return put(b, source, answer, file, f);
}

int
template_send(struct e2b *e, const struct template_build *b, json_t *step, struct fault *f)
{
	const json_t *args = json_object_get(step, "args");
	const char *source = json_string_value(json_array_get(args, 0));
	json_auto_t *answer = NULL;
	auto_free char *path = NULL;
	char hash[DIGEST_TEXT];
	struct http_reply reply = {0};
	int status;

	if (context_files_hash(b->context, source, json_string_value(json_array_get(args, 1)), hash, f) == -1)
		return -1;
	json_object_set_new(step, "filesHash", json_string(hash));
	path = x_printf("/templates/%s/files/%s", b->template_id, hash);
	status = template_call(e, b, "GET", path, NULL, &reply, f);
	if (status == 0 && !template_is_good(&reply))
		status = template_refused(&reply, "upload_refused", source, f);
	if (status == 0 && (answer = e2b_json(&reply, f)) == NULL)
		status = -1;
	http_free(&reply, 1);
	if (status == 0 && json_true_at(answer, "present"))
		cli_warn("%s: the service has it already", source);
	else if (status == 0)
		status = upload(b, source, answer, f);
	return status;
}
