/* The contents of struct gpu, for the files of this folder. */
#ifndef SUBCORE_GPU_STATE_H
#define SUBCORE_GPU_STATE_H

#include "gpu/exec_machine.h"
#include "gpu/gpu.h"
#include "gpu/repeats.h"
#include "gpu/timed.h"
#include "gpu/trace_machine.h"

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
    struct exec_machine exec_machine; /* made at the first launch that is timed and executed */
    bool exec_machine_ready;
    uint64_t damaged;        /* warps of the last traced kernel that ended early */
    struct status damage;    /* of the first one */
    struct plan_past past;   /* of all timed launches */
    struct repeats repeats;  /* launches of replays that may come again */
    uint32_t numbered;       /* timed launches before `timed` was made */
    uint64_t launches;       /* that have begun, recorded or not */
    uint64_t grid_workspace; /* device address of the barrier for cooperative grids (0: none has run) */
    struct exec_fault_report fault;
};

/* Makes the timed machine, if it is not there. */
bool gpu_ready_timed(struct gpu *gpu, struct status *status);
/* Takes it away. Accesses in flight in a run that failed go with it. */
void gpu_reset_timed(struct gpu *gpu);

/* Code runs on GPUs of the same major version whose minor version is not below. */
bool gpu_fits(const struct gpu *gpu, unsigned sm);
/* The same with a message; `path` names the code. */
bool gpu_check_fit(const struct gpu *gpu, const char *path, unsigned sm, struct status *status);

struct exec_totals;

/* Executes a launch without time. */
bool gpu_execute(const struct gpu *gpu, struct exec_launch *launch, struct exec_totals *totals, struct status *status);

/* Prepares a timed launch that runs beside others, and writes the known facts into *r. False, with status, when it
 * cannot be launched; else gpu_end_shared ends it. */
bool gpu_prepare_shared(struct gpu *gpu, const struct gpu_launch *launch, struct exec_launch *l,
                        struct kernel_result *r, struct status *status);
void gpu_end_shared(struct gpu *gpu, struct exec_launch *l);

/* The members of a result about the GPU. */
void gpu_fill_facts(const struct gpu *gpu, struct kernel_result *r);
/* A larger carve-out than the CTAs need leaves less to the L1. A smaller one is not taken: fewer CTAs would run. */
void gpu_prefer_shared(const struct gpu *gpu, uint32_t bytes, struct occupancy *occupancy);
/* A cooperative grid must be resident at once. */
bool gpu_check_cooperative(const struct gpu *gpu, const char *kernel, uint64_t ctas, const struct occupancy *occupancy,
                           struct status *status);

/* Nothing without --check-hazards. */
bool gpu_begin_hazards(struct gpu *gpu, const struct hazard_launch *launch, struct status *status);
bool gpu_end_hazards(struct gpu *gpu, bool ok, struct status *status);

/* A launch that comes to a deadlock is a fault, too, also where no one warp is to blame. */
void gpu_name_fault(struct gpu *gpu, const char *kernel, const struct status *status);

/* Wall clock. */
double gpu_seconds(void);

#endif
