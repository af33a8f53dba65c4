/* engine - which Docker Engine we speak to, and whether it answers */

#include <string.h>
#include <unistd.h>

#include "engine.h"
#include "http.h"
#include "setting.h"
#include "x.h"

#define SYSTEM_SOCKET "/var/run/docker.sock"

char *
engine_socket(const char *option, struct fault *f)
{
	const char *chosen = option != NULL ? option : setting_text("SBX_DOCKER_SOCKET", NULL);
	const char *mine = setting_text("XDG_RUNTIME_DIR", NULL);

	if (chosen != NULL) {
		if (chosen[0] == '/')
			return x_strdup(chosen);
		fault_fill(f, STATUS_TROUBLE, "socket_invalid",
		    "socket '%s': must be the absolute path of a local socket, such as " SYSTEM_SOCKET, chosen);
		return NULL;
	}
	if (mine != NULL && mine[0] == '/' && access(SYSTEM_SOCKET, F_OK) == -1) {
		auto_free char *rootless = x_printf("%s/docker.sock", mine);

		if (access(rootless, F_OK) == 0)
			return x_steal(rootless);
	}
	return x_strdup(SYSTEM_SOCKET);
}

int
engine_ping(const char *socket, int64_t deadline, struct fault *f)
{
	struct http_server server = {.socket = socket, .base = "http://localhost"};
	struct http_request ping = {.method = "GET", .path = "/_ping"};
	struct http_reply reply = {0};
	struct fault why = {0};
	int status;

	if (http_send(&server, &ping, &reply, 1, deadline, &why) == 0 && reply.status != 200)
		fault_fill(
		    &why, STATUS_TROUBLE, "engine_unreachable", "%s: answers /_ping with %d", socket, reply.status);
	if (strcmp(why.reason, "stopped") == 0)
		fault_fill(f, why.status, why.reason, "%s", why.message);
	else if (fault_is(&why))
		fault_fill(f, STATUS_TROUBLE, "engine_unreachable",
		    "%s: start a Docker Engine, or name its socket in SBX_DOCKER_SOCKET", why.message);
	status = fault_is(f) ? -1 : 0;
	fault_clear(&why);
	http_free(&reply, 1);
	return status;
}
