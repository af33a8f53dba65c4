/* compose - what a sandbox is given of the operator's environment, for its purpose */

#include <string.h>

#include "compose.h"
#include "json.h"

static const char forwarded[] = "set by the operator for previews";

/* What a sandbox inside has: sbx-supervise's own defaults. */
static const char app_root[] = "/workspace/app", state[] = "/tmp/mozaiks-preview";

/* Providers take names that are identifiers of C, and lines hold texts in UTF-8. */
static int
check_forwarded(const struct environ *e, struct fault *f)
{
	for (size_t i = 0; i < e->count; i++) {
		auto_free char *name = x_strndup(e->item[i].text, e->item[i].name_len);
		json_auto_t *value = json_string(e->item[i].text + e->item[i].name_len + 1);

		if (!environ_is_name(name))
			return fault_set(f, STATUS_TROUBLE, "env_invalid",
			    COMPOSE_PREFIX "%s: '%s' is no name: letters, digits and _, not starting with a digit",
			    name, name);
		if (value == NULL)
			return fault_set(
			    f, STATUS_TROUBLE, "env_invalid", COMPOSE_PREFIX "%s: its value is not UTF-8", name);
	}
	return 0;
}

int
compose(const struct compose *c, struct environ *e, struct fault *f)
{
	const struct posture_place at = {app_root, state, c->url};

	if (strcmp(c->purpose, "artifact_preview") == 0) {
		environ_take(e, c->envp, COMPOSE_PREFIX, forwarded);
		if (check_forwarded(e, f) == -1 || (c->posture != NULL && posture_check(c->posture, e, f) == -1))
			return -1;
	}
	if (c->url != NULL)
		return posture_apply(c->posture, &at, e, f);
	if (strcmp(c->purpose, "sealed_candidate_preview") != 0)
		posture_resources(e);
	return 0;
}

bool
compose_is_forwarded(const struct environ_item *item)
{
	return item->source == forwarded;
}
