/* supervise - starts services one after the other, watches them, ends them all in reverse order when one ends */
#ifndef SUPERVISE_H
#define SUPERVISE_H

#include "fault.h"
#include "services.h"

/*
 * Start SERVICES, each when the one before it is ready, and keep them until a signal asks to stop. Their output goes to
 * LOGS/NAME.log. Returns 0 when a signal asked for it; -1 and a fault with status 1 when one was not ready in time
 * (`service_not_ready`), ended by itself (`service_ended`), or somebody else answered in its place (`address_in_use`). Nothing that
 * was started is left in either case, else the fault is `service_left` (3).
 *
 * Each step is told to SAY, a sentence about the service NAME; TROUBLE: for everybody, not only for those who want to know all.
 */
int supervise(const struct services *, const char *logs, void (*say)(const char *name, const char *words, bool trouble),
    struct fault *);

#endif
