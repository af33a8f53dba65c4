/* store - rows that all programs share and that outlive them (SQLite; its face fits PostgreSQL) */

#include <fcntl.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "crash.h"
#include "gate.h"
#include "schema.h"
#include "store.h"
#include "x.h"

struct store {
	sqlite3 *db;
	char *path; /* of the database */
	char *gate; /* where writers queue; the lock of the database itself has no order */
};

struct store_row {
	sqlite3_stmt *statement;
};

struct store_value
store_text(const char *text)
{
	return (struct store_value) {.kind = STORE_TEXT, .text = text};
}

struct store_value
store_integer(int64_t integer)
{
	return (struct store_value) {.kind = STORE_INTEGER, .integer = integer};
}

const char *
store_row_text(const struct store_row *row, int column)
{
	return (const char *)sqlite3_column_text(row->statement, column);
}

int64_t
store_row_integer(const struct store_row *row, int column)
{
	return sqlite3_column_int64(row->statement, column);
}

static int
failed(const struct store *s, struct fault *f)
{
	int code = sqlite3_errcode(s->db);

	if (code == SQLITE_BUSY || code == SQLITE_LOCKED) {
		fault_fill(f, STATUS_LATER, "store_busy", "%s: another program holds it", s->path);
		f->retry_after_ms = 2000;
		return -1;
	}
	return fault_set(f, STATUS_TROUBLE,
	    code == SQLITE_CORRUPT || code == SQLITE_NOTADB ? "store_corrupt" : "store_failed", "%s: %s", s->path,
	    sqlite3_errmsg(s->db));
}

static int
bind(const struct store *s, sqlite3_stmt *statement, const struct store_value *v, struct fault *f)
{
	for (int i = 1; v != NULL && v->kind != STORE_END; i++, v++) {
		int code = v->kind == STORE_INTEGER ? sqlite3_bind_int64(statement, i, v->integer)
		                                    : sqlite3_bind_text(statement, i, v->text, -1, SQLITE_STATIC);

		if (code != SQLITE_OK)
			return failed(s, f);
	}
	return 0;
}

static int
step_all(const struct store *s, sqlite3_stmt *statement, store_row_fn *each, void *context, struct fault *f)
{
	struct store_row row = {statement};
	int code;

	while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
		int answer = each == NULL ? 0 : each(&row, context, f);

		if (answer != 0)
			return answer == 1 ? 0 : -1;
	}
	return code == SQLITE_DONE ? 0 : failed(s, f);
}

int
store_each(struct store *s, const char *sql, const struct store_value *values, store_row_fn *each, void *context,
    struct fault *f)
{
	sqlite3_stmt *statement;
	int status;

	if (sqlite3_prepare_v2(s->db, sql, -1, &statement, NULL) != SQLITE_OK)
		return failed(s, f);
	status = bind(s, statement, values, f);
	if (status == 0)
		status = step_all(s, statement, each, context, f);
	sqlite3_finalize(statement);
	return status;
}

int64_t
store_run(struct store *s, const char *sql, const struct store_value *values, struct fault *f)
{
	int64_t before = sqlite3_total_changes64(s->db);

	if (store_each(s, sql, values, NULL, NULL, f) == -1)
		return -1;
	crash_point("store.ran");
	return sqlite3_total_changes64(s->db) - before;
}

/* The write-ahead log makes a commit one write and one sync. When that went wrong nobody knows what a crash would leave. */
static int
commit(struct store *s, struct fault *f)
{
	int code = sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL);

	if (code == SQLITE_OK)
		return 0;
	if (code == SQLITE_FULL || code == SQLITE_BUSY)
		failed(s, f);
	else
		fault_fill(f, STATUS_DOUBT, "store_unconfirmed", "%s: may or may not have been written: %s", s->path,
		    sqlite3_errmsg(s->db));
	return -1;
}

static int
transact(struct store *s, const char *begin, store_work_fn *work, void *context, int64_t deadline, struct fault *f)
{
	sqlite3_busy_timeout(s->db, clock_left(deadline));
	if (sqlite3_exec(s->db, begin, NULL, NULL, NULL) != SQLITE_OK)
		return failed(s, f);
	if (work(s, context, f) == 0 && commit(s, f) == 0)
		return 0;
	sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
	return -1;
}

int
store_change(struct store *s, store_work_fn *work, void *context, int64_t deadline, struct fault *f)
{
	auto_close int gate = gate_enter(s->gate, deadline, f);

	if (gate == -1)
		return -1;
	crash_point("store.entered");
	if (transact(s, "BEGIN IMMEDIATE", work, context, deadline, f) == -1)
		return -1;
	crash_point("store.committed");
	return 0;
}

int
store_view(struct store *s, store_work_fn *work, void *context, int64_t deadline, struct fault *f)
{
	return transact(s, "BEGIN", work, context, deadline, f);
}

/* One statement as the whole of a transaction. */
struct single {
	const char *sql;
	const struct store_value *values;
	store_row_fn *each;
	void *context;
	int64_t changed;
};

static int
run_single(struct store *s, void *context, struct fault *f)
{
	struct single *one = context;

	one->changed = store_run(s, one->sql, one->values, f);
	return one->changed == -1 ? -1 : 0;
}

static int
each_single(struct store *s, void *context, struct fault *f)
{
	const struct single *one = context;

	return store_each(s, one->sql, one->values, one->each, one->context, f);
}

int64_t
store_write(struct store *s, const char *sql, const struct store_value *values, int64_t deadline, struct fault *f)
{
	struct single one = {.sql = sql, .values = values};

	return store_change(s, run_single, &one, deadline, f) == -1 ? -1 : one.changed;
}

int
store_read(struct store *s, const char *sql, const struct store_value *values, store_row_fn *each, void *context,
    int64_t deadline, struct fault *f)
{
	struct single one = {.sql = sql, .values = values, .each = each, .context = context};

	return store_view(s, each_single, &one, deadline, f);
}

/* SQLite would make the file readable for all, and would open whatever a link leads to. */
static int
make_private(const char *path, struct fault *f)
{
	auto_close int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	struct stat st;

	if (fd == -1 || fstat(fd, &st) == -1)
		return fault_errno(f, STATUS_TROUBLE, "store_failed", "%s", path);
	if (!S_ISREG(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & 0077))
		return fault_set(f, STATUS_TROUBLE, "store_failed",
		    "%s: must be a file that user %u alone can open: chown it, or chmod 600", path,
		    (unsigned)geteuid());
	return 0;
}

static int
see_journal(const struct store_row *row, void *context, struct fault *f)
{
	(void)f;
	*(bool *)context = strcmp(store_row_text(row, 0), "wal") == 0;
	return 0;
}

/* Readers and a writer side by side need the write-ahead log, a property of the file; FULL makes a commit survive a power cut. */
static int
set_durable(struct store *s, int64_t deadline, struct fault *f)
{
	bool wal = false;

	sqlite3_busy_timeout(s->db, clock_left(deadline));
	if (store_each(s, "PRAGMA synchronous = FULL", NULL, NULL, NULL, f) == -1 ||
	    store_each(s, "PRAGMA journal_mode", NULL, see_journal, &wal, f) == -1)
		return -1;
	if (!wal) {
		auto_close int gate = gate_enter(s->gate, deadline, f);

		if (gate == -1 || store_each(s, "PRAGMA journal_mode = WAL", NULL, see_journal, &wal, f) == -1)
			return -1;
	}
	return wal ? 0
	           : fault_set(f, STATUS_TROUBLE, "store_failed", "%s: its file system can't hold a write-ahead log",
	                 s->path);
}

static int
open_file(struct store *s, int64_t deadline, struct fault *f)
{
	if (make_private(s->path, f) == -1)
		return -1;
	if (sqlite3_open_v2(s->path, &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW, NULL) != SQLITE_OK)
		return failed(s, f);
	if (set_durable(s, deadline, f) == -1)
		return -1;
	crash_point("store.opened");
	return 0;
}

struct store *
store_open(const char *place, struct fault *f)
{
	int64_t deadline = clock_deadline(STORE_WAIT_MS);
	struct store *s;

	if (place[0] != '/') {
		fault_fill(f, STATUS_TROUBLE, "store_unsupported",
		    "SBX_STORE '%s': this build keeps its store in a directory alone: give an absolute path", place);
		return NULL;
	}
	s = x_zalloc(1, sizeof *s);
	s->path = x_printf("%s/sbx.db", place);
	s->gate = x_printf("%s/sbx.gate", place);
	if (open_file(s, deadline, f) == 0 && schema_apply(s, deadline, f) == 0)
		return s;
	store_close(s);
	return NULL;
}

void
store_close(struct store *s)
{
	if (s == NULL)
		return;
	sqlite3_close(s->db);
	free(s->path);
	free(s->gate);
	free(s);
}
