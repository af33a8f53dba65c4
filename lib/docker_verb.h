/* docker_verb - the verbs of the Docker provider (provider.h says what they do) */
#ifndef DOCKER_VERB_H
#define DOCKER_VERB_H

#include "provider.h"

json_t *docker_create(const struct site *, const struct sandbox_request *, struct fault *);
json_t *docker_connect(const struct site *, const char *id, struct fault *);
json_t *docker_put(const struct site *, const char *id, int tar_fd, const json_t *manifest, struct fault *);
int docker_get(const struct site *, const char *id, const char *path, int out_fd, struct fault *);
int docker_exec(const struct site *, const struct exec_request *, struct exec_result *, struct fault *);
json_t *docker_url(const struct site *, const char *id, int port, struct fault *);
enum gone docker_rm(const struct site *, const char *id, const char *engine, struct fault *);
enum gone docker_sweep(const struct site *, const char *run, struct fault *);
json_t *docker_list(const struct site *, const char *const *labels, size_t count, struct fault *);

#endif
