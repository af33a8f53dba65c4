/* sbx-e2b - make, use and tear down sandboxes hosted by E2B */

#include <string.h>

#include "provider.h"
#include "template.h"

int
main(int argc, char *argv[])
{
	if (argc > 1 && strcmp(argv[1], "template") == 0)
		return template_main(argc - 1, argv + 1);
	return provider_main(provider_find("e2b"), SBX_TITLE, argc, argv);
}
