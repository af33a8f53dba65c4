/* preview_check - whether backend, frontend and the way between them answer, and are the right app's */

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "instance.h"
#include "posture.h"
#include "preview.h"
#include "probe.h"
#include "x.h"

enum {
	PART_MS = 2000,
	WORDS = 2048, /* bytes of the log's end that are looked at */
	BACKEND_PORT = 8000
};

static int
ask(const char *part, const char *path, int port, const json_t *member, struct fault *f)
{
	auto_free char *url = x_printf("http://127.0.0.1:%d%s", port, path);
	const struct probe p = {.url = url, .least = 200, .most = 200, .member = member};
	struct fault why = {0};
	int status = probe_ask(&p, clock_deadline(PART_MS), &why);

	if (status == -1)
		fault_fill(f, why.status, why.reason, "%s: %s", part, why.message);
	fault_clear(&why);
	return status;
}

/* The last line of the supervisor's log, without its time; the caller frees it. NULL: there is none. */
static char *
last_words(void)
{
	auto_close int fd = open(PREVIEW_LOG, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	char text[WORDS + 1], *line;
	off_t size = fd == -1 ? -1 : lseek(fd, 0, SEEK_END);
	ssize_t n = size <= 0 ? -1 : pread(fd, text, WORDS, size > WORDS ? size - WORDS : 0);

	if (n <= 0)
		return NULL;
	text[n - (text[n - 1] == '\n')] = '\0';
	line = strrchr(text, '\n');
	line = strchr(line == NULL ? text : line, ' ');
	return line == NULL ? NULL : x_strdup(line + 1);
}

/* Where nobody is there who would still start it, the question is why. */
static void
explain(struct fault *f)
{
	auto_free char *words = instance_runs(PREVIEW_PID) ? NULL : last_words();
	struct fault was = *f;

	if (words == NULL)
		return;
	*f = (struct fault) {0};
	fault_fill(f, was.status, was.reason, "%s; no supervisor runs: %s", was.message, words);
	fault_clear(&was);
}

int
preview_check(const struct preview *p, struct fault *f)
{
	auto_posture struct posture posture = {0};
	json_t *identity;
	int status;

	if (posture_read(&posture, p->app_root, f) == -1)
		return -1;
	identity = json_make("{s:s}", "appId", posture.app_id);
	status = ask("backend", "/api/health", BACKEND_PORT, NULL, f);
	if (status == 0)
		status = ask("frontend", "/", p->port, NULL, f);
	if (status == 0)
		status = ask("frontend's way to the backend", "/api/shell-config", p->port, identity, f);
	json_decref(identity);
	if (status == -1)
		explain(f);
	return status;
}
