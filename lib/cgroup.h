/* cgroup - a control group (version 2) of a process tree's own */
#ifndef CGROUP_H
#define CGROUP_H

/*
 * Make a group below the one this process is in; NULL when there is no writable version 2 hierarchy, which is no error: it is
 * a second way to end a tree, not the only one. The caller frees the name. A hierarchy without controllers will do.
 */
char *cgroup_make(void);

/* For the child, before it runs: join. Safe between fork and exec. Returns -1 with errno. */
int cgroup_join(const char *group);

/* Kill all in it at once. */
void cgroup_kill(const char *group);

/* Remove it; returns -1 while somebody is in it. */
int cgroup_remove(const char *group);

#endif
