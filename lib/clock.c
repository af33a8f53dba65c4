/* clock - deadlines on the monotonic clock, times on the wall clock */

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "clock.h"

static int64_t
read_ms(clockid_t which)
{
	struct timespec now;

	clock_gettime(which, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int64_t
clock_now(void)
{
	return read_ms(CLOCK_MONOTONIC);
}

int64_t
clock_deadline(int64_t ms_from_now)
{
	return clock_now() + ms_from_now;
}

int
clock_left(int64_t deadline)
{
	int64_t left = deadline - clock_now();

	return left <= 0 ? 0 : left > INT_MAX ? INT_MAX : (int)left;
}

void
clock_sleep(int64_t ms, int64_t deadline)
{
	int64_t left = clock_left(deadline);
	struct timespec t;

	if (left < ms)
		ms = left;
	t = (struct timespec) {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
	clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
}

int64_t
clock_wall(void)
{
	return read_ms(CLOCK_REALTIME);
}

void
clock_format(int64_t wall_ms, char text[static CLOCK_TEXT])
{
	time_t seconds = (time_t)(wall_ms / 1000);
	char day[20];
	struct tm tm;

	gmtime_r(&seconds, &tm);
	strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(text, CLOCK_TEXT, "%s.%03uZ", day, (unsigned)(wall_ms % 1000) % 1000);
}

int64_t
clock_parse(const char *text)
{
	char again[CLOCK_TEXT];
	struct tm tm = {0};
	int64_t wall_ms;
	int ms;

	if (strptime(text, "%Y-%m-%dT%H:%M:%S", &tm) == NULL || sscanf(text, "%*[^.].%3dZ", &ms) != 1)
		return -1;
	wall_ms = (int64_t)timegm(&tm) * 1000 + ms;
	/* strptime forgives much; a text of ours comes out as it went in. */
	clock_format(wall_ms, again);
	return strcmp(text, again) == 0 ? wall_ms : -1;
}
