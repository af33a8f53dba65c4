/* provider_cli - the command-line face of a provider's program: its verbs and options */

#include <stdio.h>
#include <string.h>

#include "provider_face.h"
#include "stop.h"

static struct face face;

/* What not every provider has is left out where it has not. */
enum {
	NEEDS_SOCKET = 1,
	NEEDS_LABELS = 2,
	NEEDS_ORPHANS = 4
};

static const struct face_option {
	struct cli_option option;
	int needs;
} all_options[] = {
    {{'s', "socket", "PATH", "the Docker Engine's local socket (SBX_DOCKER_SOCKET)", cli_text, &face.socket},
        NEEDS_SOCKET},
    {{'i', "image", "IMAGE", "create: what the sandbox is made from (DOCKER_SANDBOX_IMAGE, E2B_TEMPLATE)", cli_text,
         &face.image},
        0},
    {{'t', "timeout", "SECONDS", "create: lifetime (DOCKER_SANDBOX_TIMEOUT, E2B_TIMEOUT); exec, supervise: time limit",
         cli_seconds, &face.seconds},
        0},
    {{'m', "metadata", "NAME=VALUE",
         "create: kept with the sandbox; list on e2b: only sandboxes with it; may be given again", cli_list,
         &face.metadata_words},
        0},
    {{'e', "env", "NAME", "create, exec, supervise: pass this variable of ours on; may be given again", cli_list,
         &face.env_words},
        0},
    {{0, "env-from", "FILE", "create, exec, supervise: pass on what sbx-env wrote there: a descriptor, /dev/fd/3",
         cli_text, &face.env_file},
        0},
    {{'C', "cwd", "DIR", "exec: where the command runs (/workspace)", cli_text, &face.cwd}, 0},
    {{'l', "label", "NAME=VALUE", "list: only sandboxes with this label; may be given again", cli_list, &face.labels},
        NEEDS_LABELS},
    {{'r', "run", "RUN", "rm: all that is left of a run", cli_text, &face.run}, 0},
    {{'o', "orphans", NULL, "rm: all that nobody will come back for", cli_flag, &face.orphans}, NEEDS_ORPHANS},
    {{'j', "json", NULL, "connect, url, extend, list, caps: print JSON", cli_flag, &face.json}, 0},
    {{'n', "dry-run", NULL, "print the exact commands, and run nothing", cli_flag, &face.show}, 0},
};

static struct cli_option options[sizeof all_options / sizeof *all_options + 1];

int
face_open(struct face *c, FILE *show, struct fault *f)
{
	if (c->open)
		return 0;
	if (site_open(&c->site, c->provider->name, c->socket, c->show ? show : NULL, f) == -1) {
		site_close(&c->site);
		return -1;
	}
	c->open = true;
	return 0;
}

static json_t *
read_metadata(const struct cli_words *words)
{
	json_t *all = json_object();

	for (size_t i = 0; i < words->count; i++) {
		const char *word = words->word[i];
		auto_free char *name = x_strndup(word, strcspn(word, "="));

		if (*name == '\0' || word[strlen(name)] == '\0')
			cli_usage("--metadata takes NAME=VALUE, not '%s'", word);
		if (json_object_set_new(all, name, json_string(word + strlen(name) + 1)) == -1)
			cli_usage("--metadata %s: is not UTF-8", name);
	}
	return all;
}

bool
face_is_id(const char *id)
{
	size_t len = strlen(id);

	return len > 0 && len <= 128 &&
	       strspn(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") == len;
}

/* An option that says nothing to the verb is a mistake, not noise. */
static void
check_options(const struct face *c, const char *verb)
{
	const struct {
		const char *name, *verbs;
		bool given;
	} all[] = {
	    {"image", " create ", c->image != NULL},
	    {"timeout", " create exec supervise ", c->seconds > 0},
	    {"metadata", c->provider->hosted ? " create list " : " create ", c->metadata_words.count > 0},
	    {"env", " create exec supervise ", c->env_words.count > 0},
	    {"env-from", " create exec supervise ", c->env_file != NULL},
	    {"cwd", " exec ", c->cwd != NULL},
	    {"label", " list ", c->labels.count > 0},
	    {"run", " rm ", c->run != NULL},
	    {"orphans", " rm ", c->orphans},
	    {"json", " connect url extend list caps ", c->json},
	};
	auto_free char *word = x_printf(" %s ", verb);

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i].given && strstr(all[i].verbs, word) == NULL)
			cli_usage("--%s does not go with %s", all[i].name, verb);
}

struct verb {
	const char *name;
	bool ids;                                    /* all operands are sandboxes, not the first alone */
	int least, most;                             /* operands */
	bool lines;                                  /* without operands it reads lines */
	int (*act)(struct face *c, char **operands); /* on operands */
};

static const struct verb verbs[] = {
    {"create", false, 0, 0, true, NULL},
    {"connect", true, 0, 1000, true, face_connect},
    {"put", false, 0, 0, true, NULL},
    {"get", false, 2, 2, false, face_get},
    {"exec", false, 2, 100000, false, face_exec},
    {"supervise", false, 1, 100000, false, face_supervise},
    {"url", false, 2, 2, false, face_url},
    {"extend", false, 2, 2, false, face_extend},
    {"rm", true, 0, 100000, true, face_rm},
    {"list", false, 0, 0, false, face_list},
    {"caps", false, 0, 0, false, face_caps},
};

static const struct verb *
find_verb(const struct provider *p, const char *name)
{
	for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
		if (strcmp(name, verbs[i].name) == 0)
			return &verbs[i];
	if (p->own_verb != NULL && strcmp(name, p->own_verb) == 0)
		cli_usage("'%s' has options of its own, which come after it", name);
	cli_usage("unknown verb '%s'", name);
}

/* A verb that the provider lacks. */
static bool
is_lacking(const struct face *c, const struct verb *v)
{
	return (v->act == face_extend && c->provider->extend == NULL) ||
	       (v->act == face_supervise && !c->provider->previews);
}

static int
lacks(const struct face *c)
{
	cli_warn("%s sandboxes can't do that: see caps", c->provider->name);
	return STATUS_NO;
}

static int
act(struct face *c, const struct verb *v, char **operands)
{
	struct fault f = {0};
	int status;

	if (v->lines && *operands == NULL && c->run == NULL && !c->orphans)
		return face_lines(c, v->name);
	if (is_lacking(c, v))
		return lacks(c);
	if (v->act == face_supervise && face_is_action(operands[0])) {
		c->action = operands;
		return face_lines(c, v->name);
	}
	for (size_t i = 0; operands[i] != NULL && (i == 0 || v->ids); i++)
		if (!face_is_id(operands[i]))
			cli_usage("'%s' is no sandbox id", operands[i]);
	if (v->act == face_caps)
		return v->act(c, operands);
	stop_catch();
	if (v->act == face_rm)
		stop_hold(true);
	if (face_open(c, stdout, &f) == -1)
		status = face_told(c, &f);
	else
		status = v->act(c, operands);
	return stop_signal() ? status_worse(status, 128 + stop_signal()) : status;
}

static void
choose_options(const struct provider *p)
{
	int lacking = (p->hosted ? NEEDS_SOCKET | NEEDS_LABELS : 0) | (p->orphans == NULL ? NEEDS_ORPHANS : 0);
	size_t count = 0;

	for (size_t i = 0; i < sizeof all_options / sizeof *all_options; i++)
		if ((all_options[i].needs & lacking) == 0)
			options[count++] = all_options[i].option;
}

int
provider_main(const struct provider *p, const char *title, int argc, char *argv[])
{
	auto_free char *forms = x_printf(
	    "create\nconnect [ID ...]\nput\nget ID PATH\nexec ID COMMAND [ARGUMENT ...]\n"
	    "supervise [ID] ACTION [ARGUMENT ...]\nurl ID PORT\nextend ID SECONDS\nrm [ID ...]\nlist\ncaps%s%s",
	    p->own_verb != NULL ? "\n" : "", p->own_verb != NULL ? p->own_verb : "");
	const struct cli cli = {title, forms, options, .command = false};
	const struct verb *v;
	int status;

	choose_options(p);
	cli_parse(&cli, &argc, &argv);
	if (argc == 0)
		cli_usage("which verb?");
	v = find_verb(p, argv[0]);
	if (argc - 1 < v->least || argc - 1 > v->most)
		cli_usage("%s takes %s", v->name, v->most == 0 ? "no operands" : "other operands");
	face.provider = p;
	check_options(&face, v->name);

	face.metadata = read_metadata(&face.metadata_words);
	face.env = face_env(&face.env_words, face.env_file, face.show);
	status = act(&face, v, argv + 1);
	json_decref(face.metadata);
	json_decref(face.env);
	site_close(&face.site);
	return cli_end(status);
}
