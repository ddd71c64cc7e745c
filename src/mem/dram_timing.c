#include "mem/dram_timing.h"

#include <math.h>

/* Times that fill a whole number of clocks up to the clock's rounding are not made one longer. */
static uint32_t clocks(double ns, uint32_t ck, double tCK)
{
    double least = ceil(ns / tCK - 1e-6);
    return least > ck ? (uint32_t)least : ck;
}

void dram_timing_init(struct dram_timing *timing, const struct config *config)
{
    const struct config_standard *s = &config->standard;
    double tCK = config_dram_clock(config);
    double period = ldexp(tCK * config->gpu.clock * 1e-3, DRAM_CK_FRACTION);
    *timing = (struct dram_timing){
        .pseudo = s->pseudo,
        .groups = s->groups,
        .row_bus = s->row_bus,
        .ck_period = period < 1 ? 1 : (uint64_t)period,
    };
#define X(name) timing->name = clocks(s->name##_ns, s->name##_ck, tCK);
    DRAM_TIMINGS(X)
#undef X
    uint32_t before = timing->WL < timing->RL ? timing->RL - timing->WL : 0;
    timing->tRTW = before + DRAM_BURST + timing->tRTW_gap;
}
