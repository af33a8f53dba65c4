/* sbx-e2b - make, use and tear down sandboxes hosted by E2B */

#include <string.h>

#include "cli.h"
#include "e2b.h"
#include "template.h"

int
main(int argc, char *argv[])
{
	if (strcmp(cli_verb(argv), e2b_provider.own_verb) == 0)
		return template_main(argc, argv);
	return provider_main(&e2b_provider, SBX_TITLE, argc, argv);
}
