/* endpoint - HOST:PORT, and the addresses that a host has */
#ifndef ENDPOINT_H
#define ENDPOINT_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fault.h"

struct endpoint {
	char host[256]; /* a name or an address, without brackets */
	char text[272]; /* the whole, for people */
	int port;
};

enum {
	ENDPOINT_MOST = 8 /* addresses of one host that are used */
};

struct endpoint_address {
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	} at;
	socklen_t len;
};

/* LEN bytes that are HOST:PORT, an IPv6 address in brackets. Without a port it is FALLBACK; 0: it must be there. */
bool endpoint_parse(const char *text, size_t len, int fallback, struct endpoint *);

/* Is it an address, or localhost, so that no name service needs to be asked? */
bool endpoint_is_plain(const struct endpoint *);

/*
 * Its addresses; localhost has both of its own. Other names are looked up by getent(1): a call of the C library could neither be
 * bounded nor be linked into a program that runs in any image. That process makes the rules of tree.h apply. Returns how many, or -1
 * and a fault: `refused` (1: there is no such host), `timed_out` (1), `stopped` (128+n).
 */
int endpoint_resolve(
    const struct endpoint *, int64_t deadline, struct endpoint_address found[static ENDPOINT_MOST], struct fault *);

#endif
