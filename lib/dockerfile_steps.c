/* dockerfile_steps - what the instructions of a Dockerfile mean to E2B */

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "beneath.h"
#include "dockerfile_parts.h"

/* What the service's own clients ask for where a Dockerfile has a CMD: the sandbox is ready that long after its start. */
#define READY "sleep 20"

/* What means nothing but itself, in any shell and any Dockerfile. */
#define PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,"

int
dockerfile_step(struct reader *r, const char *type, json_t *args)
{
	return json_array_append_new(r->steps, json_make("{s:s, s:o, s:b}", "type", type, "args", args, "force", 0));
}

static int
take_from(struct reader *r, const struct words *w)
{
	if (json_object_get(r->spec, "fromImage") != NULL)
		return dockerfile_refuse(r, "a second FROM: there can be one stage alone");
	if (w->count != 1)
		return dockerfile_refuse(r, "FROM takes an image alone");
	return json_object_set_new(r->spec, "fromImage", json_string(w->word[0]));
}

static int
take_copy(struct reader *r, const struct words *w)
{
	if (w->count != 2)
		return dockerfile_refuse(r, "COPY takes one source and one destination");
	if (!beneath_name(w->word[0]) || w->word[0][strspn(w->word[0], PLAIN)] != '\0')
		return dockerfile_refuse(r, "'%s' is no plain name below the context", w->word[0]);
	if (w->word[1][0] != '/')
		return dockerfile_refuse(r, "'%s' is no absolute path", w->word[1]);
	return dockerfile_step(r, "COPY", json_make("[s, s, s, s]", w->word[0], w->word[1], "", ""));
}

static int
take_env(struct reader *r, const struct words *w)
{
	json_t *args = json_array();

	for (size_t i = 0; i < w->count; i++) {
		const char *word = w->word[i];
		size_t name = strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

		if (name == 0 || word[name] != '=' || isdigit((unsigned char)*word)) {
			json_decref(args);
			return dockerfile_refuse(r, "ENV takes NAME=VALUE, not '%s'", word);
		}
		json_array_append_new(args, json_stringn(word, name));
		json_array_append_new(args, json_string(word + name + 1));
	}
	return dockerfile_step(r, "ENV", args);
}

static int
take_workdir(struct reader *r, const struct words *w)
{
	if (w->count != 1 || w->word[0][0] != '/')
		return dockerfile_refuse(r, "WORKDIR takes one absolute path");
	r->workdir = true;
	return dockerfile_step(r, "WORKDIR", json_make("[s]", w->word[0]));
}

static int
take_user(struct reader *r, const struct words *w)
{
	if (w->count != 1 || w->word[0][strcspn(w->word[0], ":")] != '\0')
		return dockerfile_refuse(r, "USER takes a user's name alone");
	r->user = true;
	return dockerfile_step(r, "USER", json_make("[s]", w->word[0]));
}

/* To a shell's line as it is: what Docker gives to its own shell. */
static int
take_run(struct reader *r, struct text rest)
{
	if (text_starts(rest, "--") || text_starts(rest, "["))
		return dockerfile_refuse(r, "RUN takes a shell's line alone, without options");
	if (text_has(rest, "<<"))
		return dockerfile_refuse(r, "RUN takes no here-document");
	return dockerfile_step(r, "RUN", json_make("[s%]", rest.at, rest.len));
}

/* The service starts it through a shell, so the words of an array must be such that no shell changes them. */
static int
join(struct reader *r, const json_t *array, struct buf *line)
{
	const json_t *value;
	size_t i;

	json_array_foreach (array, i, value) {
		const char *word = json_string_value(value);

		if (word == NULL || *word == '\0' || word[strspn(word, PLAIN)] != '\0')
			return dockerfile_refuse(r, "the words of CMD must need no quotes in a shell");
		buf_printf(line, "%s%s", i > 0 ? " " : "", word);
	}
	return line->len > 0 ? 0 : dockerfile_refuse(r, "CMD is empty");
}

static int
take_cmd(struct reader *r, struct text rest)
{
	char why[JSON_ERROR_TEXT_LENGTH];
	auto_buf struct buf line = {0};

	if (text_starts(rest, "[")) {
		json_auto_t *array = json_parse_any(rest.at, rest.len, why);

		if (array == NULL)
			return dockerfile_refuse(r, "CMD: %s", why);
		if (join(r, array, &line) == -1)
			return -1;
	} else
		buf_add(&line, rest.at, rest.len);
	json_object_set_new(r->spec, "startCmd", json_stringn(line.data, line.len));
	return json_object_set_new(r->spec, "readyCmd", json_string(READY));
}

static const struct {
	const char *name;
	int (*words)(struct reader *, const struct words *); /* for those that take words */
	int (*line)(struct reader *, struct text);           /* for those that take a shell's line */
} instructions[] = {
    {"FROM", take_from, NULL},
    {"RUN", NULL, take_run},
    {"COPY", take_copy, NULL},
    {"ENV", take_env, NULL},
    {"WORKDIR", take_workdir, NULL},
    {"USER", take_user, NULL},
    {"CMD", NULL, take_cmd},
};

static int
take_words(struct reader *r, struct text rest, int (*take)(struct reader *, const struct words *))
{
	struct words words = {0};
	int status = dockerfile_split(r, rest, &words);

	if (status == 0)
		status = take(r, &words);
	buf_free(&words.text);
	return status;
}

int
dockerfile_take(struct reader *r, struct text whole)
{
	struct text name = text_trim(whole), rest;

	rest = name;
	for (name.len = 0; rest.len > 0 && !isblank((unsigned char)*rest.at); rest.at++, rest.len--)
		name.len++;
	rest = text_trim(rest);
	for (size_t i = 0; i < sizeof instructions / sizeof *instructions; i++) {
		if (strlen(instructions[i].name) != name.len ||
		    strncasecmp(instructions[i].name, name.at, name.len) != 0)
			continue;
		if (i > 0 && json_object_get(r->spec, "fromImage") == NULL)
			return dockerfile_refuse(r, "%s before FROM", instructions[i].name);
		if (rest.len == 0)
			return dockerfile_refuse(r, "nothing follows %s", instructions[i].name);
		return instructions[i].words != NULL ? take_words(r, rest, instructions[i].words)
		                                     : instructions[i].line(r, rest);
	}
	return dockerfile_refuse(r, "%.*s is not understood: only FROM, COPY, RUN, ENV, WORKDIR, USER and CMD are",
	    (int)(name.len < 40 ? name.len : 40), name.at);
}
