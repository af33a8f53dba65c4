/* cgroup - control groups: which one is ours, and one of version 2 for a process tree */
#ifndef CGROUP_H
#define CGROUP_H

/*
 * The directory of the group that this process is in: in the hierarchy of version 2, or in that of a CONTROLLER of version 1. NULL
 * when there is none. The caller frees it.
 */
char *cgroup_own(const char *controller);

/* Write TEXT to a FILE of GROUP. Returns -1 with errno. Safe between fork and exec. */
int cgroup_write(const char *group, const char *file, const char *text);

/* The name of the group that a program makes for what it runs, with its own number. */
#define CGROUP_OF_PROGRAM "sbx-%d"

/*
 * Make a group called NAME below the one this process is in; NULL when there is no writable version 2 hierarchy, which is no
 * error: it is a second way to end a tree, not the only one. The caller frees it. A hierarchy without controllers will do. Empty
 * groups of programs that are no more are removed on the way.
 */
char *cgroup_make(const char *name);

/* For the child, before it runs: join. Safe between fork and exec. Returns -1 with errno. */
int cgroup_join(const char *group);

/* Kill all in it at once. */
void cgroup_kill(const char *group);

/* Remove it; returns -1 while somebody is in it. */
int cgroup_remove(const char *group);

#endif
