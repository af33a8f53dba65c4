/* browser - looks at a preview with Chromium, through a program for Node.js */

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "browser.h"
#include "clock.h"
#include "confine.h"
#include "confine_child.h"
#include "digest.h"
#include "fd.h"
#include "id.h"
#include "path.h"
#include "plain.h"
#include "room.h"
#include "stop.h"
#include "tree.h"
#include "x.h"

enum {
	MARGIN_MS = 5000, /* in which the program can still tell what it saw */
	GRACE_MS = 1000,
	END_MS = 10000,
	REPORT_MOST = 1 << 20,
	WORDS_MOST = 65536,
	PICTURE_MOST = 16 << 20
};

/* One look. The room is all that the program and Chromium can write to. */
struct look {
	const struct browser *browser;
	char *room;
	char *tools; /* as the program sees them */
	struct buf report;
	int out;   /* where the report is read */
	int words; /* what was said on standard error */
	struct tree tree;
};

static int
find_tools(const struct browser *b, struct fault *f)
{
	static const char *const names[] = {"bin/node", "browse.mjs", "node_modules/playwright-core/package.json"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		auto_free char *path = x_printf("%s/%s", b->tools, names[i]);

		if (b->tools[0] != '/' || access(path, R_OK) == -1)
			return fault_set(f, STATUS_TROUBLE, "browser_missing",
			    "%s: not there: looking needs playwright-core and its Node.js: run \"make browser "
			    "install\", or "
			    "name their directory in SBX_BROWSER",
			    path);
	}
	if (b->chromium == NULL)
		return fault_set(
		    f, STATUS_TROUBLE, "browser_missing", "chromium: not on PATH: install Debian's package of it");
	return 0;
}

/*
 * Root's own directories are closed to the user that is to run it, so the tools are bound to where that user can reach them, in a mount
 * namespace that ends with the program.
 */
static int
become_other(const void *context)
{
	const struct look *k = context;

	if (geteuid() != 0)
		return 0;
	if (unshare(CLONE_NEWNS) == -1 || mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) == -1 ||
	    mount(k->browser->tools, k->tools, NULL, MS_BIND, NULL) == -1)
		return -1;
	return confine_drop_root();
}

static int
make_room(struct look *k, struct fault *f)
{
	bool root = geteuid() == 0;
	char name[17];

	id_hex(name, sizeof name - 1);
	k->room = x_printf("%s/sbx-browse.%s", k->browser->temp, name);
	k->tools = root ? x_printf("%s/tools", k->room) : x_strdup(k->browser->tools);
	if (room_make(k->room, false, root ? CONFINE_UID : geteuid(), root ? CONFINE_UID : getegid(), f) == -1)
		return -1;
	if (root && mkdir(k->tools, 0755) == -1)
		return fault_errno(f, STATUS_TROUBLE, "workspace_failed", "%s", k->tools);
	return 0;
}

/* By standard input, so that the token is in nobody's list of processes. */
static int
request_of(const struct look *k, const struct browser_target *t)
{
	int64_t limit = k->browser->limit_ms, margin = limit / 5 < MARGIN_MS ? limit / 5 : MARGIN_MS;
	json_auto_t *request = json_make("{s:s, s:s?, s:s?, s:I, s:s, s:s}", "url", t->url, "app_id", t->app_id,
	    "token", k->browser->token, "deadline_ms", (json_int_t)(limit - margin), "chromium", k->browser->chromium,
	    "dir", k->room);
	auto_buf struct buf text = {0};

	json_add_text(&text, request);
	return fd_memory_with("request", text.data, text.len);
}

static int
start(struct look *k, const struct browser_target *t, struct fault *f)
{
	auto_free char *node = x_printf("%s/bin/node", k->tools), *script = x_printf("%s/browse.mjs", k->tools);
	auto_free char *path = x_printf("PATH=%s", k->browser->path), *home = x_printf("HOME=%s", k->room);
	auto_free char *temp = x_printf("TMPDIR=%s", k->room);
	const char *argv[] = {node, script, NULL}, *envp[] = {path, home, temp, "LC_ALL=C.UTF-8", NULL};
	auto_close int in = request_of(k, t), out = -1;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) == -1)
		err(2, "pipe");
	k->out = ends[0];
	out = ends[1];
	fcntl(k->out, F_SETFL, O_NONBLOCK);
	k->words = fd_memory("words");
	if (tree_start(&(struct tree_spec) {.argv = argv,
	                   .envp = envp,
	                   .cwd = k->room,
	                   .stdio = {in, out, k->words},
	                   .prepare = become_other,
	                   .context = k},
	        &k->tree) != 0)
		return fault_set(
		    f, STATUS_TROUBLE, "browser_failed", "%s: %s", k->browser->tools, strerror(k->tree.error));
	return 0;
}

/* What there is; whether more may come. */
static bool
take(struct look *k)
{
	char *room = buf_reserve(&k->report, WORDS_MOST);
	ssize_t n = read(k->out, room, WORDS_MOST);

	if (n > 0)
		k->report.len += (size_t)n;
	return (n > 0 || (n == -1 && errno == EAGAIN && !k->tree.ended)) && k->report.len <= REPORT_MOST;
}

static int
follow(struct look *k, int64_t deadline, struct fault *f)
{
	do
		switch (tree_wait_reading(&k->tree, k->out, deadline)) {
		case TREE_DEADLINE:
			return fault_set(f, STATUS_TROUBLE, "browse_timeout",
			    "the browser did not end its look within %lld s", (long long)(k->browser->limit_ms / 1000));
		case TREE_STOPPED:
			return stop_fault(f);
		default:
			break;
		}
	while (take(k));
	/* Its output ended; so does it, unless something is wrong. */
	tree_wait(&k->tree, deadline);
	return 0;
}

/* Why there is no report, in the program's own words. */
static int
explain(struct look *k, struct fault *f)
{
	auto_buf struct buf words = {0}, first = {0};

	lseek(k->words, 0, SEEK_SET);
	fd_read_all(k->words, &words, WORDS_MOST);
	plain_add(&first, words.data, strcspn(words.data, "\n"), 300);
	return fault_set(f, STATUS_TROUBLE, "browser_failed", "%s: %s%s", k->browser->chromium,
	    first.len > 0 ? first.data : "no look came of it",
	    strstr(words.data, "No usable sandbox") != NULL ? ": this machine lets no unprivileged user make namespaces"
	                                                    : "");
}

static json_t *
parse(struct look *k, struct fault *f)
{
	char why[JSON_ERROR_TEXT_LENGTH];
	json_t *report = k->tree.ended && k->tree.status == 0 ? json_parse(k->report.data, k->report.len, why) : NULL;

	if (report != NULL && json_is_array(json_object_get(report, "pages")) &&
	    json_is_array(json_object_get(report, "problems")) && json_is_array(json_object_get(report, "screenshots")))
		return report;
	json_decref(report);
	explain(k, f);
	return NULL;
}

/* What the app said comes from who knows where. */
static void
make_plain(json_t *objects)
{
	json_t *object, *value;
	const char *name;
	size_t i;

	json_array_foreach (objects, i, object)
		json_object_foreach (object, name, value)
			if (json_is_string(value))
				json_object_set_new(object, name, plain_sentence("%s", json_string_value(value)));
}

static int
keep_picture(const struct look *k, const char *dir, json_t *picture, struct fault *f)
{
	const char *name = json_text_at(picture, "file");
	auto_free char *from = x_printf("%s/%s", k->room, name), *to = x_printf("%s/%s", dir, name);
	auto_close int fd = open(from, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	auto_buf struct buf bytes = {0};
	uint8_t digest[DIGEST_BYTES];
	char hex[DIGEST_TEXT];

	if (fd == -1 || fd_read_all(fd, &bytes, PICTURE_MOST) == -1)
		return fault_errno(f, STATUS_TROUBLE, "browser_failed", "%s", from);
	if (path_write(to, bytes.data, bytes.len, f) == -1)
		return -1;
	digest_of(bytes.data, bytes.len, digest);
	digest_hex(digest, hex);
	json_object_del(picture, "file");
	json_object_update_new(
	    picture, json_make("{s:s, s:s, s:I}", "path", to, "sha256", hex, "bytes", (json_int_t)bytes.len));
	return 0;
}

static json_t *
report_of(struct look *k, const char *dir, struct fault *f)
{
	json_t *report = parse(k, f), *picture;
	const char *app_id;
	size_t i;

	if (report == NULL)
		return NULL;
	if ((app_id = json_text_at(report, "app_id")) != NULL)
		json_object_set_new(report, "app_id", plain_sentence("%s", app_id));
	make_plain(json_object_get(report, "pages"));
	make_plain(json_object_get(report, "problems"));
	json_array_foreach (json_object_get(report, "screenshots"), i, picture)
		if (keep_picture(k, dir, picture, f) == -1) {
			json_decref(report);
			return NULL;
		}
	return report;
}

json_t *
browser_look(const struct browser *b, const struct browser_target *t, struct fault *f)
{
	struct look k = {.browser = b, .out = -1, .words = -1};
	int64_t deadline = clock_deadline(b->limit_ms);
	json_t *report = NULL;
	int status = -1;

	if (find_tools(b, f) == -1)
		return NULL;
	if (make_room(&k, f) == 0 && (status = start(&k, t, f)) == 0) {
		status = follow(&k, deadline, f);
		stop_hold(true);
		if (tree_end(&k.tree, GRACE_MS, clock_deadline(END_MS)) == -1)
			status = fault_set(
			    f, STATUS_DOUBT, "browser_unended", "chromium: some of its processes could not be ended");
		stop_hold(false);
	}
	if (status == 0)
		report = report_of(&k, t->dir, f);
	if (room_remove(k.room, f) == -1) {
		json_decref(report);
		report = NULL;
	}
	x_close_at(&k.out);
	x_close_at(&k.words);
	buf_free(&k.report);
	free(k.room);
	free(k.tools);
	return report;
}
