/* Executes the part that a timed launch leaves out, without time, so that memory is as after the whole kernel. */
#ifndef SUBCORE_GPU_REST_H
#define SUBCORE_GPU_REST_H

#include "gpu/exec_machine.h"
#include "gpu/timed.h"
#include "gpu/warming.h"

/* CTAs from `first` to before `end`, of which none has begun. CTAs of the launch that are in flight stay as they are.
 * `warming`: NULL, or the observer of the accesses. */
bool rest_part(void *machine, const struct timed *t, uint64_t first, uint64_t end, struct warming *warming,
               const struct gpu_options *options, struct kernel_result *result, struct status *status);

/* Accesses in flight take effect, then the CTAs continue from where they are, then come those that have not begun.
 * Between two quanta. */
bool rest_run(void *machine, struct timed *t, const struct gpu_options *options, struct kernel_result *result,
              struct status *status);

#endif
