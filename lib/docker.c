/* docker - the Docker provider: sandboxes on a local Engine */

#include "docker.h"
#include "docker_verb.h"

static json_t *
caps(const struct site *s, struct fault *f)
{
	(void)s;
	(void)f;
	return json_make("{s:s, s:b, s:b, s:b, s:b}", "provider", docker_provider.name, "supports_preview", 1,
	    "supports_file_io", 1, "supports_command_execution", 1, "supports_timeout_extension", 0);
}

/* There is no extend: PID 1 of a container sleeps for a time that was set when it was made. */
const struct provider docker_provider = {
    .name = "docker",
    .previews = true,
    .create = docker_create,
    .connect = docker_connect,
    .put = docker_put,
    .get = docker_get,
    .exec = docker_exec,
    .url = docker_url,
    .rm = docker_rm,
    .sweep = docker_sweep,
    .list = docker_list,
    .caps = caps,
};
