/* setting - the operator's environment variables, read on behalf of cmd/ alone */
#ifndef SETTING_H
#define SETTING_H

#include <stdint.h>

/* The value with white space around it trimmed, or FALLBACK when it is unset or blank. Owned by the module for good. */
const char *setting_text(const char *name, const char *fallback);

/* The value as it is, for a sandbox that is to have it; NULL when it is unset. */
const char *setting_raw(const char *name);

/* A whole number between LEAST and MOST; unset or blank is FALLBACK, anything else ends the program with 2. */
int64_t setting_integer(const char *name, int64_t fallback, int64_t least, int64_t most);

/* The program NAME that PATH has, as path_program; NULL when it has none. The caller frees it. */
char *setting_program(const char *name);

/*
 * Where sbx keeps its state: SBX_STATE, else /var/lib/sbx for root, else $XDG_STATE_HOME/sbx or ~/.local/state/sbx.
 * Made private (0700) when missing; a directory that others could write to ends the program with 2.
 */
const char *setting_state(void);

/* Where the store is, for store_open: SBX_STORE, else setting_state(). */
const char *setting_store(void);

/* Where profiles, rules and examples lie: SBX_SHARE, else where make install put them. */
const char *setting_share(void);

#endif
