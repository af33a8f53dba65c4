/* site - what the providers need to know about this machine and this call */

#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "holding.h"
#include "setting.h"
#include "site.h"
#include "store.h"

#define IMAGE "mozaiks-sandbox:local"

static void
read_docker(struct site *s)
{
	s->image = setting_text("DOCKER_SANDBOX_IMAGE", IMAGE);
	s->lifetime_ms = setting_integer("DOCKER_SANDBOX_TIMEOUT", 300, 1, 86400) * 1000;
	s->preview_port = (int)setting_integer("SANDBOX_PREVIEW_PORT", 3000, 1, 65535);
}

void
site_e2b(struct site *s)
{
	s->image = setting_text("E2B_TEMPLATE", NULL);
	s->lifetime_ms = setting_integer("E2B_TIMEOUT", 300, 1, 86400) * 1000;
	s->e2b = (struct e2b_site) {
	    .key = setting_text("E2B_API_KEY", NULL),
	    .domain = setting_text("E2B_DOMAIN", "e2b.app"),
	    .api = setting_text("E2B_API_URL", NULL),
	    .sandbox_url = setting_text("E2B_SANDBOX_URL", NULL),
	    .workdir = setting_text("SANDBOX_WORKDIR", "/home/user/app"),
	};
}

int
site_open(struct site *s, const char *provider, const char *socket, FILE *show, struct fault *f)
{
	*s = (struct site) {.show = show};
	if (strcmp(provider, "e2b") == 0) {
		site_e2b(s);
		s->e2b.state = show == NULL ? setting_state() : NULL;
	} else
		read_docker(s);
	if ((s->socket = engine_socket(socket, f)) == NULL)
		return -1;
	if (show != NULL)
		return 0;
	if ((s->store = store_open(setting_store(), f)) == NULL)
		return -1;
	return holding_owner(s, f);
}

void
site_close(struct site *s)
{
	if (s->store != NULL)
		store_close(s->store);
	free(s->socket);
	*s = (struct site) {0};
}
