/* Where the instructions of a timed run come from: the functional machine, which executes (gpu/exec_machine.h), or the
 * streams of a trace, which are replayed (gpu/trace_machine.h). The timed run does not know which.
 *
 * Functions for different SMs may be called from different threads at the same time, and one SM's `apply` for lanes of
 * different sectors. */
#ifndef SUBCORE_GPU_MACHINE_H
#define SUBCORE_GPU_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "port/message.h"
#include "sm/cluster.h"
#include "sm/code_table.h"
#include "sm/cta.h"
#include "sm/source.h"

struct exec_warp;
struct gpu_options;
struct kernel_result;
struct timed;
struct warming;

struct machine {
    void *self;
    /* A kernel begins on an SM that has no CTA, and that holds `ctas` CTAs of it at once in the slots from 0 on. */
    bool (*begin_sm)(void *self, uint32_t sm, uint32_t ctas, struct status *status);
    /* The CTA slot is for CTAs of this kernel from now on, on an SM that has been begun; between two quanta. NULL: CTAs
     * of different kernels are not on one SM. */
    bool (*take_slot)(void *self, uint32_t sm, uint32_t cta_slot, struct status *status);
    /* The source of the SM's instructions, until the kernel ends. */
    struct sm_source (*source)(void *self, uint32_t sm);
    /* The CTA that is `order`-th to begin takes the place; `cluster`: where the CTAs of its cluster are. Returns its
     * number in the grid. */
    uint64_t (*start_cta)(void *self, uint32_t sm, const struct cta_placement *place, uint64_t order,
                          const struct cluster_place *cluster);
    /* A request takes effect at its L2 slice: lanes of the access that its token names, or a row of the command that it
     * names if it is of an engine. */
    void (*apply)(void *self, const struct request *request);
    /* The result of the oldest such instruction at `pc` is written (NULL: the machine does not care). */
    void (*written)(void *self, uint32_t sm, uint32_t slot, uint32_t pc, uint64_t cycle);
    /* In each quantum when its SMs, the first `sms`, have run: their requests to the driver (NULL: none). */
    void (*serve)(void *self, uint32_t sms);
    /* And their requests to the CTA scheduler: `take` is as in exec/core.h (NULL: nothing). */
    void (*serve_work)(void *self, uint32_t sms, bool (*take)(void *context, uint64_t *order), void *context);
    /* False, with status, when one of them cannot go on. */
    bool (*check)(void *self, uint32_t sms, struct status *status);
    /* Executes CTAs `first` to before `end` without time (gpu/rest.h), or counts their instructions (gpu/trace_part.h).
     * `warming`: NULL, or the observer of their accesses. */
    bool (*part)(void *self, const struct timed *t, uint64_t first, uint64_t end, struct warming *warming,
                 const struct gpu_options *options, struct kernel_result *result, struct status *status);
    /* Executes the rest without time between two quanta (gpu/rest.h) (NULL: there is nothing to execute). */
    bool (*rest)(void *self, struct timed *t, const struct gpu_options *options, struct kernel_result *result,
                 struct status *status);
    /* Calls `each` for the resident warps, in the order of SMs and slots, between two quanta (NULL: warps have no
     * registers). */
    void (*each_warp)(void *self, const struct timed *t, void (*each)(void *context, const struct exec_warp *warp),
                      void *context);
    /* Writes the address that the warp of this slot asks for again and again (false: nothing). NULL: the machine does
     * not know. */
    bool (*wait_text)(void *self, uint32_t sm, uint32_t slot, char *text, size_t size);
    /* The kernel has ended, or was stopped. */
    void (*end)(void *self, uint32_t sms);
};

enum { MACHINE_BANKS = 5 };

/* The facts of a launch that a timed run has to know. Everything is borrowed until it ends. */
struct timed_launch {
    struct machine machine;
    const char *kernel; /* mangled name */
    struct code_source code;
    uint64_t code_address;              /* in device memory; constants are L15_CONSTANTS further on */
    uint32_t bank_bytes[MACHINE_BANKS]; /* of these, as far as the driver fills them */
    uint64_t ctas;
    bool cooperative;   /* these wait for each other: no part of them can be timed alone */
    bool apart;         /* no CTA waits for another, or does work that depends on the order of CTAs */
    uint32_t cta_group; /* CTAs of a cluster, which are placed together, at least 1 (gpu/placement_policy.h) */
    uint32_t warps_per_cta, threads_per_cta;
};

#endif
