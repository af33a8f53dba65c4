/* sbx-docker - make, use and tear down sandboxes on a local Docker Engine */

#include "provider.h"

int
main(int argc, char *argv[])
{
	return provider_main(provider_find("docker"), SBX_TITLE, argc, argv);
}
