/* e2b_verbs - what the E2B provider does: see struct provider */
#ifndef E2B_VERBS_H
#define E2B_VERBS_H

#include "provider.h"

json_t *e2b_create(const struct site *, const struct sandbox_request *, struct fault *);
json_t *e2b_connect(const struct site *, const char *id, struct fault *);
json_t *e2b_put(const struct site *, const char *id, int tar_fd, const json_t *manifest, struct fault *);
int e2b_get(const struct site *, const char *id, const char *path, int out_fd, struct fault *);
int e2b_exec(const struct site *, const struct exec_request *, struct exec_result *, struct fault *);
json_t *e2b_url(const struct site *, const char *id, int port, struct fault *);
json_t *e2b_extend(const struct site *, const char *id, int64_t lifetime_ms, struct fault *);
enum gone e2b_rm(const struct site *, const char *id, const char *engine, struct fault *);
enum gone e2b_sweep(const struct site *, const char *run, struct fault *);
enum gone e2b_orphans(const struct site *, struct fault *);
json_t *e2b_list(const struct site *, const char *const *words, size_t count, struct fault *);

#endif
