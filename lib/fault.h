/* fault - why something was not done: a reason for programs, a sentence for people, an exit status */
#ifndef FAULT_H
#define FAULT_H

#include <stdbool.h>
#include <stdint.h>

/* Exit statuses, from architecture to manual: sbx(7) lists them. */
enum status {
	STATUS_YES = 0,
	STATUS_NO = 1,      /* a well-formed negative answer */
	STATUS_TROUBLE = 2, /* usage, unreadable input, configuration, a service out of reach */
	STATUS_DOUBT = 3,   /* something may still exist, or may not have been written */
	STATUS_LATER = 75,  /* try again after retry_after_ms */
};

struct json_t;

struct fault {
	char reason[48];        /* stable, snake_case; "" means no fault */
	char message[1024];     /* "subject: what is wrong", lower case, one line */
	int status;             /* one of the above, or 125..127, 128+n */
	int64_t retry_after_ms; /* 0: absent */
	struct json_t *detail;  /* owned; an object whose members join `error` in the line, or NULL */
};

static inline int
fault_value(void)
{
	return -1;
}

/*
 * Fill FAULT; the value is -1, so that a function can fail in one expression, and a macro's, so that analyzers see it. A
 * fault that is already set is kept: the first cause is the one worth telling. Control characters become '?'.
 */
#define fault_set(...) (fault_fill(__VA_ARGS__), fault_value())

/* The same, with ": " and the text of errno behind the message. */
#define fault_errno(...) (fault_fill_errno(__VA_ARGS__), fault_value())

void fault_fill(struct fault *, int status, const char *reason, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void fault_fill_errno(struct fault *, int status, const char *reason, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

bool fault_is(const struct fault *);
void fault_clear(struct fault *);

/* The worse of two exit statuses: 3, then 128+n, 125 to 127, 2, 75, 1, 0. */
int status_worse(int a, int b);

#endif
