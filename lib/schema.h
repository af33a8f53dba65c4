/* schema - the tables of the store, and how an older store becomes ours */
#ifndef SCHEMA_H
#define SCHEMA_H

/*
 * One step for each version, in order, each the statements that lead to it from the version before; ends with NULL. The table
 * `schema` has one row, whose `version` is the number of steps taken.
 */
extern const char *const *const schema_steps[];

int schema_version(void);

#endif
