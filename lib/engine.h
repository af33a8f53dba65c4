/* engine - which Docker Engine we speak to, and whether it answers */
#ifndef ENGINE_H
#define ENGINE_H

#include <stdint.h>

#include "fault.h"

/*
 * The path of the Engine's local socket: OPTION when given, else SBX_DOCKER_SOCKET, else /var/run/docker.sock when it is there, else
 * $XDG_RUNTIME_DIR/docker.sock. The caller frees it. NULL and a fault when what was chosen is no absolute path: the Engine is never
 * spoken to over TCP.
 */
char *engine_socket(const char *option, struct fault *);

/* Does an Engine answer at SOCKET before DEADLINE? 0, or -1 with a fault that says what to do. */
int engine_ping(const char *socket, int64_t deadline, struct fault *);

#endif
