/* listener - does somebody on this machine listen at an address? */

#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "listener.h"

struct question {
	struct nlmsghdr head;
	struct inet_diag_req_v2 body;
};

/* The socket that a connection from the address to itself would meet. */
static struct question
form(const struct sockaddr *a)
{
	struct question q = {
	    .head = {.nlmsg_len = sizeof q, .nlmsg_type = SOCK_DIAG_BY_FAMILY, .nlmsg_flags = NLM_F_REQUEST},
	    .body = {.sdiag_family = (uint8_t)a->sa_family, .sdiag_protocol = IPPROTO_TCP, .idiag_states = ~0U}};
	struct inet_diag_sockid *id = &q.body.id;

	if (a->sa_family == AF_INET6) {
		memcpy(id->idiag_src, &((const struct sockaddr_in6 *)a)->sin6_addr, sizeof(struct in6_addr));
		id->idiag_sport = ((const struct sockaddr_in6 *)a)->sin6_port;
	} else {
		memcpy(id->idiag_src, &((const struct sockaddr_in *)a)->sin_addr, sizeof(struct in_addr));
		id->idiag_sport = ((const struct sockaddr_in *)a)->sin_port;
	}
	memcpy(id->idiag_dst, id->idiag_src, sizeof id->idiag_dst);
	memset(id->idiag_cookie, 0xff, sizeof id->idiag_cookie); /* INET_DIAG_NOCOOKIE */
	return q;
}

enum listener
listener_look(const struct sockaddr *a)
{
	static int kernel = -1; /* for good: a socket for each question would cost as much as the question */
	struct question q = form(a);
	union {
		struct nlmsghdr head;
		char bytes[1024];
	} reply;
	int error = 0;

	if (kernel == -1)
		kernel = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
	/* The kernel answers while it takes the question. */
	if (kernel == -1 || send(kernel, &q, sizeof q, 0) != (ssize_t)sizeof q ||
	    recv(kernel, &reply, sizeof reply, MSG_DONTWAIT) < (ssize_t)NLMSG_LENGTH(sizeof error))
		return LISTENER_UNKNOWN;
	if (reply.head.nlmsg_type == SOCK_DIAG_BY_FAMILY)
		return LISTENER_THERE;
	/* A struct nlmsgerr begins with it. */
	memcpy(&error, NLMSG_DATA(&reply.head), sizeof error);
	return reply.head.nlmsg_type == NLMSG_ERROR && error == -ENOENT ? LISTENER_NONE : LISTENER_UNKNOWN;
}
