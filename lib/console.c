/* console - text that somebody else wrote, for a terminal that may not know all of its characters */

#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <utf8proc.h>
#include <wchar.h>

#include "cli.h"
#include "console.h"
#include "logline.h"

/* One character in the locale's own bytes. */
static void
encode(struct buf *b, utf8proc_int32_t character)
{
	char bytes[MB_LEN_MAX];
	mbstate_t state = {0};
	size_t n = wcrtomb(bytes, (wchar_t)character, &state);

	if (n == (size_t)-1)
		buf_text(b, "?");
	else
		buf_add(b, bytes, n);
}

static void
say_line(struct text line, void *locale)
{
	auto_buf struct buf b = {0};
	locale_t before = uselocale(locale);

	while (line.len > 0) {
		utf8proc_int32_t character;
		utf8proc_ssize_t n =
		    utf8proc_iterate((const utf8proc_uint8_t *)line.at, (utf8proc_ssize_t)line.len, &character);

		/* C1 controls are characters of their own, which terminals may obey. */
		encode(&b, n > 0 && !(character >= 0x80 && character < 0xa0) ? character : L'?');
		line.at += n > 0 ? n : 1;
		line.len -= n > 0 ? (size_t)n : 1;
	}
	uselocale(before);
	cli_warn("%s", b.data != NULL ? b.data : "");
}

void
console_say(const char *text, size_t len)
{
	locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
	struct logline lines = {.each = say_line};

	if (locale == (locale_t)0)
		locale = newlocale(LC_CTYPE_MASK, "C", (locale_t)0);
	lines.to = locale;
	logline_feed(&lines, text, len);
	logline_end(&lines);
	freelocale(locale);
}
