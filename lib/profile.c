/* profile - what the operator has done with a bundle: found by name, read, and its layout applied */

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "fd.h"
#include "profile.h"
#include "x.h"

enum {
	FILE_MOST = 1 << 20,
	NAME_MOST_BYTES = 64
};

/* A word that is a file name in any case, and nothing else. */
static bool
is_word(const char *name)
{
	size_t len = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-");

	return len > 0 && len <= NAME_MOST_BYTES && name[len] == '\0' && name[0] != '-';
}

static int
read_json(const char *file, json_t **root, struct fault *f)
{
	auto_close int fd = open(file, O_RDONLY | O_CLOEXEC);
	char why[JSON_ERROR_TEXT_LENGTH];
	auto_buf struct buf text = {0};

	if (fd == -1 || fd_read_all(fd, &text, FILE_MOST) == -1)
		return fault_errno(
		    f, STATUS_TROUBLE, errno == ENOENT ? "profile_unknown" : "profile_invalid", "%s", file);
	if ((*root = json_parse(text.data, text.len, why)) == NULL)
		return fault_set(f, STATUS_TROUBLE, "profile_invalid", "%s: %s", file, why);
	return 0;
}

static uint64_t
limit(const json_t *root, const char *path, uint64_t otherwise)
{
	return (uint64_t)json_int_at(root, path, (int64_t)otherwise);
}

static void
take(struct profile *p)
{
	const struct limits most = LIMITS_DEFAULT;
	const json_t *root = p->root;

	p->name = json_text_at(root, "name");
	p->canonical = json_true_at(root, "canonical");
	p->needs_acceptance = json_true_at(root, "needs_acceptance");
	p->uid = (uint32_t)json_int_at(root, "owner.uid", 0);
	p->gid = (uint32_t)json_int_at(root, "owner.gid", 0);
	p->limits.input_bytes = limit(root, "limits.input_bytes", most.input_bytes);
	p->limits.entries = limit(root, "limits.entries", most.entries);
	p->limits.entry_bytes = limit(root, "limits.entry_bytes", most.entry_bytes);
	p->limits.total_bytes = limit(root, "limits.total_bytes", most.total_bytes);
	p->limits.ratio = limit(root, "limits.ratio", most.ratio);
	p->app_prefix = json_text_at(root, "layout.app_prefix");
	p->keep = json_at(root, "layout.keep");
	p->env = json_at(root, "env");
	p->rules = json_at(root, "rules");
	p->smoke = json_at(root, "smoke");
	p->steps = json_at(root, "steps");
	p->claims = json_at(root, "claims");
	p->not_claimed = json_at(root, "not_claimed");
}

int
profile_find(struct profile *p, const char *share, const char *name, struct fault *f)
{
	auto_free char *file = x_printf("%s/profiles/%s.json", share, name);
	const char *own;

	*p = (struct profile) {0};
	if (!is_word(name))
		return fault_set(f, STATUS_TROUBLE, "profile_unknown",
		    "profile '%s': a name is up to %d lower-case letters, digits and hyphens", name, NAME_MOST_BYTES);
	if (read_json(file, &p->root, f) == -1 || profile_check(p->root, file, f) == -1)
		return -1;
	own = json_text_at(p->root, "name");
	if (strcmp(own, name) != 0)
		return fault_set(f, STATUS_TROUBLE, "profile_invalid", "%s: name is '%s'", file, own);
	take(p);
	return 0;
}

static bool
begins(const char *name, size_t len, const char *with, size_t with_len)
{
	return len >= with_len && memcmp(name, with, with_len) == 0;
}

/* Does the pattern take the name? "DIR/" and two stars take DIR and all below it, any other is one file. */
static bool
matches(const char *pattern, const char *name, size_t len, bool directory)
{
	size_t n = strlen(pattern);

	if (n > 3 && strcmp(pattern + n - 3, "/**") == 0)
		return begins(name, len, pattern, n - 2) ||
		       (directory && len == n - 3 && memcmp(name, pattern, len) == 0);
	return !directory && len == n && memcmp(name, pattern, n) == 0;
}

static bool
stays(const struct profile *p, const char *name, size_t len, bool directory)
{
	size_t prefix = strlen(p->app_prefix), i;
	const json_t *pattern;

	if (begins(name, len, p->app_prefix, prefix))
		return true;
	if (directory && len == prefix - 1 && memcmp(name, p->app_prefix, len) == 0)
		return true;
	json_array_foreach (p->keep, i, pattern)
		if (matches(json_string_value(pattern), name, len, directory))
			return true;
	return false;
}

void
profile_place(const struct profile *p, const char *name, size_t len, bool directory, struct buf *path)
{
	if (p->app_prefix != NULL && !stays(p, name, len, directory))
		buf_text(path, p->app_prefix);
	buf_add(path, name, len);
}

void
profile_free(struct profile *p)
{
	json_decref(p->root);
	*p = (struct profile) {0};
}
