/* store - what the store promises to all programs: whole transactions, turns, privacy, refusal of what it can't do */

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "path.h"
#include "store.h"
#include "x.h"

#define check(condition) ((condition) ? (void)0 : fail(#condition, __LINE__))

enum {
	WAIT_MS = 30000,
	WRITERS = 6,
	ROUNDS = 25
};

static char place[] = "/tmp/store.XXXXXX";

static _Noreturn void
fail(const char *condition, int line)
{
	fprintf(stderr, "store.c:%d: not so: %s\n", line, condition);
	exit(1);
}

static int64_t
soon(void)
{
	return clock_deadline(WAIT_MS);
}

static int
see_integer(const struct store_row *row, void *context, struct fault *f)
{
	(void)f;
	*(int64_t *)context = store_row_integer(row, 0);
	return 0;
}

static int64_t
integer(struct store *s, const char *sql)
{
	struct fault f = {0};
	int64_t value = -1;

	check(store_read(s, sql, NULL, see_integer, &value, soon(), &f) == 0);
	return value;
}

static int
see_values(const struct store_row *row, void *context, struct fault *f)
{
	(void)f;
	check(store_row_integer(row, 0) == INT64_MAX && store_row_integer(row, 1) == INT64_MIN);
	check(strcmp(store_row_text(row, 2), "a'b\"ü\n") == 0 && store_row_text(row, 3) == NULL);
	return ++*(int *)context;
}

static void
values_come_back_as_they_went(struct store *s)
{
	static const char insert[] = "INSERT INTO t (a, b, c, d) VALUES ($1, $2, $3, $4)";
	struct fault f = {0};
	int rows = 0;

	check(store_write(s, "CREATE TABLE t (a BIGINT, b BIGINT, c TEXT, d TEXT)", NULL, soon(), &f) == 0);
	for (int i = 0; i < 2; i++)
		check(store_write(s, insert,
		          STORE_VALUES(store_integer(INT64_MAX), store_integer(INT64_MIN), store_text("a'b\"ü\n"),
		              store_text(NULL)),
		          soon(), &f) == 1);
	check(store_read(s, "SELECT a, b, c, d FROM t", NULL, see_values, &rows, soon(), &f) == 0 && rows == 1);
	check(store_write(s, "UPDATE t SET d = $1 WHERE d IS NULL", STORE_VALUES(store_text("x")), soon(), &f) == 2);
	check(store_write(s, "DELETE FROM t", NULL, soon(), &f) == 2);
	check(store_write(s, "nonsense", NULL, soon(), &f) == -1 && strcmp(f.reason, "store_failed") == 0);
	fault_clear(&f);
}

static int
write_and_refuse(struct store *s, void *context, struct fault *f)
{
	(void)context;
	check(store_run(s, "INSERT INTO t (a) VALUES (1)", NULL, f) == 1);
	return fault_set(f, STATUS_NO, "refused", "on second thoughts");
}

static void
what_fails_leaves_nothing(struct store *s)
{
	struct fault f = {0};

	check(store_change(s, write_and_refuse, NULL, soon(), &f) == -1 && strcmp(f.reason, "refused") == 0);
	check(integer(s, "SELECT count(*) FROM t") == 0);
}

static int
count_up(struct store *s, void *context, struct fault *f)
{
	int64_t value = 0;

	(void)context;
	if (store_each(s, "SELECT a FROM t", NULL, see_integer, &value, f) == -1)
		return -1;
	return store_run(s, "UPDATE t SET a = $1", STORE_VALUES(store_integer(value + 1)), f) == 1 ? 0 : -1;
}

static _Noreturn void
count_rounds(void)
{
	struct fault f = {0};
	struct store *s = store_open(place, &f);

	for (int i = 0; s != NULL && i < ROUNDS; i++)
		if (store_change(s, count_up, NULL, soon(), &f) == -1)
			break;
	if (fault_is(&f))
		fprintf(stderr, "writer: %s\n", f.message);
	store_close(s);
	_exit(fault_is(&f));
}

static void
writers_lose_nothing(void)
{
	struct fault f = {0};
	struct store *s = store_open(place, &f);

	check(store_write(s, "INSERT INTO t (a) VALUES (0)", NULL, soon(), &f) == 1);
	store_close(s);
	for (int i = 0; i < WRITERS; i++)
		if (fork() == 0)
			count_rounds();
	for (int i = 0, status; i < WRITERS; i++)
		check(wait(&status) != -1 && status == 0);
	s = store_open(place, &f);
	check(integer(s, "SELECT a FROM t") == WRITERS * ROUNDS);
	store_close(s);
}

/* While a view is open another connection commits; the view sees its own moment, and the writer is not kept waiting. */
static int
look_twice(struct store *s, void *context, struct fault *f)
{
	int64_t before = -1, after = -1;

	check(store_each(s, "SELECT a FROM t", NULL, see_integer, &before, f) == 0);
	check(store_write(context, "UPDATE t SET a = -5", NULL, clock_deadline(2000), f) == 1);
	check(store_each(s, "SELECT a FROM t", NULL, see_integer, &after, f) == 0);
	check(before == after && before == WRITERS * ROUNDS);
	return 0;
}

static void
a_view_is_of_one_moment(struct store *s)
{
	struct fault f = {0};
	struct store *other = store_open(place, &f);

	check(store_view(s, look_twice, other, soon(), &f) == 0);
	check(integer(s, "SELECT a FROM t") == -5);
	store_close(other);
}

static int
write_elsewhere(struct store *s, void *context, struct fault *f)
{
	struct fault busy = {0};

	(void)s;
	(void)f;
	check(store_write(context, "UPDATE t SET a = 0", NULL, clock_deadline(20), &busy) == -1);
	check(busy.status == STATUS_LATER && busy.retry_after_ms > 0);
	return 0;
}

static void
a_turn_that_does_not_come_is_later(struct store *s)
{
	struct fault f = {0};
	struct store *other = store_open(place, &f);

	check(store_change(s, write_elsewhere, other, soon(), &f) == 0);
	store_close(other);
}

/* A file that may not grow stands for a disk that is full. */
static void
a_full_disk_is_refused_and_harmless(struct store *s)
{
	struct rlimit limit, none = {0};
	struct fault f = {0};

	signal(SIGXFSZ, SIG_IGN);
	check(getrlimit(RLIMIT_FSIZE, &limit) == 0);
	none.rlim_max = limit.rlim_max;
	check(setrlimit(RLIMIT_FSIZE, &none) == 0);
	check(store_write(s, "INSERT INTO t (a) VALUES (9)", NULL, soon(), &f) == -1);
	check(f.status == STATUS_TROUBLE || f.status == STATUS_DOUBT);
	fault_clear(&f);
	check(setrlimit(RLIMIT_FSIZE, &limit) == 0);
	check(integer(s, "SELECT count(*) FROM t") == 1);
	check(store_write(s, "INSERT INTO t (a) VALUES (9)", NULL, soon(), &f) == 1);
}

static void
others_can_not_read_it(void)
{
	static const char *const names[] = {"sbx.db", "sbx.gate"};
	auto_free char *db = x_printf("%s/sbx.db", place);
	struct fault f = {0};
	struct stat st;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		auto_free char *name = x_printf("%s/%s", place, names[i]);

		check(stat(name, &st) == 0 && (st.st_mode & 07777) == 0600);
	}
	check(chmod(db, 0640) == 0 && store_open(place, &f) == NULL && f.status == STATUS_TROUBLE);
	check(strstr(f.message, "chmod 600") != NULL && chmod(db, 0600) == 0);
}

static void
a_newer_schema_is_refused(void)
{
	struct fault f = {0};
	struct store *s = store_open(place, &f);

	check(store_write(s, "UPDATE schema SET version = version + 1", NULL, soon(), &f) == 1);
	store_close(s);
	check(store_open(place, &f) == NULL && strcmp(f.reason, "store_newer") == 0);
	fault_clear(&f);
	check(store_open("postgresql://localhost/x", &f) == NULL && strcmp(f.reason, "store_unsupported") == 0);
	fault_clear(&f);
}

static void
what_is_no_database_is_refused(void)
{
	auto_free char *db = x_printf("%s/sbx.db", place);
	struct fault f = {0};

	check(path_write(db, "this is no database, whatever its name says", 43, &f) == 0);
	check(store_open(place, &f) == NULL && strcmp(f.reason, "store_corrupt") == 0);
	fault_clear(&f);
}

int
main(void)
{
	struct fault f = {0};
	struct store *s;

	check(mkdtemp(place) != NULL);
	check((s = store_open(place, &f)) != NULL);
	values_come_back_as_they_went(s);
	what_fails_leaves_nothing(s);
	store_close(s);
	writers_lose_nothing();
	s = store_open(place, &f);
	a_view_is_of_one_moment(s);
	a_turn_that_does_not_come_is_later(s);
	a_full_disk_is_refused_and_harmless(s);
	store_close(s);
	others_can_not_read_it();
	a_newer_schema_is_refused();
	what_is_no_database_is_refused();
	check(path_remove(place, &f) == 0);
	return 0;
}
