/* probe_connect - does somebody hold a TCP connection? */

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "listener.h"
#include "probe_parts.h"
#include "stop.h"
#include "x.h"

enum {
	LOOK_MS = 250 /* from one connection that is tried to the next, while the kernel says that nobody listens */
};

/* What poll(2) says of FD; 0 at the deadline; -1 and a fault when a signal asks to stop. */
static int
watch(int fd, short events, int64_t deadline, struct fault *f)
{
	struct pollfd wait[] = {{fd, events, 0}, {stop_fd(), POLLIN, 0}};

	for (;;) {
		int n;

		if (stop_pending())
			return fault_set(f, 128 + stop_signal(), "stopped", "stopped by signal %d", stop_signal());
		n = poll(wait, 2, clock_left(deadline));
		if (n == 0 || wait[0].revents != 0)
			return n == 0 ? 0 : wait[0].revents;
	}
}

int
probe_pause(int64_t ms, int64_t deadline, struct fault *f)
{
	int64_t end = clock_deadline(ms);

	return watch(-1, 0, end < deadline ? end : deadline, f);
}

/*
 * A connection to a free port of our own machine may get that very port for its own end, and then TCP connects it to itself: somebody
 * who asks often enough hears himself.
 */
static bool
is_own_echo(int fd)
{
	struct sockaddr_storage here = {0}, there = {0};
	socklen_t here_len = sizeof here, there_len = sizeof there;

	if (getsockname(fd, (struct sockaddr *)&here, &here_len) == -1 ||
	    getpeername(fd, (struct sockaddr *)&there, &there_len) == -1 || here_len != there_len ||
	    memcmp(&here, &there, here_len) != 0)
		return false;
	/* Closed in peace it would keep the port for a minute, from the app that is to have it. */
	setsockopt(fd, SOL_SOCKET, SO_LINGER, &(struct linger) {.l_onoff = 1}, sizeof(struct linger));
	return true;
}

static int
hold(int fd, const struct endpoint *e, int hold_ms, int64_t deadline, struct fault *f)
{
	int64_t end = clock_deadline(hold_ms);
	char byte;
	int came = hold_ms == 0 ? 0 : watch(fd, POLLIN | POLLRDHUP, end < deadline ? end : deadline, f);

	if (came <= 0)
		return came;
	if (recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 1)
		return 0;
	return fault_set(f, STATUS_NO, "cut",
	    "%s: takes connections and closes them at once, as a proxy does that has nobody behind it", e->text);
}

static int
failed(int error, const struct endpoint *e, struct fault *f)
{
	switch (error) {
	case ECONNREFUSED:
		return fault_set(f, STATUS_NO, "refused", "%s: nobody listens there", e->text);
	case ETIMEDOUT:
		return fault_set(f, STATUS_NO, "timed_out", "%s: no answer in time", e->text);
	default:
		return fault_set(f, STATUS_NO, "refused", "%s: %s", e->text, strerror(error));
	}
}

static int
connect_to(const struct endpoint_address *a, const struct endpoint *e, int hold_ms, int64_t deadline, struct fault *f)
{
	auto_close int fd = socket(a->at.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int error = 0, came = 0;
	socklen_t len = sizeof error;

	if (fd == -1)
		return failed(errno, e, f);
	if (connect(fd, &a->at.any, a->len) == -1) {
		if (errno != EINPROGRESS)
			return failed(errno, e, f);
		if ((came = watch(fd, POLLOUT, deadline, f)) == -1)
			return -1;
		getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len);
		if (came == 0 || error != 0)
			return failed(came == 0 ? ETIMEDOUT : error, e, f);
	}
	return is_own_echo(fd) ? failed(ECONNREFUSED, e, f) : hold(fd, e, hold_ms, deadline, f);
}

/*
 * Is it plain that nobody is there? For a connection on our own machine the kernel tells. Now and then one is tried all the same, since
 * it may be led elsewhere.
 */
static bool
is_silent(const struct endpoint_address *a)
{
	bool own = a->at.any.sa_family == AF_INET ? a->at.v4.sin_addr.s_addr == htonl(INADDR_LOOPBACK)
	                                          : IN6_IS_ADDR_LOOPBACK(&a->at.v6.sin6_addr);

	return own && listener_look(&a->at.any) == LISTENER_NONE;
}

/* Each address gets its share of the time, so that one that swallows packets leaves some for the others. */
int
probe_connect(const struct endpoint *e, struct probe_past *past, int hold_ms, int64_t deadline, struct fault *f)
{
	struct endpoint_address all[ENDPOINT_MOST];
	int count = endpoint_resolve(e, deadline, all, f);
	bool look = clock_now() - past->tried < LOOK_MS;

	if (!look)
		past->tried = clock_now();
	for (int i = 0; i < count; i++) {
		struct fault one = {0};

		if (look && is_silent(&all[i]))
			failed(ECONNREFUSED, e, &one);
		else if (connect_to(&all[i], e, hold_ms, clock_deadline(clock_left(deadline) / (count - i)), &one) ==
		         0) {
			fault_clear(f);
			return 0;
		}
		/* The one that tells more is kept. */
		if (strcmp(f->reason, "refused") == 0 && strcmp(one.reason, "refused") != 0)
			fault_clear(f);
		fault_fill(f, one.status, one.reason, "%s", one.message);
		if (f->status != STATUS_NO)
			break;
	}
	return -1;
}
