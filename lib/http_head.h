/* http_head - what stands in the head of a reply */
#ifndef HTTP_HEAD_H
#define HTTP_HEAD_H

#include "http.h"

/* The value of the header NAME in the head from START up to END, cut to what has room; false, and VALUE left alone, when there is none. */
bool head_find(const char *start, const char *end, const char *name, char value[static HTTP_HEADER]);

/*
 * Note in the reply, whose status is known, what the request wants of the head from START up to END. True when curl goes on from
 * it to another one, as it does from any redirect that says where to.
 */
bool head_note(const char *start, const char *end, const struct http_request *, struct http_reply *);

#endif
