/* http - chains of requests against a server that says what the test wants, to the byte */

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "fd.h"
#include "http.h"
#include "stop.h"
#include "x.h"

#define check(condition) ((condition) ? (void)0 : fail(#condition, __LINE__))
/* The length, the empty line and the body follow. */
#define OK(rest) "HTTP/1.1 200 OK\r\nContent-Length: " rest

static _Noreturn void
fail(const char *condition, int line)
{
	fprintf(stderr, "http.c:%d: not so: %s\n", line, condition);
	exit(1);
}

static struct sockaddr_un address = {.sun_family = AF_UNIX};
static const struct http_server server = {.socket = address.sun_path, .base = "http://localhost"};
static pid_t serving;

/* One request, up to the empty line and the body that its head announces; false when the client is gone. */
static bool
read_request(int fd, struct buf *request)
{
	const char *end, *length;
	char byte;

	request->len = 0;
	buf_add(request, "", 0);
	while ((end = strstr(request->data, "\r\n\r\n")) == NULL) {
		if (read(fd, &byte, 1) != 1)
			return false;
		buf_add(request, &byte, 1);
	}
	length = strcasestr(request->data, "content-length:");
	for (long n = length != NULL ? strtol(length + 15, NULL, 10) : 0; n > 0; n--) {
		if (read(fd, &byte, 1) != 1)
			return false;
		buf_add(request, &byte, 1);
	}
	return true;
}

/*
 * Answer the requests of one connection with these texts, in turn; after the last one, close. "hang" answers nothing for ever. The
 * last request is left in the file LOG.
 */
static void
serve(const char *const *answers, int listening, const char *log)
{
	int fd = accept(listening, NULL, NULL);
	struct buf request = {0};

	/* Whoever comes again is refused. */
	close(listening);
	for (; *answers != NULL && read_request(fd, &request); answers++) {
		FILE *file = fopen(log, "w");

		fwrite(request.data, 1, request.len, file);
		fclose(file);
		if (strcmp(*answers, "hang") == 0)
			pause();
		if (fd_write(fd, *answers, strlen(*answers)) == -1)
			break;
	}
	_exit(0);
}

static char log_path[sizeof address.sun_path + 8];

static void
start(const char *const *answers)
{
	int listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	unlink(address.sun_path);
	check(bind(listening, (struct sockaddr *)&address, sizeof address) == 0 && listen(listening, 1) == 0);
	snprintf(log_path, sizeof log_path, "%s.log", address.sun_path);
	if ((serving = fork()) == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		serve(answers, listening, log_path);
	}
	close(listening);
}

static void
stop(void)
{
	kill(serving, SIGKILL);
	waitpid(serving, NULL, 0);
}

#define with(...) start((const char *const[]) {__VA_ARGS__, NULL})

static const struct http_request gets[3] = {
    {.method = "GET", .path = "/a"}, {.method = "GET", .path = "/b"}, {.method = "GET", .path = "/c"}};

static void
replies_are_told_apart(void)
{
	struct http_request r[3] = {gets[0], gets[1], gets[2]};
	struct http_reply reply[3];
	struct fault f = {0};

	r[1].header = "x-wanted";
	with(OK("9\r\n\r\n\nno mark\t"),
	    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\nX-WANTED:  so\r\n\r\n",
	    "HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
	check(http_send(&server, r, reply, 3, clock_deadline(5000), &f) == 0 && !fault_is(&f));
	check(reply[0].status == 200 && strcmp(reply[0].body.data, "\nno mark\t") == 0);
	check(reply[1].status == 204 && strcmp(reply[1].header, "so") == 0 && reply[1].body.len == 0);
	check(reply[2].status == 201 && strcmp(reply[2].body.data, "abcde") == 0);
	http_free(reply, 3);
	stop();
}

static void
a_refusal_stops_the_chain_unless_it_may_fail(void)
{
	struct http_request r[3] = {gets[0], gets[1], gets[2]};
	struct http_reply reply[3];
	struct fault f = {0};

	r[0].may_fail = true;
	with("HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno",
	    "HTTP/1.1 500 Oops\r\nContent-Length: 3\r\n\r\nbad", OK("0\r\n\r\n"));
	check(http_send(&server, r, reply, 3, clock_deadline(5000), &f) == 0);
	check(reply[0].status == 404 && strcmp(reply[0].body.data, "no") == 0);
	check(reply[1].status == 500 && strcmp(reply[1].body.data, "bad") == 0);
	check(reply[2].status == 0 && !reply[2].sent);
	http_free(reply, 3);
	stop();
}

static void
expect_failure(const char *reason, size_t answered, bool sent, int64_t ms)
{
	struct http_reply reply[3];
	struct fault f = {0};

	check(http_send(&server, gets, reply, 3, clock_deadline(ms), &f) == -1);
	check(strcmp(f.reason, reason) == 0 && f.status == STATUS_TROUBLE);
	for (size_t i = 0; i < 3; i++)
		check((reply[i].status != 0) == (i < answered) &&
		      reply[i].sent == (i < answered || (i == answered && sent)));
	http_free(reply, 3);
	fault_clear(&f);
}

static void
failures_are_told_apart(void)
{
	unlink(address.sun_path);
	expect_failure("service_refused", 0, false, 5000);
	with(OK("1\r\n\r\na"), "hang");
	expect_failure("service_timeout", 1, true, 300);
	stop();
	with(OK("1\r\n\r\na"), "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\ncut");
	expect_failure("service_cut", 1, true, 5000);
	stop();
	with(OK("2000000\r\n\r\n"));
	expect_failure("service_cut", 0, true, 5000);
	stop();
	with("no HTTP at all\r\n\r\n");
	expect_failure("service_cut", 0, true, 5000);
	stop();
}

static void
bodies_arrive_and_are_no_argument(void)
{
	static const char body[] = "{\"a\":\"\\\"\\\\\n'$x\"}";
	struct http_request r[] = {
	    {.method = "POST", .path = "/p?q=%20", .type = "application/json", .body = body, .len = sizeof body - 1}};
	struct http_reply reply;
	struct fault f = {0};
	struct buf got = {0};
	FILE *log;

	with(OK("0\r\n\r\n"));
	check(http_send(&server, r, &reply, 1, clock_deadline(5000), &f) == 0 && reply.status == 200);
	stop();
	log = fopen(log_path, "r");
	check(fd_read_all(fileno(log), &got, 1 << 20) == 0);
	check(strncmp(got.data, "POST /p?q=%20 HTTP/1.1\r\n", 24) == 0);
	check(strstr(got.data, "Content-Type: application/json\r\n") != NULL && strstr(got.data, "Expect") == NULL);
	check(got.len > sizeof body && strcmp(got.data + got.len - (sizeof body - 1), body) == 0);
	fclose(log);
	buf_free(&got);
	http_free(&reply, 1);
}

static void
bounds_hold(void)
{
	struct http_request r = {.method = "GET", .path = "/a", .most = 3};
	struct http_reply reply;
	struct fault f = {0};

	with(OK("4\r\n\r\nabcd"));
	check(http_send(&server, &r, &reply, 1, clock_deadline(5000), &f) == -1);
	check(strcmp(f.reason, "reply_too_large") == 0);
	http_free(&reply, 1);
	fault_clear(&f);
	stop();
}

static void
streams_are_read_as_they_come(void)
{
	struct http_request r[2] = {gets[0], gets[1]};
	struct http_reply reply;
	struct fault f = {0};
	char piece[4];
	struct http *h;

	/* Without a length the end of the connection is the end of the reply; the next request needs a new one, which fails. */
	with("HTTP/1.1 200 OK\r\n\r\nabcdef");
	h = http_begin(&server, r, 2, clock_deadline(5000), &f);
	check(h != NULL && http_next(h, &reply, &f) == 1 && reply.status == 200);
	check(http_read(h, piece, 4, &f) == 4 && memcmp(piece, "abcd", 4) == 0);
	check(http_read(h, piece, 4, &f) == 2 && memcmp(piece, "ef", 2) == 0);
	check(http_read(h, piece, 4, &f) == 0 && http_read(h, piece, 4, &f) == 0);
	check(http_next(h, &reply, &f) == -1 && strcmp(f.reason, "service_refused") == 0 && !reply.sent);
	http_end(h);
	fault_clear(&f);
	stop();
}

static void
a_signal_ends_the_wait(void)
{
	struct http_reply reply[3];
	struct fault f = {0};

	stop_catch();
	with("hang");
	raise(SIGTERM);
	check(http_send(&server, gets, reply, 3, clock_deadline(5000), &f) == -1);
	check(strcmp(f.reason, "stopped") == 0 && f.status == 128 + SIGTERM);
	http_free(reply, 3);
	fault_clear(&f);
	stop();
	/* Teardown is not to be kept from its work. */
	stop_hold(true);
	with(OK("0\r\n\r\n"));
	check(http_send(&server, gets, reply, 1, clock_deadline(5000), &f) == 0 && reply[0].status == 200);
	http_free(reply, 1);
	stop();
}

int
main(void)
{
	char dir[] = "/tmp/sbx-http.XXXXXX";

	check(mkdtemp(dir) != NULL);
	snprintf(address.sun_path, sizeof address.sun_path, "%s/socket", dir);
	replies_are_told_apart();
	a_refusal_stops_the_chain_unless_it_may_fail();
	failures_are_told_apart();
	bodies_arrive_and_are_no_argument();
	bounds_hold();
	streams_are_read_as_they_come();
	a_signal_ends_the_wait();
	unlink(address.sun_path);
	unlink(log_path);
	rmdir(dir);
	return 0;
}
