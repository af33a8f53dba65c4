/* sbx-env - compose the environment that a sandbox or a preview is given */

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "compose.h"
#include "line.h"
#include "posture_line.h"

enum {
	EXPLAINED = 64 /* columns for a variable */
};

static const char *app, *purpose, *url;
static bool null, explain;

static const struct cli_option options[] = {
    {'a', "app", "DIR", "the app that is previewed: the directory with its app.json", cli_text, &app},
    {'p', "purpose", "WORD", "app_validation, artifact_preview (the default) or sealed_candidate_preview", cli_text,
        &purpose},
    {'u', "url", "URL", "compose what the preview at this address is started with", cli_text, &url},
    {'0', "null", NULL, "print NAME=value, each ended by a NUL, instead of one JSON object", cli_flag, &null},
    {'e', "explain", NULL, "print where each variable comes from, for people, with what may be secret masked", cli_flag,
        &explain},
    {0},
};

static void
print_json(const struct environ *e)
{
	json_auto_t *all = json_object();

	for (size_t i = 0; i < e->count; i++) {
		const struct environ_item *item = &e->item[i];
		auto_free char *name = x_strndup(item->text, item->name_len);

		json_object_set_new(all, name, json_string(item->text + item->name_len + 1));
	}
	json_print(all);
}

static void
print_null(const struct environ *e)
{
	for (size_t i = 0; i < e->count; i++)
		fwrite(e->item[i].text, 1, strlen(e->item[i].text) + 1, stdout);
}

/* What the operator sets may be secret, and so is the key; everything else stands in the manual or in the app. */
static bool
is_secret(const struct environ_item *item)
{
	return compose_is_forwarded(item) || strncmp(item->text, "INTERNAL_API_KEY=", item->name_len + 1) == 0;
}

static void
print_explained(const struct environ *e)
{
	auto_environ struct environ given = {0};

	for (size_t i = 0; i < e->count; i++) {
		const struct environ_item *item = &e->item[i];
		int name_len = (int)item->name_len, left = name_len < EXPLAINED ? EXPLAINED - name_len - 1 : 0;

		if (is_secret(item))
			printf("%.*s=%-*s  %s\n", name_len, item->text, left, "********", item->source);
		else
			printf("%-*s  %s\n", EXPLAINED, item->text, item->source);
	}
	environ_take(&given, (const char *const *)environ, COMPOSE_PREFIX, "");
	for (size_t i = 0; i < given.count; i++) {
		auto_free char *name = x_strndup(given.item[i].text, given.item[i].name_len);
		const struct environ_item *item = environ_find(e, name);

		if (item == NULL || !compose_is_forwarded(item))
			printf("%s%s  ignored\n", COMPOSE_PREFIX, name);
	}
}

static int
print(const struct posture *p, const char *for_purpose, struct fault *f)
{
	const struct compose c = {
	    .purpose = for_purpose, .envp = (const char *const *)environ, .posture = p, .url = url};
	auto_environ struct environ e = {0};

	if (compose(&c, &e, f) == -1)
		return -1;
	(explain ? print_explained : null ? print_null : print_json)(&e);
	return STATUS_YES;
}

/* Only an interactive preview's app matters: validations don't run it, and the sealed bring nothing of the operator's. */
static bool
is_interactive(const char *word)
{
	return strcmp(word, "artifact_preview") == 0;
}

static int
line_work(struct line *l, void *context, struct fault *f)
{
	auto_posture struct posture p = {0};
	const char *word = line_purpose(l, f);

	(void)context;
	if (word == NULL)
		return -1;
	if (url != NULL && !is_interactive(word))
		return fault_set(f, STATUS_TROUBLE, "purpose_refused",
		    "stdin:%lu: only an artifact_preview has an address, and this is %s", l->number, word);
	if (null && l->number > 1)
		return fault_set(f, STATUS_TROUBLE, "usage",
		    "stdin:%lu: the variables of several lines can't be told apart with --null", l->number);
	if (is_interactive(word) && posture_line(&p, l, f) == -1)
		return -1;
	return print(is_interactive(word) ? &p : NULL, word, f);
}

static int
once(void)
{
	auto_posture struct posture p = {0};
	struct fault f = {0};
	int status = STATUS_YES;

	if ((app != NULL && posture_read(&p, app, &f) == -1) || print(app != NULL ? &p : NULL, purpose, &f) == -1) {
		cli_warn("%s", f.message);
		status = f.status;
	}
	fault_clear(&f);
	return status;
}

/* Which purposes there are is the line's to know. */
static void
check_purpose(void)
{
	json_auto_t *root = json_make("{s:s}", "purpose", purpose);
	const struct line l = {.root = root};
	struct fault f = {0};

	if (line_purpose(&l, &f) == NULL)
		cli_usage(
		    "--purpose takes app_validation, artifact_preview or sealed_candidate_preview, not '%s'", purpose);
	if (!is_interactive(purpose) && (app != NULL || url != NULL))
		cli_usage("--app and --url go with the purpose artifact_preview");
	if (url != NULL && app == NULL)
		cli_usage("--url goes with --app: who must sign in is the app's to say");
}

int
main(int argc, char *argv[])
{
	static const struct cli cli = {SBX_TITLE, "\n-", options, .command = false};
	static const struct line_stage stage = {.silent = true, .work = line_work};
	bool lines;

	cli_parse(&cli, &argc, &argv);
	lines = argc == 1 && strcmp(argv[0], "-") == 0;
	if (argc > 0 && !lines)
		cli_usage("its only operand is -, for lines on standard input, not '%s'", argv[0]);
	if (null && explain)
		cli_usage("--null and --explain exclude each other");
	if (lines && (app != NULL || purpose != NULL))
		cli_usage("a line has its own app and purpose: --app and --purpose don't go with it");
	if (lines)
		return cli_end(line_each(&stage, NULL));
	if (purpose == NULL)
		purpose = "artifact_preview";
	check_purpose();
	return cli_end(once());
}
