/* services - what a preview consists of, in the order in which it starts: /etc/sbx/services.json (sbx-services(5)) */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "fd.h"
#include "services.h"
#include "x.h"

enum {
	FILE_MOST = 1 << 20,
	READY_S = 30,
	STOP_S = 10
};

/* One service being filled in, and where a fault is to be told. */
struct fill {
	const char *file, *name;
	const struct environ *environ; /* whose variables stand for themselves */
	struct fault *fault;
};

int
services_read(struct services *s, const char *file, struct fault *f)
{
	auto_close int fd = open(file, O_RDONLY | O_CLOEXEC);
	char why[JSON_ERROR_TEXT_LENGTH];
	auto_buf struct buf text = {0};

	*s = (struct services) {0};
	if (fd == -1 || fd_read_all(fd, &text, FILE_MOST) == -1)
		return fault_errno(
		    f, STATUS_TROUBLE, errno == ENOENT ? "services_missing" : "services_invalid", "%s", file);
	if ((s->root = json_parse(text.data, text.len, why)) == NULL)
		return fault_set(f, STATUS_TROUBLE, "services_invalid", "%s: %s", file, why);
	return services_check(s->root, file, f);
}

static int
wrong(const struct fill *c, const char *where, const char *what)
{
	return fault_set(c->fault, STATUS_TROUBLE, "services_invalid", "%s: %s: %s: %s", c->file, c->name, where, what);
}

/* TEXT with the values of its variables, owned by the caller; NULL and a fault where there is no such variable. */
static char *
expand(const struct fill *c, const char *where, const char *text)
{
	auto_buf struct buf out = {0};

	buf_text(&out, "");
	for (const char *start; (start = strstr(text, "${")) != NULL;) {
		const char *end = strchr(start, '}'), *value;
		auto_free char *name = end == NULL ? NULL : x_strndup(start + 2, (size_t)(end - start - 2));

		if (name == NULL || (value = environ_get(c->environ, name)) == NULL) {
			fault_fill(c->fault, STATUS_TROUBLE, "services_invalid",
			    "%s: %s: %s: there is no variable %.64s", c->file, c->name, where, start);
			return NULL;
		}
		buf_add(&out, text, (size_t)(start - text));
		buf_text(&out, value);
		text = end + 1;
	}
	buf_text(&out, text);
	return x_steal(out.data);
}

static void
free_list(const char *const *list)
{
	for (size_t i = 0; list != NULL && list[i] != NULL; i++)
		free((char *)list[i]);
	free((const char **)list);
}

static const char *const *
expand_list(const struct fill *c, const char *where, const json_t *array)
{
	const char **list = x_zalloc(json_array_size(array) + 1, sizeof *list);
	const json_t *word;
	size_t i;

	json_array_foreach (array, i, word)
		if ((list[i] = expand(c, where, json_string_value(word))) == NULL) {
			free_list(list);
			return NULL;
		}
	return list;
}

static int
fill_environ(const struct fill *c, struct environ *to, const json_t *env)
{
	const struct environ *from = c->environ;
	const char *name;
	json_t *value;

	for (size_t i = 0; i < from->count; i++) {
		auto_free char *key = x_strndup(from->item[i].text, from->item[i].name_len);

		environ_set(to, key, from->item[i].text + from->item[i].name_len + 1, from->item[i].source);
	}
	json_object_foreach ((json_t *)env, name, value) {
		auto_free char *text = expand(c, "env", json_string_value(value));

		if (text == NULL)
			return -1;
		environ_set(to, name, text, "the services' file");
	}
	return 0;
}

static int
fill_ready(const struct fill *c, struct ready *r, const json_t *ready)
{
	const char *tcp = json_text_at(ready, "tcp"), *url = json_text_at(ready, "http");

	r->probe.least = r->probe.most = (int)json_int_at(ready, "status", 200);
	if (tcp != NULL)
		r->probe.tcp = expand(c, "ready.tcp", tcp);
	else if (url != NULL)
		r->probe.url = expand(c, "ready.http", url);
	else
		r->argv = expand_list(c, "ready.command", json_object_get(ready, "command"));
	if (r->probe.tcp == NULL && r->probe.url == NULL && r->argv == NULL)
		return -1;
	return ready_check(r)
	           ? 0
	           : wrong(c, "ready", "must be ADDRESS:PORT or http://ADDRESS:PORT/PATH, of this machine itself");
}

static int
fill_service(struct fill c, struct service *s, const json_t *one)
{
	s->ready_ms = json_int_at(one, "ready_s", READY_S) * 1000;
	s->stop_ms = json_int_at(one, "stop_s", STOP_S) * 1000;
	s->stop_signal =
	    json_object_get(one, "stop_signal") == NULL ? SIGTERM : services_signal(json_text_at(one, "stop_signal"));
	if (fill_environ(&c, &s->environ, json_object_get(one, "env")) == -1)
		return -1;
	c.environ = &s->environ;
	s->envp = (const char *const *)environ_list(&s->environ);
	if ((s->argv = expand_list(&c, "argv", json_object_get(one, "argv"))) == NULL ||
	    (s->cwd = expand(&c, "cwd", json_text_at(one, "cwd"))) == NULL)
		return -1;
	if (s->cwd[0] != '/')
		return wrong(&c, "cwd", "must be an absolute path");
	return fill_ready(&c, &s->ready, json_object_get(one, "ready"));
}

int
services_fill(struct services *s, const char *file, const struct environ *every, struct fault *f)
{
	const json_t *array = json_object_get(s->root, "services"), *one;
	size_t i;

	s->service = x_zalloc(json_array_size(array), sizeof *s->service);
	s->count = json_array_size(array);
	json_array_foreach (array, i, one) {
		struct service *service = &s->service[i];
		const struct fill c = {file, json_text_at(one, "name"), every, f};

		service->name = c.name;
		if (fill_service(c, service, one) == -1)
			return -1;
	}
	return 0;
}

void
services_free(struct services *s)
{
	for (size_t i = 0; i < s->count; i++) {
		struct service *one = &s->service[i];

		free_list(one->argv);
		free_list(one->ready.argv);
		free((char *)one->ready.probe.tcp);
		free((char *)one->ready.probe.url);
		free((char *)one->cwd);
		free((const char **)one->envp);
		environ_free(&one->environ);
	}
	free(s->service);
	json_decref(s->root);
	*s = (struct services) {0};
}
