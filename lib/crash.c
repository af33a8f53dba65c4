/* crash - named points at which a test build dies, to prove that nothing is left behind */

#include "crash.h"

#ifdef SBX_FAULTS
#include <signal.h>
#include <stdlib.h>
#include <string.h>

void
crash_point(const char *name)
{
	const char *wanted = getenv("SBX_CRASH");

	if (wanted != NULL && strcmp(wanted, name) == 0)
		raise(SIGKILL);
}
#else
typedef int crash_points_are_for_tests; /* C has no empty translation unit */
#endif
