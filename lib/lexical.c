/* lexical - paths judged by their text alone, as the files they name are in a sandbox that is gone */

#include <ctype.h>
#include <string.h>

#include "lexical.h"

static bool
is_slash(char c)
{
	return c == '/' || c == '\\';
}

static bool
has_drive(struct text path)
{
	return path.len >= 2 && isalpha((unsigned char)path.at[0]) && path.at[1] == ':' &&
	       (path.len == 2 || is_slash(path.at[2]));
}

/* OUT ends without a slash, and from BASE on it is one part after the other, each behind a slash. */
static void
add_part(struct buf *out, size_t base, struct text part)
{
	if (part.len == 0 || text_is(part, "."))
		return;
	if (!text_is(part, "..")) {
		buf_add(out, "/", 1);
		buf_add(out, part.at, part.len);
		return;
	}
	while (out->len > base && out->data[--out->len] != '/')
		;
	out->data[out->len] = '\0';
}

static void
add_parts(struct buf *out, size_t base, struct text path)
{
	for (size_t i = 0, start = 0; i <= path.len; i++)
		if (i == path.len || is_slash(path.at[i])) {
			add_part(out, base, (struct text) {path.at + start, i - start});
			start = i + 1;
		}
}

void
lexical_resolve(struct buf *out, const char *cwd, struct text path)
{
	size_t base = 0;

	out->len = 0;
	buf_add(out, "", 0);
	if (has_drive(path)) {
		base = 2;
		buf_add(out, path.at, base);
		path = (struct text) {path.at + base, path.len - base};
	} else if (path.len == 0 || !is_slash(path.at[0])) {
		add_parts(out, base, text_of(cwd));
	}
	add_parts(out, base, path);
	if (out->len == base)
		buf_add(out, "/", 1);
}

const char *
lexical_inside(const char *path, const char *root)
{
	size_t len = strlen(root);

	if (strcmp(root, "/") == 0)
		len = 0;
	return strncmp(path, root, len) == 0 && path[len] == '/' && path[len + 1] != '\0' ? path + len + 1 : NULL;
}
