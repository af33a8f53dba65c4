/* strategy - where a build is validated, and which provider hosts a preview */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "engine.h"
#include "path.h"
#include "strategy.h"
#include "x.h"

static const struct word {
	const char *value, *label, *description;
} words[] = {
    {"e2b", "E2B sandbox", "runs in a hosted sandbox, billed by the minute; never chosen unless it is named"},
    {"docker", "Docker container", "runs in a container on this machine, without network"},
    {"local", "This machine", "runs on this machine itself; needs npm and never gives a preview"},
    {"skip", "No build", "runs nothing: the app stays unverified and can be neither exported nor promoted"},
};

enum {
	WORDS = sizeof words / sizeof *words
};

static bool
is_blank(const char *text)
{
	while (isspace((unsigned char)*text))
		text++;
	return *text == '\0';
}

/* The allowed word that TEXT is, whatever its case and the space around it; NULL for none. */
static const char *
find_word(const char *text)
{
	while (isspace((unsigned char)*text))
		text++;
	for (int i = 0; i < WORDS; i++) {
		size_t len = strlen(words[i].value);

		if (strncasecmp(text, words[i].value, len) == 0 && is_blank(text + len))
			return words[i].value;
	}
	return NULL;
}

static int
take(struct strategy *s, const char *name, const char *source, char *reason)
{
	free(s->reason);
	*s = (struct strategy) {name, source, reason};
	return 0;
}

static int
probe_engine(const struct strategy_question *q, char **socket, struct fault *f)
{
	*socket = engine_socket(q->socket, f);
	return *socket == NULL ? -1 : engine_ping(*socket, q->deadline, f);
}

static int
choose_automatically(const struct strategy_question *q, struct strategy *s, struct fault *f)
{
	auto_free char *socket = NULL, *npm = NULL;
	struct fault down = {0};
	int status;

	take(s, "skip", "automatic", x_strdup("none could be chosen"));
	if (probe_engine(q, &socket, &down) == 0)
		return take(s, "docker", "automatic", x_printf("a Docker Engine answers at %s", socket));
	if (socket == NULL || strcmp(down.reason, "stopped") == 0) {
		*f = down;
		return -1;
	}
	cli_explain("%s", down.message);
	npm = path_program(q->path, "npm");
	if (npm != NULL)
		status = take(
		    s, "local", "automatic", x_printf("no Docker Engine answers at %s, and npm is %s", socket, npm));
	else
		status = take(
		    s, "skip", "automatic", x_printf("no Docker Engine answers at %s, and npm is not on PATH", socket));
	fault_clear(&down);
	return status;
}

/* Who may name a strategy, highest first. */
static const struct origin {
	const char *source, *place, *reason;
} origins[] = {
    {"environment", "MOZAIKS_APP_VALIDATION_STRATEGY", "the operator set it in MOZAIKS_APP_VALIDATION_STRATEGY"},
    {"argument", "--strategy", "the request asked for it (--strategy)"},
    {"context", "--context", "the workflow asked for it (--context)"},
};

/* A provider that was asked for by name is not replaced by another when it can't work. */
static int
check_provider(const struct strategy_question *q, const char *name, struct fault *f)
{
	auto_free char *socket = NULL;

	if (strcmp(name, "docker") == 0)
		return probe_engine(q, &socket, f);
	if (strcmp(name, "e2b") == 0 && !q->e2b_key)
		return fault_set(f, STATUS_TROUBLE, "e2b_key_missing",
		    "strategy e2b: E2B_API_KEY is not set: set it, or choose another");
	return 0;
}

static int
choose_named(
    const struct strategy_question *q, const char *text, const struct origin *from, struct strategy *s, struct fault *f)
{
	const char *name = find_word(text);

	if (name == NULL) {
		take(s, "skip", from->source, x_printf("%s has no valid value", from->place));
		return fault_set(f, STATUS_TROUBLE, "strategy_invalid",
		    "%s: '%s' is not one of e2b, docker, local, skip", from->place, text);
	}
	take(s, name, from->source, x_strdup(from->reason));
	return check_provider(q, name, f);
}

int
strategy_validation(const struct strategy_question *q, struct strategy *s, struct fault *f)
{
	*s = (struct strategy) {0};
	if (q->operator!= NULL && !is_blank(q->operator))
		return choose_named(q, q->operator, & origins[0], s, f);
	if (q->argument != NULL)
		return choose_named(q, q->argument, &origins[1], s, f);
	if (q->context != NULL)
		return choose_named(q, q->context, &origins[2], s, f);
	return choose_automatically(q, s, f);
}

int
strategy_preview(const struct strategy_question *q, struct strategy *s, struct fault *f)
{
	const char *name;

	*s = (struct strategy) {0};
	if (q->operator== NULL || is_blank(q->operator)) {
		take(s, "docker", "automatic",
		    x_strdup("previews run on docker unless the operator names another provider"));
		return check_provider(q, s->name, f);
	}
	name = find_word(q->operator);
	if (name == NULL || (strcmp(name, "docker") != 0 && strcmp(name, "e2b") != 0))
		return fault_set(f, STATUS_TROUBLE, "provider_invalid",
		    "MOZAIKS_PREVIEW_PROVIDER: '%s' is not one of docker, e2b", q->operator);
	take(s, name, "environment", x_strdup("the operator set it in MOZAIKS_PREVIEW_PROVIDER"));
	return check_provider(q, name, f);
}

json_t *
strategy_json(const struct strategy *s)
{
	if (s->name == NULL)
		return NULL;
	return json_make("{s:s, s:s, s:s}", "name", s->name, "source", s->source, "reason", s->reason);
}

static bool
is_available(const struct strategy_question *q, const char *name)
{
	auto_free char *npm = strcmp(name, "local") == 0 ? path_program(q->path, "npm") : NULL;
	struct fault f = {0};
	bool works = check_provider(q, name, &f) == 0;

	fault_clear(&f);
	return works && (npm != NULL || strcmp(name, "local") != 0);
}

json_t *
strategy_summary(const struct strategy_question *q, struct fault *f)
{
	json_t *summary = NULL, *allowed, *options;
	struct fault cannot = {0};
	struct strategy chosen;

	/* A valid word that can't work here is still what would be chosen; only a word that is none is no answer. */
	if (strategy_validation(q, &chosen, &cannot) == -1 && strstr(cannot.reason, "_invalid") != NULL) {
		*f = cannot;
		free(chosen.reason);
		return NULL;
	}
	fault_clear(&cannot);
	allowed = json_array();
	options = json_array();
	for (int i = 0; i < WORDS; i++) {
		const struct word *w = &words[i];

		json_array_append_new(allowed, json_string(w->value));
		json_array_append_new(
		    options, json_make("{s:s, s:s, s:s, s:b}", "value", w->value, "label", w->label, "description",
		                 w->description, "available", is_available(q, w->value)));
	}
	summary = json_make("{s:o, s:s, s:s, s:o}", "allowed_values", allowed, "default_value", chosen.name,
	    "default_reason", chosen.reason, "options", options);
	free(chosen.reason);
	return summary;
}
