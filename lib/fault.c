/* fault - why something was not done: a reason for programs, a sentence for people, an exit status */

#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "fault.h"

/* One line of UTF-8, whatever the file names, servers and cut formats it was made from held. */
static void
tidy(char *message)
{
	json_t *valid = json_string(message);

	for (char *p = message; *p != '\0'; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f || (valid == NULL && (unsigned char)*p >= 0x80))
			*p = '?';
	json_decref(valid);
}

static void __attribute__((format(printf, 5, 0)))
fill(struct fault *f, int status, const char *reason, const char *error, const char *format, va_list ap)
{
	size_t len;

	if (fault_is(f))
		return;
	f->status = status;
	snprintf(f->reason, sizeof f->reason, "%s", reason);
	vsnprintf(f->message, sizeof f->message, format, ap);
	len = strlen(f->message);
	if (error != NULL)
		snprintf(f->message + len, sizeof f->message - len, ": %s", error);
	tidy(f->message);
}

void
fault_fill(struct fault *f, int status, const char *reason, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	fill(f, status, reason, NULL, format, ap);
	va_end(ap);
}

void
fault_fill_errno(struct fault *f, int status, const char *reason, const char *format, ...)
{
	const char *error = strerror(errno);
	va_list ap;

	va_start(ap, format);
	fill(f, status, reason, error, format, ap);
	va_end(ap);
}

bool
fault_is(const struct fault *f)
{
	return f->reason[0] != '\0';
}

void
fault_clear(struct fault *f)
{
	json_decref(f->detail);
	*f = (struct fault) {0};
}

static int
badness(int status)
{
	switch (status) {
	case STATUS_YES:
		return 0;
	case STATUS_NO:
		return 1;
	case STATUS_LATER:
		return 2;
	case STATUS_TROUBLE:
		return 3;
	case STATUS_DOUBT:
		return 6;
	default:
		return status > 128 ? 5 : 4;
	}
}

int
status_worse(int a, int b)
{
	return badness(b) > badness(a) ? b : a;
}
