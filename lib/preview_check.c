/* preview_check - whether backend, frontend and the way between them answer, and are the right app's */

#include <string.h>

#include "clock.h"
#include "posture.h"
#include "preview.h"
#include "probe.h"
#include "x.h"

enum {
	PART_MS = 2000,
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
	return status;
}
