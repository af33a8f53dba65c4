/* e2b_token - the file that stands for a sandbox of E2B: held while it is made, it keeps the token of its ports */
#ifndef E2B_TOKEN_H
#define E2B_TOKEN_H

#include <stdbool.h>

#include "fault.h"
#include "site.h"

/* A new file (0600) under $SBX_STATE, locked until the descriptor is closed; -1 and a fault. It comes before the store's row. */
int e2b_token_hold(const struct site *, const char *name, struct fault *);

/* Keep the traffic token there. The service tells it once: to who makes a sandbox, or connects to it. */
int e2b_token_keep(const struct site *, const char *name, const char *token, struct fault *);

/* Is somebody making that sandbox right now? */
bool e2b_token_is_held(const struct site *, const char *name);

/* Drop what stands for no row: its program died before it had one, or after it had told the end. */
int e2b_token_tidy(const struct site *, struct fault *);

/* The sandbox is gone, and so is its token. */
void e2b_token_drop(const struct site *, const char *name);

#endif
