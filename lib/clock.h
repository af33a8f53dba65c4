/* clock - deadlines on the monotonic clock, times on the wall clock */
#ifndef CLOCK_H
#define CLOCK_H

#include <stdint.h>

/* Milliseconds on the monotonic clock. A deadline is a point on it, so that a wait made of many steps still has one end. */
int64_t clock_now(void);
int64_t clock_deadline(int64_t ms_from_now);

/* Milliseconds left until DEADLINE, never below 0, for poll(2) and its kin. */
int clock_left(int64_t deadline);

/* Sleep MS milliseconds, or until DEADLINE when that comes first. */
void clock_sleep(int64_t ms, int64_t deadline);

/* The time of day, in milliseconds since 1970, and its RFC 3339 text in UTC: 2026-11-30T16:22:29.123Z. */
enum {
	CLOCK_TEXT = 25
};
int64_t clock_wall(void);
void clock_format(int64_t wall_ms, char text[static CLOCK_TEXT]);

/* The time of day that such a text tells; -1 for any other text. */
int64_t clock_parse(const char *text);

#endif
