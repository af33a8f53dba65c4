/* sbx-health - wait until an app answers, and as the app it should be */

#include <bsd/stdlib.h>
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "health.h"
#include "stop.h"
#include "x.h"

static struct health health = {.port = 3000};
static long long limit_s = 60, each_s;
static const char *via;
static bool report;
static json_t *headers, *members;

/* Put NAME=VALUE into the object. */
static void
put(const struct cli_option *o, const char *arg, json_t **object, json_t *(*value_of)(const char *))
{
	auto_free char *name = x_strndup(arg, strcspn(arg, "="));

	if (*name == '\0' || arg[strlen(name)] == '\0')
		cli_usage("--%s takes %s, not '%s'", o->name, o->arg, arg);
	if (*object == NULL)
		*object = json_object();
	if (json_object_set_new(*object, name, value_of(arg + strlen(name) + 1)) == -1)
		cli_usage("--%s '%s': is not UTF-8", o->name, arg);
}

static void
set_header(const struct cli_option *o, const char *arg)
{
	put(o, arg, &headers, json_string);
	health.probe.header = headers;
}

/* Text that is JSON is that value; any other is a text. */
static json_t *
json_or_text(const char *text)
{
	char why[JSON_ERROR_TEXT_LENGTH];
	json_t *value = json_parse_any(text, strlen(text), why);

	return value != NULL ? value : json_string(text);
}

static void
set_member(const struct cli_option *o, const char *arg)
{
	if (*arg != '.')
		cli_usage("--%s takes %s, not '%s'", o->name, o->arg, arg);
	put(o, arg + 1, &members, json_or_text);
	health.probe.member = members;
}

static void
set_status(const struct cli_option *o, const char *arg)
{
	const char *most = arg[strcspn(arg, "-")] == '-' ? arg + strcspn(arg, "-") + 1 : arg, *wrong[2];
	auto_free char *least = x_strndup(arg, strcspn(arg, "-"));

	health.probe.least = (int)strtonum(least, 100, 599, &wrong[0]);
	health.probe.most = (int)strtonum(most, health.probe.least, 599, &wrong[1]);
	if (wrong[0] != NULL || wrong[1] != NULL)
		cli_usage("--%s takes one status from 100 to 599, or two with - between them, not '%s'", o->name, arg);
}

static void
set_good(const struct cli_option *o, const char *arg)
{
	const char *wrong;

	health.probe.good = (int)strtonum(arg, 1, 1000, &wrong);
	if (wrong != NULL)
		cli_usage("--%s takes a whole number from 1 to 1000, not '%s'", o->name, arg);
}

static const struct cli_option options[] = {
    {'c', "tcp", "[HOST]:PORT", "a connection must be taken; without a host it is looked for inside the line's sandbox",
        cli_text, &health.probe.tcp},
    {'u', "http", "URL|/PATH", "this must be answered; a path alone is asked of the line's sandbox", cli_text,
        &health.probe.url},
    {'s', "status", "FROM[-TO]", "http: with such a status (200-299)", set_status, NULL},
    {'H', "header", "NAME=TEXT", "http: with a header that holds this text; may be given again", set_header, NULL},
    {'b', "body", "TEXT", "http: with a body that holds this text", cli_text, &health.probe.body},
    {'j', "json", ".PATH=VALUE", "http: with JSON that has this member; may be given again", set_member, NULL},
    {'o', "host", "HOST", "http: when asked as this host", cli_text, &health.probe.host},
    {'L', "location", NULL, "http: after redirects", cli_flag, &health.probe.follow},
    {'g', "good", "NUMBER", "that many good answers in a row are wanted (1)", set_good, NULL},
    {'t', "timeout", "SECONDS", "the deadline of it all (60)", cli_seconds, &limit_s},
    {'e', "each", "SECONDS", "the longest that one ask may take (2)", cli_seconds, &each_s},
    {0, "via", "PROVIDER:ID", "ask from inside this sandbox", cli_text, &via},
    {'p', "port", "PORT", "the app's port in a line's sandbox (3000)", cli_port, &health.port},
    {0, "socket", "PATH", "the Docker Engine's socket", cli_text, &health.socket},
    {'r', "report", NULL, "print the result as JSON", cli_flag, &report},
    {0},
};

/* Does the question name no host, so that it is about the sandboxes of lines? */
static bool
is_for_lines(const struct probe *p)
{
	return p->url != NULL ? *p->url == '/' : p->tcp == NULL || *p->tcp == ':';
}

/* An option that says nothing to the question is a mistake, not noise. */
static void
check_options(const struct probe *p)
{
	bool lines = is_for_lines(p);
	const char *rest = p->tcp != NULL ? p->tcp : p->url != NULL ? p->url : "";
	auto_free char *text = x_printf("%slocalhost%s", p->tcp != NULL ? "" : "http://", rest);
	struct probe whole = *p;
	struct fault f = {0};

	if (p->tcp != NULL && p->url != NULL)
		cli_usage("--tcp and --http are two questions: one at a time");
	if (p->tcp != NULL &&
	    (p->least > 0 || p->header != NULL || p->body != NULL || p->member != NULL || p->host != NULL || p->follow))
		cli_usage("--status, --header, --body, --json, --host and --location go with --http");
	if (lines && (via != NULL || report))
		cli_usage("--via and --report need a --tcp or --http that names a host");
	if (lines && p->tcp != NULL)
		whole.tcp = text;
	else if (lines)
		whole.url = text;
	if (probe_check(&whole, &f) == -1)
		cli_usage("%s", f.message);
}

static int
tell(const struct probe_tally *t, const struct fault *f)
{
	json_t *result = probe_report(t, f);

	if (report) {
		json_dumpf(result, stdout, JSON_COMPACT);
		putchar('\n');
	}
	json_decref(result);
	if (fault_is(f))
		cli_warn("%s", f->message);
	else
		cli_explain(
		    "healthy after %lld ms, asked %lld times", (long long)t->duration_ms, (long long)t->attempts);
	return f->status;
}

int
main(int argc, char *argv[])
{
	static const struct cli cli = {SBX_TITLE, "", options, .command = false};
	struct probe_tally tally = {0};
	struct fault f = {0};
	int64_t deadline;

	cli_parse(&cli, &argc, &argv);
	if (argc > 0)
		cli_usage("it takes no operands");
	check_options(&health.probe);

	health.limit_ms = limit_s * 1000;
	health.probe.each_ms = each_s * 1000;
	deadline = clock_deadline(health.limit_ms);
	stop_catch();
	if (is_for_lines(&health.probe))
		return health_lines(&health);
	if (via != NULL)
		health_via(&health, via, deadline, &tally, &f);
	else
		probe_wait(&health.probe, deadline, &tally, &f);
	return cli_end(tell(&tally, &f));
}
