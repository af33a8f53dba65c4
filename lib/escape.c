/* escape - which bytes of a text are escape sequences of a terminal (ECMA-48) */

#include <string.h>

#include "escape.h"

static const char ESC = 0x1b, BEL = 0x07;

static enum escape
behind_esc(char c)
{
	if (c == '[')
		return ESCAPE_CONTROL;
	if (c != '\0' && strchr("]PX^_", c) != NULL)
		return ESCAPE_STRING;
	return c >= 0x20 && c <= 0x2f ? ESCAPE_BEGUN : ESCAPE_NONE;
}

enum escape
escape_step(enum escape from, char c)
{
	switch (from) {
	case ESCAPE_BEGUN:
		return behind_esc(c);
	case ESCAPE_CONTROL:
		return c >= 0x40 ? ESCAPE_NONE : ESCAPE_CONTROL;
	case ESCAPE_STRING:
		return c == BEL ? ESCAPE_NONE : c == ESC ? ESCAPE_ENDING : ESCAPE_STRING;
	case ESCAPE_ENDING:
		return c == '\\' ? ESCAPE_NONE : ESCAPE_STRING;
	default:
		return c == ESC ? ESCAPE_BEGUN : ESCAPE_NONE;
	}
}
