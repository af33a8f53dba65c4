/* console - text that somebody else wrote, for a terminal that may not know all of its characters */
#ifndef CONSOLE_H
#define CONSOLE_H

#include <stddef.h>

/*
 * Print LEN bytes on standard error, a line behind the program's name for each of theirs; nothing under -q. What is no character of
 * the user's locale (locale(7)) becomes '?', as do control characters; escape sequences vanish.
 */
void console_say(const char *text, size_t len);

#endif
