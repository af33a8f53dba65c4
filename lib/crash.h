/* crash - named points at which a test build dies, to prove that nothing is left behind */
#ifndef CRASH_H
#define CRASH_H

/*
 * crash_point("docker.create.sent") does nothing, except in a build made with FAULTS=1 when SBX_CRASH names it: then the
 * program kills itself with SIGKILL. One stands at each step that leaves a trace outside: a row, a file, a request, a process.
 */
#ifdef SBX_FAULTS
void crash_point(const char *name);
#else
#define crash_point(name) ((void)0)
#endif

#endif
