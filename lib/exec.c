/* exec - one command in a sandbox, and what came of it */

#include <string.h>
#include <unistd.h>

#include "environ.h"
#include "exec.h"
#include "fd.h"

/* Drop what is in front of the last KEEP bytes. */
static void
trim(struct buf *b, size_t keep)
{
	if (b->len > keep) {
		memmove(b->data, b->data + b->len - keep, keep);
		b->len = keep;
		b->data[keep] = '\0';
	}
}

int
exec_take(const struct exec_request *r, struct exec_result *result, bool error, const char *bytes, size_t len,
    struct fault *f)
{
	size_t before = (size_t)(result->out_bytes + result->err_bytes), room = before < r->most ? r->most - before : 0;
	struct buf *tail = error ? &result->err : &result->out;

	*(error ? &result->err_bytes : &result->out_bytes) += (int64_t)len;
	buf_add(tail, len > r->keep ? bytes + len - r->keep : bytes, len > r->keep ? r->keep : len);
	if (tail->len > 2 * r->keep)
		trim(tail, r->keep);
	if ((r->whole_fd != -1 && fd_write(r->whole_fd, bytes, len < room ? len : room) == -1) ||
	    (r->live && fd_write(error ? STDERR_FILENO : STDOUT_FILENO, bytes, len) == -1))
		return fault_errno(f, STATUS_TROUBLE, "output_unwritten", "the command's output can't be written");
	return 0;
}

void
exec_taken(const struct exec_request *r, struct exec_result *result)
{
	buf_add(&result->out, "", 0);
	buf_add(&result->err, "", 0);
	trim(&result->out, r->keep);
	trim(&result->err, r->keep);
	result->cut = result->out.len < (size_t)result->out_bytes || result->err.len < (size_t)result->err_bytes;
}

void
exec_free(struct exec_result *r)
{
	buf_free(&r->out);
	buf_free(&r->err);
}

int
exec_check_purpose(const struct exec_request *r, const char *purpose, struct fault *f)
{
	if (purpose != NULL &&
	    (strcmp(purpose, "app_validation") == 0 || (r->own && strcmp(purpose, "artifact_preview") == 0)))
		return 0;
	return fault_set(f, STATUS_NO, "purpose_refused",
	    "%s: no commands are run in a sandbox of purpose %s (see sbx(7))", r->id,
	    purpose != NULL ? purpose : "unknown");
}

int
exec_check_env(const json_t *env, struct fault *f)
{
	const char *name;
	json_t *value;

	json_object_foreach ((json_t *)env, name, value) {
		if (!environ_is_name(name))
			return fault_set(f, STATUS_TROUBLE, "env_invalid",
			    "environment: '%s' is no name: letters, digits and _, not starting with a digit", name);
		if (!json_is_string(value))
			return fault_set(
			    f, STATUS_TROUBLE, "env_invalid", "environment: the value of %s is no text", name);
	}
	return 0;
}
