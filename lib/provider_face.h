/* provider_face - what the verbs of a provider's program share: its options, and the site they are carried out on */
#ifndef PROVIDER_FACE_H
#define PROVIDER_FACE_H

#include "cli.h"
#include "provider.h"

struct face {
	const struct provider *provider;
	struct site site;
	bool open; /* the site is */
	/* Options. */
	const char *socket, *image, *run, *cwd, *env_file;
	long long seconds; /* 0: not given */
	struct cli_words metadata_words, env_words, labels;
	json_t *metadata, *env; /* the same, as objects of texts */
	bool json, show, orphans;
	char **action; /* supervise, on lines: the action and its arguments, a list that ends with NULL */
};

/* Open the site when it is first needed, so that a line that asks for nothing passes whatever the state of the world. */
int face_open(struct face *, FILE *show, struct fault *);

/*
 * The variables of our own environment that NAMES lists, and those of the JSON object in FILE unless it is NULL, as a new object
 * of texts. SHOW: with "$NAME" for each value. Ends the program with 2 when one is not there or is none.
 */
json_t *face_env(const struct cli_words *names, const char *file, bool show);

/* Could this be a sandbox's id or name? It becomes part of a URL. */
bool face_is_id(const char *id);

/* Tell on stderr what went wrong, clear the fault, and give the status to exit with. */
int face_told(const struct face *, struct fault *);

/* What the supervisor in a sandbox can be asked for: install, start, stop, check. */
bool face_is_action(const char *word);

/*
 * Have the sandbox's supervisor do what WORDS say, an action and its arguments; `start` is left running. LIVE: with its output on
 * ours. 0 and the result, or -1 and the fault: those of exec, or `image_unfit` when there is no supervisor. exec_free either way.
 */
int face_act(struct face *, const char *id, char **words, bool live, struct exec_result *, struct fault *);

/* The verbs that act on what their operands name, a list that ends with NULL. They return the exit status. */
int face_connect(struct face *, char **operands);
int face_get(struct face *, char **operands);
int face_exec(struct face *, char **operands);
int face_supervise(struct face *, char **operands);
int face_url(struct face *, char **operands);
int face_extend(struct face *, char **operands);
int face_rm(struct face *, char **operands);
int face_list(struct face *, char **operands);
int face_caps(struct face *, char **operands);

/* The verbs that read lines: create, connect, put, supervise, rm. Returns the exit status. */
int face_lines(struct face *, const char *verb);

#endif
