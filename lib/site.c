/* site - what the providers need to know about this machine and this call */

#include <stdlib.h>

#include "engine.h"
#include "holding.h"
#include "setting.h"
#include "site.h"
#include "store.h"

#define IMAGE "mozaiks-sandbox:local"

int
site_open(struct site *s, const char *socket, FILE *show, struct fault *f)
{
	*s = (struct site) {
	    .image = setting_text("DOCKER_SANDBOX_IMAGE", IMAGE),
	    .lifetime_ms = setting_integer("DOCKER_SANDBOX_TIMEOUT", 300, 1, 86400) * 1000,
	    .preview_port = (int)setting_integer("SANDBOX_PREVIEW_PORT", 3000, 1, 65535),
	    .show = show,
	};

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
