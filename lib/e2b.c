/* e2b - the E2B provider: hosted sandboxes, through the service's own API */

#include "e2b.h"
#include "e2b_verbs.h"

static json_t *
caps(const struct site *s, struct fault *f)
{
	(void)s;
	(void)f;
	return json_make("{s:s, s:b, s:b, s:b, s:b}", "provider", e2b_provider.name, "supports_preview", 1,
	    "supports_file_io", 1, "supports_command_execution", 1, "supports_timeout_extension", 1);
}

const struct provider e2b_provider = {
    .name = "e2b",
    .previews = true,
    .hosted = true,
    .own_verb = "template",
    .create = e2b_create,
    .connect = e2b_connect,
    .put = e2b_put,
    .get = e2b_get,
    .exec = e2b_exec,
    .url = e2b_url,
    .extend = e2b_extend,
    .rm = e2b_rm,
    .sweep = e2b_sweep,
    .orphans = e2b_orphans,
    .list = e2b_list,
    .caps = caps,
};
