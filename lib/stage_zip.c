/* stage_zip - an archive is read once into our own memory, and parsed there by a jailed child */

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "fd.h"
#include "jail.h"
#include "report.h"
#include "stage_parts.h"
#include "stop.h"
#include "x.h"

enum {
	PIECE = 128 * 1024,     /* stays in the processor's cache from reading to hashing */
	MEMORY = 512 * 1000000, /* for the child's lists of names; its largest file comes on top */
	READ_MS = 600000,       /* for all of an archive to come through a pipe */
	PARSE_MS = 120000
};

/* Wait until there is something to read, or a signal; without the wait a pipe would be read as if it were at its end. */
static int
wait_for(const struct stage_request *q, int fd, int64_t deadline, struct fault *f)
{
	struct pollfd wait[] = {{fd, POLLIN, 0}, {stop_fd(), POLLIN, 0}};

	while (poll(wait, 2, clock_left(deadline)) == -1 && errno == EINTR)
		;
	if (stage_stopped(f) == -1)
		return -1;
	if (wait[0].revents != 0)
		return 0;
	return fault_set(f, STATUS_TROUBLE, "bundle_unreadable", "%s: it did not come to its end within %d s", q->path,
	    READ_MS / 1000);
}

/* All of the file, hashed as it comes: whoever can change the file can't change what was read. */
static int
read_archive(const struct stage_request *q, int fd, struct buf *archive, struct staged *s, struct fault *f)
{
	const uint64_t most = q->profile->limits.input_bytes;
	int64_t deadline = clock_deadline(READ_MS);
	struct digest digest;
	struct refusal r;
	struct stat st;
	ssize_t n;

	digest_begin(&digest);
	if (fstat(fd, &st) == 0 && (uint64_t)st.st_size <= most)
		buf_reserve(archive, (size_t)st.st_size + PIECE);
	do {
		char *room = buf_reserve(archive, PIECE);

		if (wait_for(q, fd, deadline, f) == -1)
			return -1;
		if ((n = read(fd, room, PIECE)) == -1 && errno != EAGAIN && errno != EINTR)
			return fault_errno(f, STATUS_TROUBLE, "bundle_unreadable", "%s", q->path);
		if (n > 0) {
			digest_add(&digest, room, (size_t)n);
			archive->len += (size_t)n;
		}
		if (archive->len > most) {
			rule_fill(&r, RULE_LIMIT_INPUT, RULE_NOWHERE, NULL, 0);
			return rule_fault(&r, q->path, f);
		}
	} while (n != 0);
	s->bytes = archive->len;
	digest_end(&digest, s->sha256);
	return stage_check_digest(q, s->sha256, f);
}

/* The parent's side of the jail. */
struct follow {
	const struct stage_request *request;
	struct stage_out *out;
	struct staged *staged;
	struct fault *fault;
	struct buf report;
	size_t taken; /* of the report */
	bool done;    /* nothing may follow */
	char piece[PIECE];
};

static int
died(const struct follow *w, const char *how)
{
	return fault_set(
	    w->fault, STATUS_TROUBLE, "parser_died", "%s: not judged, as its parser %s", w->request->path, how);
}

static int
take_refusal(struct follow *w, const struct report *m)
{
	const struct refusal r = {m->head.rule, m->head.offset, m->text, m->other,
	    m->text != NULL ? m->head.text_len : 0, m->other != NULL ? m->head.other_len : 0};

	return rule_fault(&r, w->request->path, w->fault);
}

static int
take_done(struct follow *w, const struct report *m)
{
	w->done = true;
	if (m->text != NULL && (w->staged->app_id = json_stringn(m->text, m->head.text_len)) == NULL)
		return died(w, "told nonsense");
	return 0;
}

static int
take_reports(struct follow *w)
{
	struct report m;
	int status;

	while ((status = report_next(&w->report, &w->taken, &m)) == 1) {
		if (w->done)
			return died(w, "told more after the end");
		if (m.head.kind == REPORT_REFUSED)
			status = take_refusal(w, &m);
		else if (m.head.kind == REPORT_DONE)
			status = take_done(w, &m);
		else
			status = stage_out_file(w->out, m.text, m.head.text_len, m.head.size, m.head.digest);
		if (status == -1)
			return -1;
	}
	return status == 0 ? 0 : died(w, "told nonsense");
}

/* Take what there is to read at *FD, which becomes -1 at its end. */
static int
take(struct follow *w, int *fd, bool is_tar)
{
	ssize_t n = read(*fd, w->piece, sizeof w->piece);

	if (n == -1 && errno == EINTR)
		return 0;
	if (n <= 0) {
		*fd = -1;
		return 0;
	}
	if (is_tar)
		return stage_out_tar(w->piece, (size_t)n, w->out);
	buf_add(&w->report, w->piece, (size_t)n);
	return take_reports(w);
}

static int
follow(struct follow *w, const struct jail *j)
{
	struct pollfd wait[] = {{j->data, POLLIN, 0}, {j->report, POLLIN, 0}, {stop_fd(), POLLIN, 0}};
	int64_t deadline = clock_deadline(PARSE_MS);

	while (wait[0].fd != -1 || wait[1].fd != -1) {
		int n = poll(wait, 3, clock_left(deadline));

		if (stage_stopped(w->fault) == -1)
			return -1;
		if (clock_left(deadline) == 0)
			return died(w, "took too long");
		if (n == -1)
			continue;
		if (wait[0].revents != 0 && take(w, &wait[0].fd, true) == -1)
			return -1;
		if (wait[1].revents != 0 && take(w, &wait[1].fd, false) == -1)
			return -1;
	}
	return 0;
}

/* The child's end must fit what it told. */
static int
judge_end(struct follow *w, int end)
{
	auto_free char *how = NULL;

	if (end > 0)
		how = x_printf("was killed by signal %d (%s)", end, strsignal(end));
	if (end != 0)
		return died(w, how != NULL ? how : "gave up");
	return w->done && w->taken == w->report.len ? 0 : died(w, "stopped before the end");
}

int
stage_zip(const struct stage_request *q, int fd, struct stage_out *out, struct staged *s, struct fault *f)
{
	auto_buf struct buf archive = {0};
	struct follow w = {.request = q, .out = out, .staged = s, .fault = f};
	struct stage_parse p = {&archive, q->profile};
	struct jail jail;
	int status, end;

	if (read_archive(q, fd, &archive, s, f) == -1)
		return -1;
	/* jansson would open its random source in the jail. */
	json_object_seed(0);
	jail_start(&jail, stage_parse, &p, MEMORY + q->profile->limits.entry_bytes);
	if ((status = follow(&w, &jail)) == -1)
		jail_kill(&jail);
	end = jail_end(&jail);
	if (status == 0)
		status = judge_end(&w, end);
	buf_free(&w.report);
	return status;
}
