/* Barriers for a CTA, for groups of warps, and for a warp. */
#include <math.h>

#include "instruction.h"
#include "measures.h"

enum { GROUP = 4 }; /* warps of one in barrier_group */

static double cost(struct measure_run *run, const char *kernel, unsigned warps)
{
    const struct unit p = {.b = UINT32_MAX};
    return unit_difference(run, kernel, warps, &p) / UNIT_BARRIER;
}

static void run_barrier(struct measure_run *run)
{
    for (unsigned warps = 1; warps <= 32 && !run->failed; warps *= 2) {
        struct measure_row *row = bench_row(run, " ");
        row->cell[0] = warps;
        row->cell[1] = cost(run, "barrier_cta", warps);
        if (warps >= GROUP && warps <= 4 * GROUP)
            row->cell[2] = cost(run, "barrier_group", warps);
        row->cell[3] = cost(run, "barrier_warp", warps);
        bench_value(run, row->cell[1], "barrier.cta.%u", warps);
        if (!isnan(row->cell[2]))
            bench_value(run, row->cell[2], "barrier.group.%u", warps);
        if (warps == 1)
            bench_value(run, row->cell[3], "barrier.warp");
    }
}

const struct measure measure_barrier = {
    .name = "barrier",
    .title = "barriers",
    .about =
        "Barrier after barrier: cycles of each by the warps of the CTA. Groups: each four warps have a named barrier "
        "of their own. Warp: __syncwarp, which compilers make a NOP where they know that no lane is away.",
    .column = {{"warps", 0}, {"CTA", 2}, {"groups of 4", 2}, {"warp", 2}},
    .columns = 4,
    .plot = {.x = "warps", .y = "cycles", .x_scale = SCALE_LOG, .across = {"barrier.cta.1"}},
    .run = run_barrier,
};
