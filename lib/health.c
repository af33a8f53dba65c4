/* health - is the app in a sandbox up, and is it the one that it should be? */

#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "health.h"
#include "provider_face.h"
#include "stop.h"

#define HEALTH_INSIDE "/usr/local/libexec/sbx/sbx-health" /* in every image: sbx-image(7) */

#define SHELL_CONFIG "/api/shell-config" /* of the host that an app runs in, through its shell */

enum {
	REPORT_MOST = 8192,
	WAY_MS = 300 /* for the question to go in and the answer to come out */
};

static void
add_words(struct buf *b, const char *option, const char *name, const char *separator, const char *value)
{
	auto_free char *word = x_printf("%s%s%s", name, separator, value);

	buf_printf(b, " --%s ", option);
	buf_shell(b, word);
}

/* The same question for the program inside. */
static void
add_command(struct buf *b, const struct probe *p, int left_s)
{
	const char *name;
	json_t *value;

	buf_printf(b, "exec " HEALTH_INSIDE " --report --timeout %d", left_s);
	add_words(b, p->url != NULL ? "http" : "tcp", p->url != NULL ? p->url : p->tcp, "", "");
	if (p->good > 0)
		buf_printf(b, " --good %d", p->good);
	if (p->each_ms > 0)
		buf_printf(b, " --each %lld", (long long)(p->each_ms / 1000));
	if (p->least > 0)
		buf_printf(b, " --status %d-%d", p->least, p->most);
	if (p->host != NULL)
		add_words(b, "host", p->host, "", "");
	if (p->body != NULL)
		add_words(b, "body", p->body, "", "");
	if (p->follow)
		buf_text(b, " --location");
	json_object_foreach ((json_t *)p->header, name, value)
		add_words(b, "header", name, "=", json_string_value(value));
	json_object_foreach ((json_t *)p->member, name, value) {
		auto_buf struct buf text = {0};

		json_add_text(&text, value);
		buf_printf(b, " --json .");
		buf_shell(b, name);
		buf_text(b, "=");
		buf_shell(b, text.data);
	}
}

static bool
is_part(const char *word)
{
	static const char *const parts[] = {
	    "refused", "timed_out", "cut", "status", "host_rejected", "header", "body", "identity"};

	for (size_t i = 0; word != NULL && i < sizeof parts / sizeof *parts; i++)
		if (strcmp(word, parts[i]) == 0)
			return true;
	return false;
}

/* What the program inside reports. It comes from a sandbox, so it may be anything. */
static int
take_report(const struct exec_result *r, const char *id, struct probe_tally *t, struct fault *f)
{
	char why[JSON_ERROR_TEXT_LENGTH];
	json_auto_t *report = json_parse(r->out.data, r->out.len, why);
	const char *part = json_text_at(report, "failure.part"), *message = json_text_at(report, "failure.message");

	t->attempts = json_int_at(report, "attempts", 0);
	if (r->exit_code == 126 || r->exit_code == 127)
		return fault_set(f, STATUS_TROUBLE, "image_unfit",
		    "%s: its image has no " HEALTH_INSIDE ": build the image again (make image)", id);
	if (r->timed_out)
		return fault_set(f, STATUS_NO, "timed_out", "%s: no answer from the inside in time", id);
	if (r->exit_code == 0 && json_true_at(report, "healthy"))
		return 0;
	if (r->exit_code == STATUS_NO && is_part(part) && message != NULL)
		return fault_set(f, STATUS_NO, part, "%s", message);
	return fault_set(f, STATUS_TROUBLE, "probe_failed", "%s: the program inside ended with %d: %.*s", id,
	    r->exit_code, (int)strcspn(r->err.data, "\n"), r->err.data);
}

/* The provider of that name, with its site open. */
static const struct provider *
open_provider(const struct health *h, const char *name, struct site *s, struct fault *f)
{
	const struct provider *p = provider_find(name);

	*s = (struct site) {0};
	if (p == NULL || p->exec == NULL || p->url == NULL)
		fault_fill(f, STATUS_TROUBLE, "provider_unknown", "provider '%s': unknown, or without previews", name);
	else if (site_open(s, name, h->socket, NULL, f) == 0)
		return p;
	return NULL;
}

static int
ask_inside(const struct provider *p, const struct site *s, const struct probe *probe, const char *id, int64_t deadline,
    struct probe_tally *t, struct fault *f)
{
	auto_buf struct buf command = {0};
	struct exec_request request = {.id = id, .keep = REPORT_MOST, .whole_fd = -1, .own = true};
	struct exec_result result = {0};
	int64_t began = clock_now();
	/* It takes whole seconds, of which one is the least. */
	int left_s = (clock_left(deadline) - WAY_MS) / 1000, status;

	left_s = left_s > 0 ? left_s : 1;
	*t = (struct probe_tally) {0};
	add_command(&command, probe, left_s);
	request.command = command.data;
	request.limit_ms = left_s * 1000 + WAY_MS;
	status = p->exec(s, &request, &result, f);
	if (status == 0)
		status = take_report(&result, id, t, f);
	exec_free(&result);
	t->duration_ms = clock_now() - began;
	if (status == 0 && clock_now() > deadline)
		status = fault_set(f, STATUS_NO, "timed_out", "%s: the answer from the inside came too late", id);
	return status;
}

int
health_via(const struct health *h, const char *via, int64_t deadline, struct probe_tally *t, struct fault *f)
{
	auto_free char *name = x_strndup(via, strcspn(via, ":"));
	const char *id = via + strlen(name) + (via[strlen(name)] == ':');
	const struct provider *p;
	struct site site = {0};
	int status = -1;

	if (!face_is_id(id))
		return fault_set(f, STATUS_TROUBLE, "probe_invalid", "'%s' is no PROVIDER:ID", via);
	if ((p = open_provider(h, name, &site, f)) != NULL)
		status = ask_inside(p, &site, &h->probe, id, deadline, t, f);
	site_close(&site);
	return status;
}

/* What is asked of one line's sandbox, and of whom. */
struct question {
	struct probe probe;
	char *url;        /* owned: the probe's, or the sandbox's own */
	json_t *identity; /* owned: the members of the default question */
	bool inside;
};

static void
question_free(struct question *q)
{
	free(q->url);
	json_decref(q->identity);
}

/* Where the path is asked: at the published port, or inside where there is none. */
static int
find_url(struct question *q, const struct health *h, const struct provider *p, const struct site *s, const char *id,
    const char *path, struct fault *f)
{
	json_auto_t *url = p->url(s, id, h->port, f);

	if (url == NULL)
		return -1;
	q->inside = !json_is_string(url);
	if (q->inside)
		q->url = x_printf("http://localhost:%d%s", h->port, path);
	else
		q->url = x_printf("%s%s", json_string_value(url), path);
	q->probe.url = q->url;
	return 0;
}

/* The question of the options; by default whether the shell there has the app that the bundle is. */
static int
form(struct question *q, const struct health *h, const struct line *l, const struct provider *p, const struct site *s,
    const char *id, struct fault *f)
{
	const char *app_id = json_text_at(l->root, "bundle.app_id");

	q->probe = h->probe;
	if (q->probe.tcp != NULL) {
		q->inside = true;
		q->url = x_printf("localhost%s", q->probe.tcp);
		q->probe.tcp = q->url;
		return 0;
	}
	if (q->probe.url != NULL)
		return find_url(q, h, p, s, id, q->probe.url, f);
	if (app_id == NULL)
		return fault_set(f, STATUS_TROUBLE, "app_id_missing",
		    "stdin:%lu: the bundle has no app_id, so say with --http what is to be asked", l->number);
	q->identity = h->probe.member != NULL ? json_copy((json_t *)h->probe.member) : json_object();
	json_object_set_new(q->identity, "appId", json_string(app_id));
	q->probe.member = q->identity;
	return find_url(q, h, p, s, id, SHELL_CONFIG, f);
}

static int
answer(struct line *l, const struct question *q, int status, const struct probe_tally *t, struct fault *f)
{
	json_t *report;

	/* That the app is not healthy is a result; all else is an error. */
	if (status == -1 && !is_part(f->reason))
		return -1;
	report = probe_report(t, f);
	if (q->probe.url != NULL && !q->inside)
		json_object_set_new(report, "url", json_string(q->probe.url));
	line_add(l, "health", report);
	if (status == -1)
		cli_warn("%s", f->message);
	fault_clear(f);
	return status == -1 ? STATUS_NO : 0;
}

/* A port that does not answer may be one of a sandbox that is no more, which is for its provider to say. */
static int
ask_outside(const struct health *h, const struct question *q, const struct provider *p, const struct site *s,
    const char *id, int64_t deadline, struct probe_tally *t, struct fault *f)
{
	struct fault gone = {0};
	json_t *url;

	if (probe_wait(&q->probe, deadline, t, f) == 0)
		return 0;
	if (!is_part(f->reason))
		return -1;
	url = p->url(s, id, h->port, &gone);
	if (url == NULL) {
		fault_clear(f);
		*f = gone;
	}
	json_decref(url);
	return -1;
}

static int
check_line(struct line *l, void *context, struct fault *f)
{
	const struct health *h = context;
	const char *name = json_text_at(l->root, "sandbox.provider"), *id = json_text_at(l->root, "sandbox.id");
	int64_t deadline = clock_deadline(h->limit_ms);
	struct probe_tally tally = {0};
	struct question q = {0};
	const struct provider *p;
	struct site site;
	int status = -1;

	if (name == NULL || id == NULL || !face_is_id(id))
		return fault_set(f, STATUS_TROUBLE, "sandbox_missing",
		    "stdin:%lu: no sandbox with a provider and an id: create comes before", l->number);
	if ((p = open_provider(h, name, &site, f)) != NULL && form(&q, h, l, p, &site, id, f) == 0) {
		if (q.inside)
			status = ask_inside(p, &site, &q.probe, id, deadline, &tally, f);
		else
			status = ask_outside(h, &q, p, &site, id, deadline, &tally, f);
		status = answer(l, &q, status, &tally, f);
	}
	question_free(&q);
	site_close(&site);
	return status;
}

int
health_lines(struct health *h)
{
	static const struct line_stage stage = {{"health"}, .work = check_line};

	return line_each(&stage, h);
}
