/* sbx-browse - look at a running preview with a real browser, follow its pages, take pictures */

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "id.h"
#include "path.h"
#include "review.h"
#include "setting.h"
#include "stop.h"
#include "x.h"

static long long limit_s = 120;
static const char *app_id, *engine_at, *output;
static bool json;

static const struct cli_option options[] = {
    {0, "app-id", "ID", "with a URL: the app that must answer there", cli_text, &app_id},
    {0, "json", NULL, "with a URL: print the review as JSON", cli_flag, &json},
    {'o', "output", "DIR", "put the pictures there instead of the run's directory", cli_text, &output},
    {0, "socket", "PATH", "the Docker Engine's socket", cli_text, &engine_at},
    {'t', "timeout", "SECONDS", "the most that one look may take (120)", cli_seconds, &limit_s},
    {0},
};

static const char *
text(const json_t *object, const char *member)
{
	const char *found = json_text_at(object, member);

	return found == NULL ? "" : found;
}

static void
show(const json_t *review)
{
	const json_t *one;
	size_t i;

	printf("%s: %s\n", text(review, "status"), text(review, "url"));
	json_array_foreach (json_object_get(review, "pages"), i, one)
		printf("page %s, %s: %s\n", text(one, "path"), text(one, "view"), text(one, "heading"));
	json_array_foreach (json_object_get(review, "problems"), i, one)
		printf("problem of %s, %s: %s: %s\n", text(one, "page"), text(one, "view"), text(one, "kind"),
		    text(one, "message"));
	json_array_foreach (json_object_get(review, "screenshots"), i, one)
		printf("picture of %s, %s: %s\n", text(one, "page"), text(one, "view"), text(one, "path"));
}

/* A URL on the command line is for everybody to read. */
static void
check_url(const char *url)
{
	size_t scheme = strncmp(url, "http://", 7) == 0 ? 7 : strncmp(url, "https://", 8) == 0 ? 8 : 0;
	size_t authority = strcspn(url + scheme, "/?#");

	if (scheme == 0 || authority == 0)
		cli_usage("'%s' is no URL of http or https", url);
	if (memchr(url + scheme, '@', authority) != NULL)
		cli_usage("a URL with credentials is no argument: anybody could read it");
	for (const char *c = url; *c != '\0'; c++)
		if (!isgraph((unsigned char)*c))
			cli_usage("'%s' is no URL: it must be of visible ASCII", url);
}

static int
look(const struct review_site *s, const char *url)
{
	auto_free char *dir = NULL;
	char run[ID_RUN + 1];
	struct fault f = {0};
	json_auto_t *review = NULL;
	int status;

	id_hex(run, ID_RUN);
	dir = output != NULL ? x_strdup(output) : path_run(s->state, run);
	path_make_private(dir);
	review = review_make(&s->browser, &(struct browser_target) {url, app_id, dir}, &f);
	if (review == NULL) {
		cli_warn("%s", f.message);
		status = f.status;
	} else {
		(json ? json_print : show)(review);
		status = strcmp(text(review, "status"), "passed") == 0 ? STATUS_YES : STATUS_NO;
	}
	fault_clear(&f);
	return cli_end(status);
}

int
main(int argc, char *argv[])
{
	static const struct cli cli = {SBX_TITLE, "\nURL", options, .command = false};
	static const struct line_stage stage = {{"review"}, .work = review_work};
	auto_free char *installed = x_printf("%s/browser", setting_share()), *chromium = setting_program("chromium");
	struct review_site site;

	cli_parse(&cli, &argc, &argv);
	if (argc > 1)
		cli_usage("it takes one URL, or lines on standard input");
	if (argc == 1)
		check_url(argv[0]);
	else if (app_id != NULL || json)
		cli_usage("--app-id and --json go with a URL: a line tells whose it is, and is JSON anyway");

	stop_catch();
	site = (struct review_site) {{.tools = setting_text("SBX_BROWSER", installed),
	                                 .chromium = chromium,
	                                 .path = setting_text("PATH", "/usr/local/bin:/usr/bin:/bin"),
	                                 .temp = setting_text("TMPDIR", "/tmp"),
	                                 .token = setting_text("SBX_BROWSE_TOKEN", NULL),
	                                 .limit_ms = limit_s * 1000},
	    setting_state(), output, engine_at};
	return argc == 1 ? look(&site, argv[0]) : line_each(&stage, &site);
}
