/* listener - does somebody on this machine listen at an address? */
#ifndef LISTENER_H
#define LISTENER_H

#include <sys/socket.h>

enum listener {
	LISTENER_UNKNOWN, /* the kernel does not say */
	LISTENER_NONE,
	LISTENER_THERE
};

/*
 * Ask the kernel by sock_diag(7), at a tenth of what a connection costs. It knows the sockets of our own network namespace; a rule of
 * the packet filter may still lead a connection elsewhere.
 */
enum listener listener_look(const struct sockaddr *);

#endif
