/* sbx-e2b - make, use and tear down sandboxes hosted by E2B */

#include "provider.h"

int
main(int argc, char *argv[])
{
	return provider_main(provider_find("e2b"), SBX_TITLE, argc, argv);
}
