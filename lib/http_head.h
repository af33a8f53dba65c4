/* http_head - what stands in the head of a reply */
#ifndef HTTP_HEAD_H
#define HTTP_HEAD_H

#include "http.h"

/* The value of the header NAME in the head from START up to END, cut to what has room; VALUE is left alone when there is none. */
void head_find(const char *start, const char *end, const char *name, char value[static HTTP_HEADER]);

/* The seconds that its Retry-After names (RFC 9110, 10.2.3); 0 when there is none, or a date. */
int head_wait(const char *start, const char *end);

#endif
