/* Begins a launch of tests that have no more to say than its shape. */
#ifndef SUBCORE_TESTS_LAUNCH_BEGIN_H
#define SUBCORE_TESTS_LAUNCH_BEGIN_H

#include "exec/launch.h"
#include "exec/module.h"
#include "exec/sizes.h"

static inline bool launch_begin(struct exec_launch *launch, struct exec_module *module, const char *kernel,
                                struct exec_dim grid, struct exec_dim block, uint32_t dynamic_shared_bytes,
                                const void *parameters, size_t parameter_bytes, unsigned sm_count, uint32_t warp_slots,
                                struct status *status)
{
    const struct exec_launch_inputs inputs = {.kernel = kernel,
                                              .grid = grid,
                                              .block = block,
                                              .dynamic_shared_bytes = dynamic_shared_bytes,
                                              .parameters = parameters,
                                              .parameter_bytes = parameter_bytes,
                                              .sm_count = sm_count,
                                              .warp_slots = warp_slots};
    return exec_launch_prepare(launch, module, &inputs, status);
}

#endif
