/* services_check - the shape of the services' file, as sbx-services(5) says it */

#include <signal.h>
#include <string.h>

#include "services.h"

enum {
	LIMIT_MOST = 600 /* seconds */
};

/* One file under check; the first thing that is wrong is told. */
struct check {
	const char *file;
	size_t index; /* of the service that is looked at */
	struct fault *fault;
};

static int
wrong(const struct check *c, const char *where, const char *what)
{
	return fault_set(
	    c->fault, STATUS_TROUBLE, "services_invalid", "%s: services[%zu].%s: %s", c->file, c->index, where, what);
}

static int
known_members(const struct check *c, const json_t *object, const char *where, const char *const *names)
{
	const char *key;
	json_t *value;

	json_object_foreach ((json_t *)object, key, value) {
		size_t i = 0;

		while (names[i] != NULL && strcmp(names[i], key) != 0)
			i++;
		if (names[i] == NULL)
			return fault_set(c->fault, STATUS_TROUBLE, "services_invalid",
			    "%s: services[%zu]%s: has an unknown member '%s'", c->file, c->index, where, key);
	}
	return 0;
}

static bool
is_text(const json_t *value)
{
	return json_string_length(value) > 0;
}

static bool
is_command(const json_t *argv)
{
	const json_t *word;
	size_t i;

	json_array_foreach (argv, i, word)
		if (!json_is_string(word))
			return false;
	return is_text(json_array_get(argv, 0));
}

static int
check_env(const struct check *c, const json_t *env)
{
	const char *name;
	json_t *value;

	if (env == NULL)
		return 0;
	if (!json_is_object(env))
		return wrong(c, "env", "must be an object");
	json_object_foreach ((json_t *)env, name, value)
		if (!environ_is_name(name) || !json_is_string(value))
			return wrong(c, "env", "must give variables' names texts");
	return 0;
}

/* A number from LEAST to MOST, where it is there. */
static bool
is_number(const json_t *value, json_int_t least, json_int_t most)
{
	json_int_t n = json_integer_value(value);

	return value == NULL || (json_is_integer(value) && n >= least && n <= most);
}

static int
check_ready(const struct check *c, const json_t *ready)
{
	static const char *const names[] = {"tcp", "http", "status", "command", NULL};
	const json_t *tcp = json_object_get(ready, "tcp"), *http = json_object_get(ready, "http");
	const json_t *command = json_object_get(ready, "command"), *status = json_object_get(ready, "status");

	if (!json_is_object(ready))
		return wrong(c, "ready", "must be an object");
	if (known_members(c, ready, ".ready", names) == -1)
		return -1;
	if ((tcp != NULL) + (http != NULL) + (command != NULL) != 1)
		return wrong(c, "ready", "must have one of tcp, http and command");
	if ((tcp != NULL && !is_text(tcp)) || (http != NULL && !is_text(http)))
		return wrong(c, "ready", "tcp and http must be texts that are not empty");
	if (command != NULL && !is_command(command))
		return wrong(c, "ready.command", "must be an array of texts, the program first");
	if (status != NULL && http == NULL)
		return wrong(c, "ready.status", "belongs to http alone");
	return is_number(status, 100, 599) ? 0 : wrong(c, "ready.status", "must be a whole number from 100 to 599");
}

static int
check_name(const struct check *c, const json_t *services, const json_t *name)
{
	const char *text = json_string_value(name);

	if (!is_text(name) || strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_-") != strlen(text) ||
	    strlen(text) > 32)
		return wrong(c, "name", "must be up to 32 lower-case letters, digits, underscores and hyphens");
	for (size_t i = 0; i < c->index; i++)
		if (json_equal(json_object_get(json_array_get(services, i), "name"), name))
			return wrong(c, "name", "another service has it");
	return 0;
}

static int
check_service(const struct check *c, const json_t *services, const json_t *one)
{
	static const char *const names[] = {
	    "name", "argv", "env", "cwd", "ready", "ready_s", "stop_signal", "stop_s", NULL};
	const json_t *signal = json_object_get(one, "stop_signal");

	if (!json_is_object(one))
		return wrong(c, "name", "must be there, in an object");
	if (known_members(c, one, "", names) == -1 || check_name(c, services, json_object_get(one, "name")) == -1)
		return -1;
	if (!is_command(json_object_get(one, "argv")))
		return wrong(c, "argv", "must be an array of texts, the program first");
	if (!is_text(json_object_get(one, "cwd")))
		return wrong(c, "cwd", "must be a text that is not empty");
	if (check_env(c, json_object_get(one, "env")) == -1 || check_ready(c, json_object_get(one, "ready")) == -1)
		return -1;
	if (!is_number(json_object_get(one, "ready_s"), 1, LIMIT_MOST))
		return wrong(c, "ready_s", "must be a whole number from 1 to 600");
	if (!is_number(json_object_get(one, "stop_s"), 1, LIMIT_MOST))
		return wrong(c, "stop_s", "must be a whole number from 1 to 600");
	if (signal != NULL && (!is_text(signal) || services_signal(json_string_value(signal)) == 0))
		return wrong(c, "stop_signal", "must be TERM, INT, QUIT, HUP, USR1 or USR2");
	return 0;
}

int
services_signal(const char *name)
{
	static const int signals[] = {SIGTERM, SIGINT, SIGQUIT, SIGHUP, SIGUSR1, SIGUSR2};

	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		if (strcmp(sigabbrev_np(signals[i]), name) == 0)
			return signals[i];
	return 0;
}

int
services_check(const json_t *root, const char *file, struct fault *f)
{
	const json_t *services = json_object_get(root, "services"), *one;
	struct check c = {.file = file, .fault = f};

	if (json_object_size(root) != 1 || !json_is_array(services) || json_array_size(services) == 0 ||
	    json_array_size(services) > SERVICES_MOST)
		return fault_set(f, STATUS_TROUBLE, "services_invalid",
		    "%s: must have one member, services: an array of 1 to %d objects", file, SERVICES_MOST);
	json_array_foreach (services, c.index, one)
		if (check_service(&c, services, one) == -1)
			return -1;
	return 0;
}
