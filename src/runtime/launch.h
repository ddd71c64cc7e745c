/* A launch of a kernel, for the compiler's interface and for the program's. */
#ifndef SUBCORE_RUNTIME_LAUNCH_H
#define SUBCORE_RUNTIME_LAUNCH_H

#include <stdbool.h>

#include "driver/abi/launch_structs.h"
#include "runtime/abi/error.h"
#include "runtime/abi/handles.h"
#include "runtime/abi/launch.h"

struct launch_shape {
    dim3 grid;
    dim3 block;
    size_t shared; /* dynamic, in bytes */
    cudaStream_t stream;
    bool cooperative;
};

/* cudaErrorInvalidConfiguration for a grid or block that no kernel of the device can have. */
cudaError_t launch_check(const struct launch_shape *shape);
/* Launches. The driver checks the limits of the kernel. Needs a context. */
cudaError_t launch(CUkernel kernel, const struct launch_shape *shape, void **arguments);

/* The same for the driver. */
CUlaunchConfig launch_config(const cudaLaunchConfig_t *config);

#endif
