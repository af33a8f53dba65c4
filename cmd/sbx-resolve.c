/* sbx-resolve - choose where a build is validated or previewed, and start its line */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "clock.h"
#include "id.h"
#include "line.h"
#include "setting.h"
#include "stop.h"
#include "strategy.h"

/* What is resolved: the word for it, the purpose of the sandboxes to come, the operator's variable, the rules. */
static const struct subject {
	const char *word, *purpose, *variable;
	int (*choose)(const struct strategy_question *, struct strategy *, struct fault *);
} validation = {"validation", "app_validation", "MOZAIKS_APP_VALIDATION_STRATEGY", strategy_validation},
  preview = {"preview", "artifact_preview", "MOZAIKS_PREVIEW_PROVIDER", strategy_preview};

static const struct subject *subject;
static struct strategy_question question;
static bool list, json;

/* A blank word is not the same as none, and it is for the line to say that it is wrong. */
static void
set_word(const struct cli_option *o, const char *arg)
{
	*(const char **)o->to = arg;
}

static const struct cli_option options[] = {
    {'s', "strategy", "WORD", "the strategy that the request names: e2b, docker, local or skip", set_word,
        &question.argument},
    {0, "context", "WORD", "the strategy that the workflow's context names", set_word, &question.context},
    {0, "socket", "PATH", "the Docker Engine's socket", cli_text, &question.socket},
    {'l', "list", NULL, "list the strategies, which of them can work here, and the one chosen by default", cli_flag,
        &list},
    {0, "json", NULL, "with --list: print it as JSON", cli_flag, &json},
    {0},
};

static int
resolve(struct line *l, void *context, struct fault *f)
{
	char run[ID_RUN + 1];
	struct strategy chosen;
	json_t *member;
	int status;

	(void)context;
	if (json_object_get(l->root, "run") == NULL) {
		id_hex(run, ID_RUN);
		line_add(l, "run", json_string(run));
	}
	if (line_run(l, f) == NULL)
		return -1;
	question.deadline = clock_deadline(STRATEGY_PROBE_MS);
	status = subject->choose(&question, &chosen, f);
	line_add(l, "purpose", json_string(subject->purpose));
	if ((member = strategy_json(&chosen)) != NULL)
		line_add(l, "strategy", member);
	free(chosen.reason);
	return status;
}

static int
start(void)
{
	static struct line l;
	struct fault f = {0};
	char run[ID_RUN + 1];
	int status = STATUS_YES;

	id_hex(run, ID_RUN);
	line_start(&l, run);
	if (resolve(&l, NULL, &f) == -1) {
		status = f.status;
		line_fail(&l, &f);
	}
	line_emit(&l);
	fault_clear(&f);
	return cli_end(status);
}

static void
print_list(const json_t *summary)
{
	const json_t *option;
	size_t i;

	json_array_foreach (json_at(summary, "options"), i, option) {
		bool available = json_true_at(option, "available");

		printf("%-8s%-11s%s: %s\n", json_text_at(option, "value"), available ? "available" : "-",
		    json_text_at(option, "label"), json_text_at(option, "description"));
	}
	printf(
	    "default: %s, since %s\n", json_text_at(summary, "default_value"), json_text_at(summary, "default_reason"));
}

static int
show_list(void)
{
	struct fault f = {0};
	json_t *summary;

	question.deadline = clock_deadline(STRATEGY_PROBE_MS);
	summary = strategy_summary(&question, &f);
	if (summary == NULL) {
		cli_warn("%s", f.message);
		return cli_end(f.status);
	}
	if (json) {
		json_print(summary);
	} else {
		print_list(summary);
	}
	json_decref(summary);
	return cli_end(STATUS_YES);
}

/* The subject that the operands name; whatever is wrong with them ends the program. */
static const struct subject *
find_subject(int argc, char *argv[])
{
	if (list && (argc > 0 || question.argument != NULL || question.context != NULL))
		cli_usage("--list tells what is chosen when nobody asks: it takes no operand, --strategy or --context");
	if (list)
		return &validation;
	if (json)
		cli_usage("--json goes with --list: a line is JSON anyway");
	if (argc == 0 || argc > 2 || (argc == 2 && strcmp(argv[1], "-") != 0))
		cli_usage("what is to be resolved: validation or preview?");
	if (strcmp(argv[0], validation.word) == 0)
		return &validation;
	if (strcmp(argv[0], preview.word) != 0)
		cli_usage("'%s' is neither validation nor preview", argv[0]);
	if (question.argument != NULL || question.context != NULL)
		cli_usage("the provider of a preview is the operator's choice alone");
	return &preview;
}

int
main(int argc, char *argv[])
{
	static const struct cli cli = {
	    .title = SBX_TITLE, .operands = "validation [-]\npreview [-]\n--list [--json]", .options = options};
	static const struct line_stage stage = {.members = {"purpose", "strategy"}, .work = resolve};

	cli_parse(&cli, &argc, &argv);

	subject = find_subject(argc, argv);
	question.operator= setting_text(subject->variable, NULL);
	question.path = setting_text("PATH", NULL);
	question.e2b_key = setting_text("E2B_API_KEY", NULL) != NULL;

	stop_catch();
	if (list)
		return show_list();
	return argc == 2 ? line_each(&stage, NULL) : start();
}
