/* Kernels, from the program's request to the command that runs them. */
#ifndef SUBCORE_DRIVER_KERNEL_MAKE_H
#define SUBCORE_DRIVER_KERNEL_MAKE_H

#include "driver/abi/launch_structs.h"
#include "driver/module/module.h"
#include "driver/queue/command.h"

/* The request of a launch, apart from parameters and stream. */
struct launch_shape {
    struct exec_dim grid, block;
    uint32_t dynamic_shared_bytes;
    struct exec_dim cluster; /* x == 0: not asked for */
    struct exec_dim preferred_cluster;
    CUclusterSchedulingPolicy cluster_policy;
    CUevent event; /* recorded behind the kernel (NULL: none) */
    bool cooperative;
    bool programmatic; /* programmatic stream serialization */
    bool prioritised;  /* with its own priority */
    int priority;
    bool has_carveout; /* else as the function's settings say */
    unsigned carveout; /* percent of an SM's shared memory */
};

/* Checks a launch of `handle` (CUfunction or CUkernel) in the calling thread's context, and makes its command, for
 * stream_submit or a graph. Parameters come as pointers to each, or as a buffer that `extra` describes. May wait for
 * the queue when it loads code: look streams up afterwards. */
CUresult kernel_make(struct call *call, CUfunction handle, const struct launch_shape *shape, void **parameters,
                     void **extra, struct command *command);
/* The same with the parameters as they lie in memory. */
CUresult kernel_make_packed(struct call *call, CUfunction handle, const struct launch_shape *shape,
                            const void *parameters, size_t bytes, struct command *command);
/* Adds launch attributes to the shape. Hints are ignored. */
CUresult launch_attributes(const CUlaunchAttribute *attributes, unsigned count, struct launch_shape *shape);

#endif
