/* docker_image - is a sandbox made from the preview image that belongs to this version of sbx? */

#include <string.h>

#include "cli.h"
#include "docker_body.h"

/*
 * A container has its image's labels. One without sbx.image is an operator's own, who answers for it; what is built from ours, and
 * on ours, names the share/image that it came from.
 */
int
docker_check_image(const json_t *inspected, json_t *sandbox, struct fault *f)
{
	const char *made_from = json_string_value(json_object_get(json_at(inspected, "Config.Labels"), "sbx.image"));
	const char *image = json_text_at(inspected, "Config.Image"), *purpose = json_text_at(sandbox, "purpose");

	if (made_from == NULL || strcmp(made_from, SBX_IMAGE) == 0)
		return 0;
	if (strcmp(purpose, "app_validation") != 0)
		return fault_set(f, STATUS_TROUBLE, "image_outdated",
		    "%s: it was built from another version of share/image than this sbx has: run \"make image\"",
		    image);
	cli_warn(
	    "%s: it was built from another version of share/image than this sbx has (make image brings that)", image);
	json_object_set_new(sandbox, "image_differs", json_true());
	return 0;
}
