/* Executes without time what a timed launch has left undone, so that memory is as after the whole kernel. */
#ifndef SUBCORE_GPU_REST_H
#define SUBCORE_GPU_REST_H

#include "gpu/executing.h"
#include "gpu/timed.h"

/* What is in flight takes effect, then the CTAs go on from where they are, then come those that have not begun. Between
 * two quanta. */
bool rest_run(void *executing, struct timed *t, const struct gpu_options *options, struct kernel_result *result,
              struct status *status);

#endif
