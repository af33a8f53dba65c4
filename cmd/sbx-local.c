/* sbx-local - make, use and tear down sandboxes on this machine itself */

#include "provider.h"

int
main(int argc, char *argv[])
{
	return provider_main(provider_find("local"), SBX_TITLE, argc, argv);
}
