/* name_meet - which names are one on some system: compared by keys in which case and Unicode form do not count */

#include <bsd/stdlib.h>
#include <err.h>
#include <string.h>
#include <utf8proc.h>

#include "buf.h"
#include "name.h"
#include "x.h"

/* In keys, so that what lies below a name sorts directly behind it; names have no control characters. */
enum {
	SEPARATOR = '\1'
};

static utf8proc_int32_t
to_upper(utf8proc_int32_t character, void *unused)
{
	(void)unused;
	return utf8proc_toupper(character);
}

static utf8proc_uint8_t *
in_form(const void *text, size_t len, utf8proc_option_t form, utf8proc_custom_func first, size_t *out_len)
{
	utf8proc_uint8_t *out;
	utf8proc_ssize_t n =
	    utf8proc_map_custom(text, (utf8proc_ssize_t)len, &out, form | UTF8PROC_STABLE, first, NULL);

	if (n < 0)
		errx(2, "names: %s", utf8proc_errmsg(n));
	*out_len = (size_t)n;
	return out;
}

/*
 * Decomposed, in upper case, then with the fold of NFKC_Casefold (Unicode, 3.13): together they hold for one what any of them
 * does, so whatever a file system compares names by, it keeps those apart that this keeps apart.
 */
static void
add_folded(struct buf *keys, const struct name_item *n)
{
	auto_free utf8proc_uint8_t *apart = NULL, *folded = NULL;
	size_t len;

	apart = in_form(n->text, n->len, UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT, NULL, &len);
	folded = in_form(
	    apart, len, UTF8PROC_COMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD | UTF8PROC_IGNORE, to_upper, &len);
	buf_add(keys, folded, len);
}

static void
add_key(struct buf *keys, struct name_item *n)
{
	char *key = buf_reserve(keys, n->len);
	size_t i;

	n->key = keys->len;
	for (i = 0; i < n->len && (unsigned char)n->text[i] < 0x80; i++)
		key[i] = n->text[i] >= 'A' && n->text[i] <= 'Z' ? (char)(n->text[i] + 32) : n->text[i];
	if (i == n->len)
		keys->len += n->len;
	else
		add_folded(keys, n);
	n->key_len = keys->len - n->key;
	for (i = n->key; i < keys->len; i++)
		if (keys->data[i] == '/')
			keys->data[i] = SEPARATOR;
}

/* heapsort(3) hands nothing on to its comparison. */
static const char *sorted_keys;

static int
compare_bytes(const char *a, size_t a_len, const char *b, size_t b_len)
{
	int order = memcmp(a, b, a_len < b_len ? a_len : b_len);

	return order != 0 ? order : (a_len > b_len) - (a_len < b_len);
}

/* By text where the keys are the same, so that it is always the same two that are told. */
static int
by_key(const void *a, const void *b)
{
	const struct name_item *x = a, *y = b;
	int order = compare_bytes(sorted_keys + x->key, x->key_len, sorted_keys + y->key, y->key_len);

	return order != 0 ? order : compare_bytes(x->text, x->len, y->text, y->len);
}

/* The next part of a text at *P, which moves behind it. */
static size_t
next_part(const char **p, const char *end, char separator, const char **part)
{
	const char *stop = memchr(*p, separator, (size_t)(end - *p));

	*part = *p;
	if (stop == NULL)
		stop = end;
	*p = stop < end ? stop + 1 : end;
	return (size_t)(stop - *part);
}

struct walk {
	const char *key, *key_end, *text, *text_end;
};

static struct walk
walk_of(const struct name_item *n)
{
	const char *key = sorted_keys + n->key;

	return (struct walk) {key, key + n->key_len, n->text, n->text + n->len};
}

/* Compare two neighbours part by part as far as their keys agree. */
static enum rule
compare(const struct name_item *a, const struct name_item *b)
{
	struct walk x = walk_of(a), y = walk_of(b);
	const char *p, *q;

	while (x.key < x.key_end && y.key < y.key_end) {
		size_t n = next_part(&x.key, x.key_end, SEPARATOR, &p);
		size_t m = next_part(&y.key, y.key_end, SEPARATOR, &q);

		if (n != m || memcmp(p, q, n) != 0)
			return RULE_NONE;
		n = next_part(&x.text, x.text_end, '/', &p);
		m = next_part(&y.text, y.text_end, '/', &q);
		if (n != m || memcmp(p, q, n) != 0)
			return RULE_NAME_CASE;
	}
	if (x.key == x.key_end && y.key == y.key_end)
		return a->directory == b->directory ? RULE_NAME_TWICE : RULE_NAME_PREFIX;
	/* The shorter one sorts first. */
	return a->directory ? RULE_NONE : RULE_NAME_PREFIX;
}

enum rule
name_meet(struct name_item *item, size_t count, const struct name_item **a, const struct name_item **b)
{
	auto_buf struct buf keys = {0};
	enum rule broken = RULE_NONE;

	for (size_t i = 0; i < count; i++)
		add_key(&keys, &item[i]);
	sorted_keys = keys.data;
	if (heapsort(item, count, sizeof *item, by_key) == -1)
		err(2, "names");
	for (size_t i = 1; i < count && broken == RULE_NONE; i++) {
		broken = compare(&item[i - 1], &item[i]);
		*a = &item[i - 1];
		*b = &item[i];
	}
	sorted_keys = NULL;
	return broken;
}
