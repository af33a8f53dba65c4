/* posture_line - what the staged bundle of a line asks for when it is previewed */
#ifndef POSTURE_LINE_H
#define POSTURE_LINE_H

#include "line.h"
#include "posture.h"

/* As posture_read, from the bundle's staged tar. Besides posture_from's faults those of bundle_tar and `app_invalid` (1). */
int posture_line(struct posture *, const struct line *, struct fault *);

#endif
