/* What to say when nothing moves any more. */
#ifndef SUBCORE_GPU_DEADLOCK_H
#define SUBCORE_GPU_DEADLOCK_H

#include "gpu/timed.h"

/* Every warp that is still there, with where it stands and what it waits for. Returns false. */
bool deadlock_report(const struct timed *t, struct status *status);

#endif
