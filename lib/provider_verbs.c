/* provider_verbs - the verbs that act on what their operands name */

#include <bsd/stdlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "id.h"
#include "provider_face.h"

enum {
	ENGINE_ID = 64, /* characters */
	ENGINE_ID_SHOWN = 12,
	EXEC_S = 60 /* a command's time limit when none is given */
};

/* Tell what went wrong; the status to exit with. */
int
face_told(const struct face *c, struct fault *f)
{
	int status = c->show ? STATUS_YES : f->status;

	if (status != STATUS_YES)
		cli_warn("%s", f->message);
	fault_clear(f);
	return status;
}

static void
print_sandbox(const struct face *c, const json_t *sandbox)
{
	const char *id = json_text_at(sandbox, "id"), *state = json_text_at(sandbox, "state"),
	           *run = json_text_at(sandbox, "run");

	if (c->json)
		json_print(sandbox);
	else
		/* The Engine alone takes the beginning of an id for it. */
		printf("%.*s  %-10s  %-24s  %s  %s\n", strlen(id) == ENGINE_ID ? ENGINE_ID_SHOWN : ENGINE_ID, id,
		    state != NULL ? state : "running", json_text_at(sandbox, "purpose"),
		    json_text_at(sandbox, "deadline"), run != NULL ? run : "");
}

int
face_connect(struct face *c, char **operands)
{
	int status = STATUS_YES;

	for (; *operands != NULL; operands++) {
		struct fault f = {0};
		json_t *sandbox = c->provider->connect(&c->site, *operands, &f);

		if (sandbox != NULL)
			print_sandbox(c, sandbox);
		else
			status = status_worse(status, face_told(c, &f));
		json_decref(sandbox);
	}
	return status;
}

int
face_get(struct face *c, char **operands)
{
	struct fault f = {0};

	return c->provider->get(&c->site, operands[0], operands[1], STDOUT_FILENO, &f) == 0 ? STATUS_YES
	                                                                                    : face_told(c, &f);
}

/* Several words are a command and its arguments, one alone is for the shell. */
static char *
command_of(char **words)
{
	auto_buf struct buf text = {0};

	if (words[1] == NULL)
		return x_strdup(words[0]);
	for (; *words != NULL; words++) {
		buf_text(&text, text.len > 0 ? " '" : "'");
		for (const char *p = *words; *p != '\0'; p++)
			buf_printf(&text, *p == '\'' ? "'\\''" : "%c", *p);
		buf_text(&text, "'");
	}
	return x_steal(text.data);
}

int
face_exec(struct face *c, char **operands)
{
	auto_free char *command = command_of(operands + 1);
	const struct exec_request r = {.id = operands[0],
	    .command = command,
	    .cwd = c->cwd,
	    .env = c->env,
	    .live = true,
	    .limit_ms = (c->seconds > 0 ? c->seconds : EXEC_S) * 1000,
	    .whole_fd = -1};
	struct exec_result result;
	struct fault f = {0};
	int status;

	status = c->provider->exec(&c->site, &r, &result, &f) == 0 ? result.exit_code : face_told(c, &f);
	if (result.timed_out)
		cli_warn("%s: time limit of %lld s reached", operands[0], (long long)(r.limit_ms / 1000));
	exec_free(&result);
	return status;
}

int
face_url(struct face *c, char **operands)
{
	char *end;
	long port = strtol(operands[1], &end, 10);
	struct fault f = {0};
	json_t *url, *whole;

	if (*end != '\0' || port < 1 || port > 65535)
		cli_usage("a port is a number from 1 to 65535, not '%s'", operands[1]);
	if ((url = c->provider->url(&c->site, operands[0], (int)port, &f)) == NULL)
		return face_told(c, &f);
	whole = json_make("{s:O}", "url", url);
	if (c->json)
		json_print(whole);
	else if (json_is_string(url))
		puts(json_string_value(url));
	else
		cli_warn("%s: port %ld has no URL: it is not published", operands[0], port);
	port = json_is_string(url) ? STATUS_YES : STATUS_NO;
	json_decref(whole);
	json_decref(url);
	return (int)port;
}

int
face_extend(struct face *c, char **operands)
{
	const char *wrong;
	long long seconds = strtonum(operands[1], 1, 86400, &wrong);
	struct fault f = {0};
	json_t *sandbox;

	if (wrong != NULL)
		cli_usage("a lifetime is a number of seconds from 1 to 86400, not '%s'", operands[1]);
	if ((sandbox = c->provider->extend(&c->site, operands[0], seconds * 1000, &f)) == NULL)
		return face_told(c, &f);
	print_sandbox(c, sandbox);
	json_decref(sandbox);
	return STATUS_YES;
}

int
face_rm(struct face *c, char **operands)
{
	int status = STATUS_YES;

	if (c->orphans) {
		struct fault f = {0};

		if (c->provider->orphans(&c->site, &f) != GONE_CONFIRMED)
			status = face_told(c, &f);
	}

	if (c->run != NULL) {
		struct fault f = {0};

		if (!id_is_hex(c->run, ID_RUN))
			cli_usage("--run takes %d lower-case hex digits, not '%s'", ID_RUN, c->run);
		if (c->provider->sweep(&c->site, c->run, &f) != GONE_CONFIRMED)
			status = status_worse(status, face_told(c, &f));
	}
	for (; *operands != NULL; operands++) {
		struct fault f = {0};

		if (c->provider->rm(&c->site, *operands, NULL, &f) != GONE_CONFIRMED)
			status = status_worse(status, face_told(c, &f));
		else
			cli_explain("%s: gone", *operands);
	}
	return status;
}

int
face_list(struct face *c, char **operands)
{
	struct fault f = {0};
	/* One of them is empty: see check_options. */
	const struct cli_words *words = c->labels.count > 0 ? &c->labels : &c->metadata_words;
	json_t *all = c->provider->list(&c->site, words->word, words->count, &f), *one;
	size_t i;

	(void)operands;
	if (all == NULL)
		return face_told(c, &f);
	json_array_foreach (all, i, one)
		print_sandbox(c, one);
	json_decref(all);
	return STATUS_YES;
}

int
face_caps(struct face *c, char **operands)
{
	struct fault f = {0};
	json_t *caps = c->provider->caps(&c->site, &f), *value;
	const char *name;

	(void)operands;
	if (c->json)
		json_print(caps);
	else
		json_object_foreach (caps, name, value)
			printf("%s: %s\n", name,
			    json_is_string(value) ? json_string_value(value)
			    : json_is_true(value) ? "yes"
			                          : "no");
	json_decref(caps);
	return STATUS_YES;
}
