/* owner - which task each problem of a bundle belongs to */
#ifndef OWNER_H
#define OWNER_H

#include "inventory.h"
#include "json.h"

/*
 * Find the one owner of each of PROBLEMS (problem_list), by exact path. Returns them as a new array of {"error", and where they
 * are known "path" and "task_id"}. BY_TASK, an object, gets the errors of each task under its id; BLOCKS gets one entry (struct
 * repair) for each problem that has not exactly one owner.
 */
json_t *owner_assign(const struct inventory *, const json_t *problems, json_t *by_task, json_t *blocks);

#endif
