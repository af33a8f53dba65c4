/* stage_dir - a directory goes in under the same rules, read by descriptors so that nothing leads out of it */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "name.h"
#include "stage_parts.h"
#include "x.h"

/* A thing below the directory as it was when it was seen. */
struct seen {
	char *name; /* owned; relative to the directory */
	struct stat st;
};

struct directory {
	int fd;
	const struct stage_request *request;
	struct stage_out *out;
	struct fault *fault; /* trouble, which is no refusal */
	struct seen *seen;   /* owned; the first is the directory itself, whose name is "" */
	size_t count;
	uint64_t total;
};

static int
refuse(struct refusal *r, enum rule rule, const char *name)
{
	return rule_refuse(r, rule, RULE_NOWHERE, name, strlen(name));
}

/* What openat2(2) says when a thing is not there any more, or when its path is led elsewhere while it is walked. */
static bool
means_changed(int error)
{
	return error == ENOENT || error == ENOTDIR || error == ELOOP || error == EXDEV || error == ENXIO ||
	       error == EAGAIN;
}

static int
fail(const struct directory *d, const char *name, struct refusal *r)
{
	if (means_changed(errno))
		return refuse(r, RULE_CHANGED, name);
	return fault_errno(d->fault, STATUS_TROUBLE, "bundle_unreadable", "%s/%s", d->request->path, name);
}

/* Open NAME below the directory; no link on the way is followed, and no pipe waited for. */
static int
open_below(const struct directory *d, const char *name, uint64_t flags)
{
	struct open_how how = {.flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | flags,
	    .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS};

	return (int)syscall(SYS_openat2, d->fd, name, &how, sizeof how);
}

static bool
is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_mode == b->st_mode &&
	       a->st_nlink == b->st_nlink && a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	       a->st_mtim.tv_nsec == b->st_mtim.tv_nsec && a->st_ctim.tv_sec == b->st_ctim.tv_sec &&
	       a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

/* The first rule that the thing breaks by what it is. */
static enum rule
check(struct directory *d, const struct seen *s)
{
	const struct limits *most = &d->request->profile->limits;
	mode_t type = s->st.st_mode & S_IFMT;

	if (d->count > most->entries)
		return RULE_LIMIT_ENTRIES;
	if (type == S_IFLNK)
		return RULE_TYPE_LINK;
	if (type != S_IFREG && type != S_IFDIR)
		return RULE_TYPE_SPECIAL;
	if (type == S_IFDIR)
		return name_check(s->name, strlen(s->name));
	if (s->st.st_nlink != 1)
		return RULE_HARD_LINK;
	if (s->st.st_mode & (S_ISUID | S_ISGID))
		return RULE_MODE_SETUID;
	if ((uint64_t)s->st.st_size > most->entry_bytes)
		return RULE_LIMIT_ENTRY;
	d->total += (uint64_t)s->st.st_size;
	return d->total > most->total_bytes ? RULE_LIMIT_TOTAL : name_check(s->name, strlen(s->name));
}

static struct seen *
add_seen(struct directory *d, char *name)
{
	d->seen = x_realloc(d->seen, d->count + 1, sizeof *d->seen);
	d->seen[d->count] = (struct seen) {.name = name};
	return &d->seen[d->count++];
}

/* Add what is in the directory NAME, read from DIR. */
static int
list(struct directory *d, DIR *dir, const char *name, struct refusal *r)
{
	struct dirent *entry;
	enum rule broken;

	while (errno = 0, (entry = readdir(dir)) != NULL) {
		struct seen *s;

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		s = add_seen(d, x_printf("%s%s%s", name, *name ? "/" : "", entry->d_name));
		if (fstatat(dirfd(dir), entry->d_name, &s->st, AT_SYMLINK_NOFOLLOW) == -1)
			return fail(d, s->name, r);
		if ((broken = check(d, s)) != RULE_NONE)
			return refuse(r, broken, s->name);
	}
	return errno == 0 ? 0 : fail(d, name, r);
}

static int
open_and_list(struct directory *d, size_t which, struct refusal *r)
{
	const char *name = d->seen[which].name;
	int fd = open_below(d, *name ? name : ".", O_DIRECTORY), status;
	struct stat st;
	DIR *dir;

	if (fd == -1 || fstat(fd, &st) == -1 || (dir = fdopendir(fd)) == NULL) {
		status = fail(d, name, r);
		x_close_at(&fd);
		return status;
	}
	status = is_same(&st, &d->seen[which].st) ? list(d, dir, name, r) : refuse(r, RULE_CHANGED, name);
	closedir(dir);
	return status;
}

/* What is found in a directory stands behind it, so one pass comes to all of them. */
static int
walk(struct directory *d, struct plan *plan, struct refusal *r)
{
	if (fstat(d->fd, &add_seen(d, x_strdup(""))->st) == -1)
		return fail(d, "", r);
	for (size_t i = 0; i < d->count; i++) {
		bool directory = S_ISDIR(d->seen[i].st.st_mode);

		if (stage_stopped(d->fault) == -1 || (directory && open_and_list(d, i, r) == -1))
			return -1;
		if (i > 0)
			plan_add(plan, &(struct plan_item) {.name = d->seen[i].name,
			                   .name_len = strlen(d->seen[i].name),
			                   .directory = directory,
			                   .size = directory ? 0 : (uint64_t)d->seen[i].st.st_size,
			                   .offset = RULE_NOWHERE,
			                   .source = i});
	}
	return 0;
}

/* Has a directory been changed since? Then something may have come or gone that nobody saw. */
static int
look_again(const struct directory *d, struct refusal *r)
{
	struct stat st;

	for (size_t i = 0; i < d->count; i++) {
		const struct seen *s = &d->seen[i];
		auto_close int fd = S_ISDIR(s->st.st_mode) ? open_below(d, *s->name ? s->name : ".", O_DIRECTORY) : -1;

		if (!S_ISDIR(s->st.st_mode))
			continue;
		if (fd == -1 || fstat(fd, &st) == -1)
			return fail(d, s->name, r);
		if (!is_same(&st, &s->st))
			return refuse(r, RULE_CHANGED, s->name);
	}
	return 0;
}

/* Exactly SIZE bytes, and then the end; anything else means that it changed. */
static bool
read_exactly(int fd, char *room, size_t size)
{
	char more;

	while (size > 0) {
		ssize_t n = read(fd, room, size);

		if (n <= 0)
			return false;
		room += n;
		size -= (size_t)n;
	}
	return read(fd, &more, 1) == 0;
}

static int
contents(void *context, const struct plan_item *item, void *room, const void **bytes, struct refusal *r)
{
	const struct directory *d = context;
	const struct seen *s = &d->seen[item->source];
	auto_close int fd = open_below(d, s->name, 0);
	struct stat before, after;

	if (stage_stopped(d->fault) == -1)
		return -1;
	if (fd == -1 || fstat(fd, &before) == -1)
		return fail(d, s->name, r);
	if (!is_same(&before, &s->st) || !read_exactly(fd, room, (size_t)item->size) || fstat(fd, &after) == -1 ||
	    !is_same(&before, &after))
		return refuse(r, RULE_CHANGED, s->name);
	*bytes = room;
	return 0;
}

static int
take_tar(const void *bytes, size_t len, void *context)
{
	return stage_out_tar(bytes, len, ((struct directory *)context)->out);
}

static int
take_file(const struct plan_item *item, const uint8_t digest[static DIGEST_BYTES], void *context)
{
	return stage_out_file(((struct directory *)context)->out, item->name, item->name_len, item->size, digest);
}

static void
forget(struct directory *d)
{
	for (size_t i = 0; i < d->count; i++)
		free(d->seen[i].name);
	free(d->seen);
}

int
stage_directory(const struct stage_request *q, int fd, struct stage_out *out, struct staged *s, struct fault *f)
{
	struct directory d = {.fd = fd, .request = q, .out = out, .fault = f};
	const struct pack_source source = {contents, &d};
	const struct pack_sink sink = {take_tar, take_file, &d};
	auto_plan struct plan plan = {0};
	struct pack_result result;
	struct refusal r = {0};
	int status = -1;

	if (walk(&d, &plan, &r) == 0 && plan_make(&plan, q->profile, &r) == 0 &&
	    pack(&plan, q->profile, &source, &sink, &result, &r) == 0 && look_again(&d, &r) == 0)
		status = 0;
	if (status == 0 && result.has_app_id)
		s->app_id = json_string(result.app_id);
	if (r.rule != RULE_NONE)
		rule_fault(&r, q->path, f);
	forget(&d);
	return status;
}
