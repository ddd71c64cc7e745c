/* The report when nothing moves any more. */
#ifndef SUBCORE_GPU_DEADLOCK_H
#define SUBCORE_GPU_DEADLOCK_H

#include "gpu/timed.h"

/* Every warp that is still there, with its place and the event that it waits for. Returns false. */
bool deadlock_report(const struct timed *t, struct status *status);

#endif
