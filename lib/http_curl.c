/* http_curl - the curl program at work for http: its configuration and its process */

#include <ctype.h>
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "fd.h"
#include "http_curl.h"
#include "setting.h"
#include "stop.h"

enum {
	END_MS = 2000 /* for a curl that has nothing left to do, or was killed */
};

/* Adds one of curl's long options to a text, in the syntax of whoever is to read it. */
typedef void option_fn(struct buf *, const char *name, const char *value);

/* The syntax of curl's configuration (curl(1), --config). */
static void
config_option(struct buf *b, const char *name, const char *value)
{
	buf_text(b, name);
	if (value != NULL) {
		buf_text(b, " = \"");
		for (; *value != '\0'; value++)
			if (*value == '\n')
				buf_text(b, "\\n");
			else if (*value == '\t')
				buf_text(b, "\\t");
			else
				buf_printf(b, "%s%c", *value == '"' || *value == '\\' ? "\\" : "", *value);
		buf_text(b, "\"");
	}
	buf_text(b, "\n");
}

static void
shell_option(struct buf *b, const char *name, const char *value)
{
	buf_printf(b, " --%s", name);
	if (value == NULL)
		return;
	buf_text(b, " '");
	for (; *value != '\0'; value++)
		if (*value == '\'')
			buf_text(b, "'\\''");
		else
			buf_add(b, value, 1);
	buf_text(b, "'");
}

/* SECRETS: with them, for curl; else with what people are shown in their place, which their shell fills in. */
static void
describe_headers(struct buf *b, option_fn *option, const struct http_header *h, bool secrets)
{
	for (; h != NULL && h->name != NULL; h++) {
		auto_free char *text = x_printf("%s: %s", h->name, h->value);

		if (h->shown != NULL && !secrets)
			buf_printf(b, " --header \"%s: %s\"", h->name, h->shown);
		else
			option(b, "header", text);
	}
}

/* What makes up one request. BODY says where the body is: "@FILE", or itself. */
static void
describe(struct buf *b, option_fn *option, const struct http_server *s, const struct http_request *r, const char *body)
{
	auto_free char *url = x_printf("%s%s", s->base, r->path);
	auto_free char *type = r->type != NULL ? x_printf("Content-Type: %s", r->type) : NULL;

	option(b, "silent", NULL);
	option(b, "globoff", NULL);
	option(b, "noproxy", "*");
	if (s->socket != NULL)
		option(b, "unix-socket", s->socket);
	if (strcmp(r->method, "HEAD") == 0)
		option(b, "head", NULL);
	else if (strcmp(r->method, "GET") != 0)
		option(b, "request", r->method);
	if (type != NULL)
		option(b, "header", type);
	/* Without this curl asks for leave to send a large body, and waits a second for an answer. */
	option(b, "header", "Expect:");
	describe_headers(b, option, r->headers, option == config_option);
	if (r->body != NULL)
		option(b, "data-binary", body);
	else if (body != NULL)
		option(b, "upload-file", body);
	if (!r->may_fail)
		option(b, "fail-with-body", NULL);
	if (r->follow) {
		option(b, "location", NULL);
		option(b, "max-redirs", "5");
		option(b, "proto-redir", "=http,https");
	}
	option(b, "url", url);
}

void
http_show(const struct http_server *s, const struct http_request *r, size_t count, FILE *to)
{
	auto_buf struct buf text = {0};

	for (size_t i = 0; i < count; i++, r++) {
		char link[32], file[4096] = "";

		snprintf(link, sizeof link, "/proc/self/fd/%d", r->body_fd);
		if (r->body == NULL && r->body_fd > 0 && readlink(link, file, sizeof file - 1) == -1)
			err(2, "%s", link);
		buf_text(&text, i == 0 ? "curl -q --fail-early" : " --next");
		describe(&text, shell_option, s, r, r->body != NULL ? r->body : *file ? file : NULL);
	}
	fprintf(to, "%s\n", text.data);
}

void
http_escape(struct buf *b, const char *text)
{
	for (; *text != '\0'; text++)
		buf_printf(
		    b, isalnum((unsigned char)*text) || strchr("-._~", *text) ? "%c" : "%%%02X", (unsigned char)*text);
}

/* Bodies travel in files of memory: curl reads its whole configuration before it starts, and bounds the lines of it. */
static int
body_of(const struct http_request *r)
{
	if (r->body != NULL)
		return fd_memory_with("body", r->body, r->len);
	return r->body_fd > 0 ? fcntl(r->body_fd, F_DUPFD_CLOEXEC, 3) : -1;
}

static void
configure(struct buf *b, struct curl *c, const struct http_request *r, size_t count, const char *mark)
{
	auto_free char *seconds = x_printf("%.3f", (clock_left(c->deadline) + 1) / 1000.0);
	/* Curl buffers what it says on standard output behind a reply; on standard error, the same pipe, it comes at once. */
	auto_free char *report = x_printf("%%{stderr}\n%s\t%%{exitcode}\t%%{size_request}\t%%{errormsg}\n", mark);
	size_t bodies = 0;

	config_option(b, "fail-early", NULL);
	for (size_t i = 0; i < count; i++, r++) {
		int fd = body_of(r);
		auto_free char *body = fd == -1 ? NULL : x_printf("%s/dev/fd/%d", r->body != NULL ? "@" : "", fd);

		if (fd != -1)
			c->bodies[bodies++] = fd;
		if (i > 0)
			config_option(b, "next", NULL);
		describe(b, config_option, c->server, r, body);
		config_option(b, "max-time", seconds);
		config_option(b, "no-buffer", NULL);
		config_option(b, "include", NULL);
		config_option(b, "write-out", report);
	}
	c->bodies[bodies] = -1;
}

static void
close_bodies(struct curl *c)
{
	for (int *fd = c->bodies; *fd != -1; fd++)
		close(*fd);
	free(c->bodies);
}

int
curl_start(struct curl *c, const struct http_server *s, const struct http_request *r, size_t count, const char *mark,
    int64_t deadline, struct fault *f)
{
	static const char *const argv[] = {"curl", "-q", "--config", "-", NULL};
	auto_free char *path = x_printf("PATH=%s", setting_text("PATH", "/usr/local/bin:/usr/bin:/bin"));
	const char *envp[] = {path, NULL};
	auto_buf struct buf config = {0};
	auto_close int in = -1, out = -1;
	int ends[2];

	*c = (struct curl) {.server = s, .out = -1, .deadline = deadline};
	c->bodies = x_zalloc(count + 1, sizeof *c->bodies);
	configure(&config, c, r, count, mark);
	in = fd_memory_with("curl", config.data, config.len);
	if (pipe2(ends, O_CLOEXEC) == -1)
		err(2, "pipe");
	c->out = ends[0];
	out = ends[1];
	if (tree_start(
	        &(struct tree_spec) {
	            .argv = argv, .envp = envp, .stdio = {in, out, out}, .alone = true, .keep = c->bodies},
	        &c->tree) == 0)
		return 0;
	close(c->out);
	close_bodies(c);
	return fault_set(f, STATUS_TROUBLE, "curl_missing", "curl: %s", strerror(c->tree.error));
}

static const char *
where(const struct http_server *s)
{
	return s->socket != NULL ? s->socket : s->base;
}

ssize_t
curl_read(struct curl *c, void *bytes, size_t len, struct fault *f)
{
	int64_t idle = clock_deadline(c->idle_ms);
	bool bounded = c->idle_ms > 0 && idle < c->deadline;

	switch (tree_wait_reading(&c->tree, c->out, bounded ? idle : c->deadline)) {
	case TREE_DEADLINE:
		if (bounded)
			return fault_set(f, STATUS_TROUBLE, "service_silent", "%s: nothing came for %lld s",
			    where(c->server), (long long)(c->idle_ms / 1000));
		return curl_fault(c->server, 28, "", f);
	case TREE_STOPPED:
		return stop_fault(f);
	default:
		/* Nobody else holds the pipe, so that once curl ended this gives what is left, and then the end. */
		return read(c->out, bytes, len);
	}
}

int
curl_end(struct curl *c, bool finish)
{
	int64_t deadline = clock_deadline(END_MS);

	close(c->out);
	close_bodies(c);
	stop_hold(true);
	if (finish)
		tree_wait(&c->tree, deadline);
	tree_end(&c->tree, 0, deadline);
	stop_hold(false);
	return c->tree.ended ? c->tree.status : 128;
}

int
curl_fault(const struct http_server *s, int code, const char *words, struct fault *f)
{
	switch (code) {
	case 6: /* from curl(1), EXIT CODES */
		return fault_set(f, STATUS_TROUBLE, "service_refused", "%s: no such host", where(s));
	case 7:
		return fault_set(f, STATUS_TROUBLE, "service_refused", "%s: nobody answers there", where(s));
	case 28:
		return fault_set(f, STATUS_TROUBLE, "service_timeout", "%s: no whole answer in time", where(s));
	case 27: /* curl bounds the lines of a head at 100 KiB */
		return fault_set(f, STATUS_TROUBLE, "reply_too_large", "%s: curl has no room for the answer", where(s));
	case 18:
	case 52:
	case 55:
	case 56:
		return fault_set(f, STATUS_TROUBLE, "service_cut", "%s: the connection was cut: %s", where(s), words);
	default:
		return fault_set(f, STATUS_TROUBLE, "service_cut", "%s: curl ended with %d: %s", where(s), code,
		    *words ? words : "no words");
	}
}
