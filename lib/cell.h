/* cell - one local sandbox on disk: its directory, who is using it, what it was made for */
#ifndef CELL_H
#define CELL_H

#include <stdbool.h>
#include <stdint.h>

#include "fault.h"
#include "json.h"

/* STATE/local/ID: the file `about` (JSON), the file `lock`, and the directory `workspace` once it is made. */
struct cell {
	char *dir;
	char *workspace; /* its path */
	json_t *about;   /* as it was given to cell_make */
	int lock;
};

#define auto_cell __attribute__((cleanup(cell_close)))

/* Make it. The caller makes the workspace. -1 and `sandbox_failed`; cell_remove then takes away what is there. */
int cell_make(const char *state, const char *id, const json_t *about, struct fault *);

/*
 * Open it for use: until cell_close, or the end of this process, cell_remove waits for us. -1 when it is not there or is being
 * removed. A cell may be closed in either case, and more than once.
 */
int cell_open(struct cell *, const char *state, const char *id);

/* Only look: the same without being waited for. What is being removed is not there any more. */
int cell_look(struct cell *, const char *state, const char *id);

void cell_close(struct cell *);

/*
 * Remove it, whoever uses it: nobody new can open it, those who use it are sent TERM, and END is called until they are gone, to end
 * what they started; 0 from its last call means that nobody is left. Returns 0 when nothing of it is there any more, also when
 * nothing was; else -1 and the fault, status 3.
 */
int cell_remove(
    const char *state, const char *id, int (*end)(const char *id, int64_t deadline), int64_t deadline, struct fault *);

#endif
