/* One kernel launch: grid, constant banks, parameters, local memory. */
#ifndef SUBCORE_EXEC_LAUNCH_H
#define SUBCORE_EXEC_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"
#include "cubin/cubin.h"
#include "exec/module.h"
#include "exec/sizes.h"

struct exec_findings;
struct exec_outside;
struct exec_spins;
struct exec_watch;

/* Stack of a thread whose call graph the compiler does not know, beside the known stack: CUDA's default. */
enum { EXEC_STACK_LIMIT = 1024 };

/* The description of a launch. */
struct exec_launch_inputs {
    const char *kernel;                  /* found by its name */
    const struct cubin_kernel *function; /* one of module->cubin.kernels, instead of the name (NULL: by name) */
    struct exec_dim grid, block;
    uint32_t dynamic_shared_bytes;
    const void *parameters;
    size_t parameter_bytes;
    unsigned sm_count;
    uint32_t warp_slots;     /* resident warps of the GPU */
    uint32_t stack_limit;    /* bytes (0: EXEC_STACK_LIMIT) */
    uint64_t grid_workspace; /* device address of a grid barrier's words (0: not a cooperative launch) */
    struct exec_dim cluster; /* CTAs of a cluster; 0 in x: as the kernel was compiled, or no clusters */
};

struct exec_launch {
    const struct exec_module *module;
    const struct exec_kernel *kernel;
    struct exec_dim grid, block;
    uint32_t dynamic_shared_bytes;
    uint32_t shared_bytes;     /* static and dynamic, with the system's share inside the CTA's window */
    uint32_t reserved_inside;  /* the system's share at the start of a CTA's shared memory, in use or not */
    uint32_t reserved_outside; /* the system's share of an SM's shared memory beside that */
    uint32_t warps_per_cta;
    uint64_t cta_count;
    struct exec_dim cluster;              /* CTAs of a cluster in each dimension; divides the grid */
    uint32_t cta_group;                   /* CTAs of a cluster in all: they begin together */
    uint64_t local_base;                  /* device address of local memory, 0 when the kernel uses none */
    uint32_t local_slots;                 /* resident warp slots that local memory was allocated for */
    uint32_t stack_bytes;                 /* of a thread, in local memory beyond kernel->local_bytes */
    bool cooperative;                     /* all CTAs are resident at once */
    bool side_by_side;                    /* of exec_run: CTAs take short turns, as on a GPU */
    bool explicit_cluster;                /* the launch or the kernel asks for clusters, perhaps of one CTA */
    uint64_t grid_workspace;              /* device address, of a cooperative launch */
    uint64_t parameter_block;             /* device address of a parameter copy (0: the code asks for none) */
    uint64_t start_ns;                    /* the global timer at cycle 0 */
    uint64_t clock_hz;                    /* for the global timer of exec_run (0: it counts instructions) */
    uint32_t timer_width;                 /* instructions a cycle, of that timer (0: 1) */
    const uint8_t *bank[EXEC_BANKS];      /* 64 KiB each; unused banks read zero */
    uint8_t *bank0, *bank2;               /* owned */
    unsigned sm_count;                    /* for the special registers and driver constants */
    FILE *output;                         /* of printf */
    const struct exec_watch *watch;       /* of exec_run (NULL: none) */
    const struct exec_spins *spins;       /* of exec_run (NULL: no reports) */
    const struct exec_findings *findings; /* NULL: shared memory is not checked between proxies */
    const struct exec_outside *outside;   /* NULL: every access outside of allocations is a fault */
};

/* Checks dimensions, parameter size and shared memory against the limits of every architecture (1024 threads a CTA; the
 * GPU's own limits are the caller's), builds the constant banks, allocates local memory for `warp_slots` resident
 * warps. */
bool exec_launch_prepare(struct exec_launch *launch, struct exec_module *module,
                         const struct exec_launch_inputs *request, struct status *status);
void exec_launch_end(struct exec_launch *launch);

/* Local memory of a thread. */
static inline uint32_t exec_local_bytes(const struct exec_launch *launch)
{
    return launch->local_base ? launch->kernel->local_bytes + launch->stack_bytes : 0;
}

#endif
