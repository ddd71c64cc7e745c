/* A kernel_result as a run could leave it: every counter has a value of its own, and the relations hold that the model
 * keeps. */
#ifndef SUBCORE_TESTS_REPORT_SAMPLE_H
#define SUBCORE_TESTS_REPORT_SAMPLE_H

#include <string.h>

#include "base/hash.h"
#include "probe/result.h"

static inline void sample_counters(struct kernel_result *r, uint64_t seed)
{
    uint64_t n = 0;
#define X(name, kind, unit, text) r->sm.name = 1 + hash_mix(seed + n++) % 1000000;
    SM_COUNTERS(X)
#undef X
#define X(name, kind, unit, text) r->mem.name = 1 + hash_mix(seed + n++) % 1000000;
    MEM_COUNTERS(X)
#undef X
    for (unsigned i = 0; i < ISA_PIPE_COUNT; i++) {
        r->sm.pipe_inst[i] = hash_mix(seed + n++) % 100000;
        r->sm.pipe_cycles[i] = 2 * r->sm.pipe_inst[i];
    }
    r->sm.warp_cycles = 0;
    for (unsigned i = 0; i < STALL_COUNT; i++) {
        r->sm.stall[i] = hash_mix(seed + n++) % 1000000;
        r->sm.warp_cycles += r->sm.stall[i];
    }
    r->sm.issue_active = r->sm.inst_issued = r->sm.stall[STALL_SELECTED];
    r->sm.eligible_cycles = r->sm.stall[STALL_SELECTED] + r->sm.stall[STALL_NOT_SELECTED];
    r->sm.subcore_cycles_active = 3 * r->sm.issue_active;
    r->sm.cycles_active = r->sm.subcore_cycles_active / 4 + 10;
    uint64_t left = 4 * r->sm.cycles_active - r->sm.issue_active;
    memset(r->sm.cycle, 0, sizeof r->sm.cycle);
    r->sm.cycle[CYCLE_ISSUE] = r->sm.issue_active;
    for (unsigned i = 1; i < CYCLE_EVENT_COUNT; i++) {
        r->sm.cycle[i] = i + 1 < CYCLE_EVENT_COUNT ? hash_mix(seed + n++) % (left / 4 + 1) : left;
        left -= r->sm.cycle[i];
    }
}

static inline struct kernel_result sample(uint64_t seed)
{
    struct kernel_result r = {
        .gpu = "NVIDIA RTX A6000",
        .kernel = "saxpy",
        .module = "saxpy.cubin",
        .architecture = 86,
        .sms = 84,
        .clock_mhz = 1800,
        .dram_peak_gbs = 768,
        .grid = {256, 1, 1},
        .block = {16, 16, 1},
        .static_shared = 1024,
        .registers = 24,
        .detailed = true,
        .complete = true,
        .ctas = 256,
        .ctas_done = 256,
        .cycles = 123456,
        .launch_cycles = 1500,
        .sm_active_min = 1000,
        .sm_active_max = 2000,
        .sms_used = 64,
        .warp_instructions = 1234567,
        .thread_instructions = 34567890,
        .config_hash = 0xfedcba9876543210,
        .host_seconds = 1.5,
        .threads = 4,
    };
    r.occupancy = (struct occupancy){
        .ctas = {16, 6, 10, 50},
        .ctas_per_sm = 6,
        .limit = LIMIT_WARPS,
        .warps_per_cta = 8,
        .warps_per_sm = 48,
        .max_warps_per_sm = 48,
        .registers_per_warp = 768,
        .shared_per_cta = 2048,
        .carveout = 16384,
    };
    sample_counters(&r, seed);
    return r;
}

/* The same launch before anything was counted. */
static inline struct kernel_result sample_empty(void)
{
    struct kernel_result r = sample(1);
    memset(&r.sm, 0, sizeof r.sm);
    memset(&r.mem, 0, sizeof r.mem);
    r.cycles = r.sm_active_min = r.sm_active_max = 0;
    r.host_seconds = 0;
    return r;
}

#endif
