/* Executes without time what a timed launch has left undone, so that memory is as after the whole kernel. */
#ifndef SUBCORE_GPU_REST_H
#define SUBCORE_GPU_REST_H

#include "gpu/executing.h"
#include "gpu/timed.h"

/* Whether a launch that ended so is to be executed to its end. */
static inline bool rest_wanted(enum result_stop stop, const struct gpu_limits *limits)
{
    return stop == STOP_STABLE_IPC || stop == STOP_CTAS || (stop != STOP_NONE && limits->finish);
}

/* What is in flight takes effect, then the CTAs go on from where they are, then come those that have not begun. Between
 * two quanta. */
bool rest_run(void *executing, struct timed *t, const struct gpu_options *options, struct kernel_result *result,
              struct status *status);

#endif
