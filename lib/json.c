/* json - strict JSON text in, compact JSON text out (RFC 8259), over jansson */

#include <err.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "json.h"

/* jansson's own bound is 2048 and fixed when it was built, so nesting is counted before it sees the text. */
static bool
too_deep(const char *text, size_t len)
{
	bool quoted = false;
	int depth = 0;

	for (size_t i = 0; i < len; i++) {
		char c = text[i];

		if (quoted) {
			if (c == '\\')
				i++;
			else if (c == '"')
				quoted = false;
		} else if (c == '"') {
			quoted = true;
		} else if (c == '{' || c == '[') {
			if (++depth > JSON_DEPTH)
				return true;
		} else if (c == '}' || c == ']') {
			depth--;
		}
	}
	return false;
}

static json_t *
parse(const char *text, size_t len, size_t flags, char *why)
{
	json_error_t error;
	json_t *value;

	if (too_deep(text, len)) {
		snprintf(why, JSON_ERROR_TEXT_LENGTH, "nested deeper than %d", JSON_DEPTH);
		return NULL;
	}
	value = json_loadb(text, len, JSON_REJECT_DUPLICATES | flags, &error);
	if (value == NULL)
		snprintf(why, JSON_ERROR_TEXT_LENGTH, "%s", error.text);
	return value;
}

json_t *
json_parse(const char *text, size_t len, char *why)
{
	json_t *value = parse(text, len, 0, why);

	if (value != NULL && !json_is_object(value)) {
		snprintf(why, JSON_ERROR_TEXT_LENGTH, "not an object");
		json_decref(value);
		return NULL;
	}
	return value;
}

json_t *
json_parse_any(const char *text, size_t len, char *why)
{
	return parse(text, len, JSON_DECODE_ANY, why);
}

static int
add_bytes(const char *bytes, size_t len, void *buf)
{
	buf_add(buf, bytes, len);
	return 0;
}

void
json_add_text(struct buf *b, const json_t *value)
{
	if (json_dump_callback(value, add_bytes, b, JSON_COMPACT | JSON_ENCODE_ANY) == -1)
		errx(2, "a value could not be written as JSON");
}

void
json_print(const json_t *value)
{
	auto_buf struct buf text = {0};

	json_add_text(&text, value);
	puts(text.data);
}

void
json_digest(const json_t *value, char hex[static DIGEST_TEXT])
{
	uint8_t bytes[DIGEST_BYTES];
	auto_buf struct buf b = {0};

	if (json_dump_callback(value, add_bytes, &b, JSON_COMPACT | JSON_ENCODE_ANY | JSON_SORT_KEYS) == -1)
		errx(2, "a value could not be written as JSON");
	digest_of(b.data, b.len, bytes);
	digest_hex(bytes, hex);
}

json_t *
json_at(const json_t *value, const char *path)
{
	while (value != NULL) {
		size_t len = strcspn(path, ".");
		char key[64];

		if (len >= sizeof key)
			return NULL;
		memcpy(key, path, len);
		key[len] = '\0';
		value = json_object_get(value, key);
		if (path[len] == '\0')
			return (json_t *)value;
		path += len + 1;
	}
	return NULL;
}

const char *
json_text_at(const json_t *value, const char *path)
{
	return json_string_value(json_at(value, path));
}

int64_t
json_int_at(const json_t *value, const char *path, int64_t fallback)
{
	const json_t *found = json_at(value, path);

	return json_is_integer(found) ? (int64_t)json_integer_value(found) : fallback;
}

bool
json_true_at(const json_t *value, const char *path)
{
	return json_is_true(json_at(value, path));
}

/* How many bytes at P form one character of valid UTF-8, or 0. jansson's own check decides, on growing prefixes. */
static size_t
character(const char *p, size_t left)
{
	for (size_t n = 1; n <= 4 && n <= left; n++) {
		json_t *one = json_stringn(p, n);

		if (one != NULL) {
			json_decref(one);
			return n;
		}
	}
	return 0;
}

json_t *
json_lossy(const char *bytes, size_t len)
{
	json_t *value = NULL;
	auto_buf struct buf clean = {0};

	if (len == 0)
		return json_string("");
	if (memchr(bytes, '\0', len) == NULL)
		value = json_stringn(bytes, len);
	if (value != NULL)
		return value;
	for (size_t i = 0; i < len;) {
		size_t n = bytes[i] == '\0' ? 0 : (unsigned char)bytes[i] < 0x80 ? 1 : character(bytes + i, len - i);

		buf_add(&clean, n > 0 ? bytes + i : "\xef\xbf\xbd", n > 0 ? n : 3);
		i += n > 0 ? n : 1;
	}
	return json_stringn(clean.data, clean.len);
}

json_t *
json_make(const char *format, ...)
{
	json_error_t error;
	json_t *value;
	va_list ap;

	va_start(ap, format);
	value = json_vpack_ex(&error, 0, format, ap);
	va_end(ap);
	if (value == NULL)
		errx(2, "a value could not be made: %s (%s)", error.text, format);
	return value;
}
