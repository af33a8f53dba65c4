/* stop_fault - signals that ask a program to end, as a fault */

#include <string.h>

#include "fault.h"
#include "stop.h"

int
stop_fault(struct fault *f)
{
	return fault_set(
	    f, 128 + stop_signal(), "stopped", "stopped by signal %d (%s)", stop_signal(), strsignal(stop_signal()));
}
