/* stop - signals that ask a program to end, noted instead of obeyed at once */
#ifndef STOP_H
#define STOP_H

#include <stdbool.h>

/*
 * From now on INT, TERM and HUP are blocked and noted instead. The program looks for them wherever it waits, ends what it
 * started and returns 128 + stop_signal(). For programs that start a process or a sandbox. What the caller chose to
 * ignore, as nohup(1) does with HUP, stays ignored.
 */
void stop_catch(void);

/* The signal that was noted first, or 0. A second one means "at once": this then ends the program, 128+n. */
int stop_signal(void);

/*
 * Cleaning up: while held, the signal that was noted no longer wakes waits, so that what was started can still be ended. A second
 * signal ends the program all the same. Holds may be nested.
 */
void stop_hold(bool);

/* stop_signal() for those who wait: 0 while held. */
int stop_pending(void);

/* Fill the fault with the signal that was noted: `stopped` (128+n). Returns -1. */
struct fault;
int stop_fault(struct fault *);

/* To be polled for input beside what is waited for; -1 before stop_catch. */
int stop_fd(void);

#endif
