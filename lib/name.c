/* name - names of files that mean the same on every system: the rules for one name */

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <utf8proc.h>

#include "name.h"
#include "x.h"

static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool
is_ascii(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)text[i] >= 0x80)
			return false;
	return true;
}

/* CON, PRN, AUX, NUL, COM1 and their kin, whatever follows a dot. Windows passes over spaces before that dot. */
static bool
is_device(const char *part, size_t len)
{
	static const char *const devices[] = {"con", "prn", "aux", "nul", "conin$", "conout$"};
	const char *dot = memchr(part, '.', len);
	size_t base = dot != NULL ? (size_t)(dot - part) : len;

	while (base > 0 && part[base - 1] == ' ')
		base--;
	if (base == 4 && (strncasecmp(part, "com", 3) == 0 || strncasecmp(part, "lpt", 3) == 0))
		return part[3] >= '1' && part[3] <= '9';
	for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
		if (strlen(devices[i]) == base && strncasecmp(part, devices[i], base) == 0)
			return true;
	return false;
}

static bool
is_dots(const char *part, size_t len)
{
	return (len == 1 || len == 2) && part[0] == '.' && part[len - 1] == '.';
}

static enum rule
check_part(const char *part, size_t len)
{
	if (len == 0)
		return RULE_NAME_PART_EMPTY;
	if (len > NAME_PART_MOST)
		return RULE_NAME_PART_LONG;
	if (is_dots(part, len))
		return RULE_NAME_DOTS;
	if (part[0] == ' ' || part[len - 1] == ' ' || part[len - 1] == '.')
		return RULE_NAME_SPACE;
	return is_device(part, len) ? RULE_NAME_DEVICE : RULE_NONE;
}

static enum rule
check_parts(const char *name, size_t len)
{
	const char *end = name + len, *part = name;
	enum rule broken;

	for (;;) {
		const char *slash = memchr(part, '/', (size_t)(end - part));
		const char *stop = slash != NULL ? slash : end;

		if ((broken = check_part(part, (size_t)(stop - part))) != RULE_NONE)
			return broken;
		if (slash == NULL)
			return RULE_NONE;
		part = slash + 1;
	}
}

/* What can be told byte by byte; those above 0x7f pass. */
static enum rule
check_bytes(const char *name, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)name[i];

		if (c < 0x20 || c == 0x7f)
			return RULE_NAME_CONTROL;
		if (c == '\\')
			return RULE_NAME_BACKSLASH;
		if (strchr("<>:\"|?*[", c) != NULL)
			return RULE_NAME_CHARACTER;
	}
	return RULE_NONE;
}

static enum rule
check_start(const char *name, size_t len)
{
	if (len == 0)
		return RULE_NAME_EMPTY;
	if (len > NAME_MOST)
		return RULE_NAME_LONG;
	if (name[0] == '/')
		return RULE_NAME_ABSOLUTE;
	if (name[0] == '~')
		return RULE_NAME_HOME;
	if (len >= 2 && is_letter(name[0]) && name[1] == ':')
		return RULE_NAME_DRIVE;
	return RULE_NONE;
}

/* Valid UTF-8 without the control characters of C1. */
static enum rule
check_characters(const char *name, size_t len)
{
	const utf8proc_uint8_t *p = (const utf8proc_uint8_t *)name;
	utf8proc_int32_t character;

	for (size_t i = 0; i < len;) {
		utf8proc_ssize_t n = utf8proc_iterate(p + i, (utf8proc_ssize_t)(len - i), &character);

		if (n <= 0)
			return RULE_NAME_UTF8;
		if (utf8proc_category(character) == UTF8PROC_CATEGORY_CC)
			return RULE_NAME_CONTROL;
		i += (size_t)n;
	}
	return RULE_NONE;
}

/* The name in another Unicode form; ends in NUL, which names that came this far do not have inside. */
static char *
in_form(const char *name, size_t len, utf8proc_option_t form)
{
	utf8proc_uint8_t *out;

	if (utf8proc_map((const utf8proc_uint8_t *)name, (utf8proc_ssize_t)len, &out, form | UTF8PROC_STABLE) < 0)
		return NULL;
	return (char *)out;
}

static size_t
count_slashes(const char *text, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += text[i] == '/';
	return n;
}

/*
 * File systems and programs that work with compatibility forms make '/' of U+FF0F, '.' of U+2024 and COM1 of its superscript
 * kin. Characters that are only ugly there, like a wide question mark, do no harm here.
 */
static enum rule
check_forms(const char *name, size_t len)
{
	auto_free char *composed = in_form(name, len, UTF8PROC_COMPOSE);
	auto_free char *compatible = in_form(name, len, UTF8PROC_COMPOSE | UTF8PROC_COMPAT | UTF8PROC_IGNORE);
	enum rule broken;
	size_t n;

	if (composed == NULL || strlen(composed) != len || memcmp(composed, name, len) != 0)
		return RULE_NAME_NFC;
	if (compatible == NULL || count_slashes(compatible, n = strlen(compatible)) != count_slashes(name, len))
		return RULE_NAME_COMPATIBLE;
	broken = check_parts(compatible, n);
	if (broken == RULE_NAME_DOTS || broken == RULE_NAME_PART_EMPTY)
		return RULE_NAME_COMPATIBLE;
	return broken == RULE_NAME_DEVICE ? broken : RULE_NONE;
}

enum rule
name_check(const char *name, size_t len)
{
	enum rule broken;

	if ((broken = check_start(name, len)) != RULE_NONE)
		return broken;
	if ((broken = check_bytes(name, len)) != RULE_NONE)
		return broken;
	if ((broken = check_parts(name, len)) != RULE_NONE || is_ascii(name, len))
		return broken;
	if ((broken = check_characters(name, len)) != RULE_NONE)
		return broken;
	return check_forms(name, len);
}
