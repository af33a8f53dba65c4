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
