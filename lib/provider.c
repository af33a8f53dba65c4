/* provider - which sandbox providers there are */

#include <string.h>

#include "docker.h"
#include "e2b.h"
#include "local.h"
#include "provider.h"

const struct provider *
provider_find(const char *name)
{
	static const struct provider *const all[] = {&docker_provider, &e2b_provider, &local_provider};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (strcmp(name, all[i]->name) == 0)
			return all[i];
	return NULL;
}

enum gone
provider_rm_all(
    const struct provider *p, const struct site *s, const json_t *names, const char *engine, struct fault *f)
{
	enum gone worst = GONE_CONFIRMED;
	const char *name;
	json_t *value;

	/* Each gets its own fault, since a fault is what makes a teardown unconfirmed. */
	json_object_foreach ((json_t *)names, name, value) {
		struct fault one = {0};
		enum gone gone = p->rm(s, name, engine, &one);

		worst = worst == GONE_UNCONFIRMED || gone == GONE_CONFIRMED ? worst : gone;
		if (fault_is(&one))
			fault_fill(f, one.status, one.reason, "%s", one.message);
		fault_clear(&one);
	}
	return worst;
}

enum gone
provider_swept(struct fault *f)
{
	if (!fault_is(f))
		return GONE_CONFIRMED;
	f->status = STATUS_DOUBT;
	return GONE_UNCONFIRMED;
}
