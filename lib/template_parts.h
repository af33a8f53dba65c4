/* template_parts - what the parts of the template module share */
#ifndef TEMPLATE_PARTS_H
#define TEMPLATE_PARTS_H

#include "template_build.h"

/* One call of the control plane. The caller frees the reply, whatever it came to. */
int template_call(struct e2b *, const struct template_build *, const char *method, const char *path, const json_t *body,
    struct http_reply *, struct fault *);

bool template_is_good(const struct http_reply *);

/* e2b_refused for what is no sandbox. */
int template_refused(const struct http_reply *, const char *reason, const char *subject, struct fault *);

/* What a COPY step sends, unless the service has it; its filesHash. */
int template_send(struct e2b *, const struct template_build *, json_t *step, struct fault *);

/* Start the build, and follow it to its end. */
int template_start(struct e2b *, struct template_build *, struct fault *);
int template_follow(struct e2b *, struct template_build *, struct fault *);

#endif
