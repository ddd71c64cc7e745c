/* What is behind struct gpu, for the files of this folder. */
#ifndef SUBCORE_GPU_STATE_H
#define SUBCORE_GPU_STATE_H

#include "gpu/executing.h"
#include "gpu/gpu.h"
#include "gpu/timed.h"

struct gpu_module {
    struct exec_module module;
    struct gpu_module *next;
};

struct gpu {
    struct config config;
    uint64_t config_hash;
    struct gpu_options options;
    struct memory *memory;
    struct gpu_module *modules;
    struct timed timed; /* made at the first timed launch */
    bool timed_ready;
    struct executing executing; /* made at the first launch that is timed and executed */
    bool executing_ready;
    uint64_t grid_workspace; /* device address of the barrier of cooperative grids; 0: none has run */
    struct exec_fault_report fault;
};

/* Makes the timed machine, if it is not there. */
bool gpu_ready_timed(struct gpu *gpu, struct status *status);
/* Takes it away; what was in flight in a run that failed goes with it. */
void gpu_reset_timed(struct gpu *gpu);

#endif
