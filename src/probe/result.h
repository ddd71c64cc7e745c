/* All that is known after a kernel has run: the input of reports. */
#ifndef SUBCORE_PROBE_RESULT_H
#define SUBCORE_PROBE_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/counters.h"
#include "probe/estimate.h"
#include "probe/hybrid.h"

enum { RESULT_NAME = 256 };

/* The reason why a timed launch ended before its kernel. */
enum result_stop {
    STOP_NONE,
    STOP_CYCLES,
    STOP_INSTRUCTIONS,
    STOP_STABLE_IPC,
    STOP_CTAS,
    STOP_SAMPLED,
    STOP_HYBRID,
    STOP_COUNT
};

enum occupancy_limit { LIMIT_CTAS, LIMIT_WARPS, LIMIT_REGISTERS, LIMIT_SHARED, LIMIT_COUNT };

struct occupancy {
    uint32_t ctas[LIMIT_COUNT]; /* CTAs an SM could hold if only this resource counted */
    uint32_t ctas_per_sm;       /* the minimum */
    enum occupancy_limit limit; /* the resource that sets it, the first in the order above */
    uint32_t warps_per_cta;
    uint32_t warps_per_sm; /* theoretical resident warps */
    uint32_t max_warps_per_sm;
    uint32_t registers_per_warp; /* as allocated */
    uint32_t shared_per_cta;     /* as allocated, reserve included */
    uint32_t carveout;           /* shared memory of the unified array, bytes */
};

struct kernel_result {
    char gpu[64], kernel[RESULT_NAME], module[RESULT_NAME];
    unsigned architecture, sms;
    unsigned code_architecture;      /* the architecture of the code */
    double clock_mhz, dram_peak_gbs; /* GB/s */
    uint32_t cluster[3];             /* CTAs of a cluster; 1 without clusters */
    uint32_t grid[3], block[3], dynamic_shared, static_shared, registers, local_bytes;
    bool detailed;               /* false: functional run, no cycles */
    bool complete;               /* false: stopped before the end */
    enum result_stop stop;       /* asked for; complete is false then, and the counters are those of the timed part */
    bool rest_executed;          /* its rest has been executed without time: memory is as after the whole kernel */
    uint64_t rest_instructions;  /* warp instructions of that part */
    double stable_ipc;           /* STABLE_IPC: warp instructions a cycle of the GPU in the last windows */
    struct estimate estimate;    /* cycles of the whole kernel */
    struct hybrid_result hybrid; /* of a hybrid launch */
    struct occupancy occupancy;
    uint64_t ctas, ctas_done;
    uint64_t cycles;        /* elapsed, from launch to the last CTA's end */
    uint64_t launch_cycles; /* of these, before the first CTA */
    /* For kernels in different streams that ran at the same time. Their memory counters (mem) are those of the whole
     * memory system from begin_cycle to the end. */
    uint32_t overlapped;                   /* kernels in flight with this one at some time (0: it ran alone) */
    uint64_t begin_cycle;                  /* from the cycle on at which the first of them was launched */
    uint64_t queued_cycles;                /* before that, from its launch on: all SMs held other kernels */
    uint64_t sm_active_min, sm_active_max; /* cycles, over SMs that had work */
    uint32_t sms_used;
    uint64_t warp_instructions, thread_instructions; /* as executed by the functional machine */
    struct sm_counters sm;                           /* sums over SMs */
    struct mem_counters mem;
    uint64_t config_hash;
    uint64_t likeness;   /* launches with the same number are alike (gpu/likeness.h) (0: unknown) */
    uint64_t trace;      /* of a replay: launches with the same number have the same trace (0: not known) */
    bool repeats;        /* the result is that of an earlier launch with the same trace (gpu/repeats.h) */
    double host_seconds; /* wall time of the run. The only value that differs between runs */
    unsigned threads;    /* host threads; does not influence any other value */
};

/* Returns the estimate of the whole kernel where it was timed in part and the rest was projected; else 0. */
static inline uint64_t result_estimated_cycles(const struct kernel_result *r)
{
    return r->estimate.kind == ESTIMATE_PROJECTED ? (uint64_t)r->estimate.value : 0;
}

/* Returns true if the plan chose the timed part, not a limit: the launch represents the whole kernel. */
static inline bool result_is_chosen(const struct kernel_result *r)
{
    return r->stop == STOP_SAMPLED || r->stop == STOP_HYBRID;
}

/* Returns the cycles of the whole kernel as far as they are known: timed, or projected. */
static inline uint64_t result_cycles(const struct kernel_result *r)
{
    return r->estimate.kind == ESTIMATE_PROJECTED ? (uint64_t)r->estimate.value : r->cycles;
}

/* Returns whether the CTAs form clusters of more than one. */
static inline bool result_has_clusters(const struct kernel_result *r)
{
    return r->cluster[0] > 1 || r->cluster[1] > 1 || r->cluster[2] > 1;
}

/* Returns whether a limit has ended the launch and nothing has executed the rest: memory is not as after the whole
 * kernel. */
static inline bool result_is_cut(const struct kernel_result *r) { return r->stop != STOP_NONE && !r->rest_executed; }

const char *occupancy_limit_name(enum occupancy_limit limit);
/* "cycles"; "none" of STOP_NONE. */
const char *result_stop_name(enum result_stop stop);
/* The option that asks for it, "--until-cycles". */
const char *result_stop_option(enum result_stop stop);

#endif
