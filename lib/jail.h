/* jail - run a function in a child that can only compute and write to two pipes */
#ifndef JAIL_H
#define JAIL_H

#include <stdint.h>
#include <sys/types.h>

struct jail {
	pid_t pid;
	int data, report; /* where the child's two pipes are read */
};

/*
 * The child's work. It sees the memory of its parent as it was, and has two descriptors to write to. Any system call but those for
 * memory, writing and the end kills it, so do too much memory and too much CPU time.
 */
typedef void jail_work(int data, int report, void *context);

/*
 * Start WORK in a child with at most MEMORY bytes of address space more than this process has now. It dies with this process.
 * Ends the program with 2 when no child can be started; a child that can't be jailed ends without having worked.
 */
void jail_start(struct jail *j, jail_work *work, void *context, uint64_t memory);

/* Kill the child where it stands; jail_end still has to come. */
void jail_kill(const struct jail *);

/* Close the pipes and wait for the child's end. Returns 0 when its work returned, the signal that killed it, or -1. */
int jail_end(struct jail *);

#endif
