/* Launches of a kernel that does nothing. */
#include <math.h>

#include "bench.h"
#include "measures.h"

enum { IN_A_ROW = 64, FEW = 64, MANY = 256 }; /* the last two: CTAs for each SM */

/* Microseconds. */
static double time_of(struct measure_run *run, unsigned ctas, unsigned threads, unsigned launches)
{
    const struct measure_device *d = run->device;
    double ns = 0;
    if (!run->failed && !d->repeat(d->self, "launch_empty", ctas, threads, launches, &ns))
        bench_fail(run, "launch_empty did not run");
    return ns / 1e3;
}

/* The time for so many CTAs, alone and with the largest CTAs, and of small grids behind another one. */
static void run_grid(struct measure_run *run, unsigned ctas, double alone[2])
{
    struct measure_row *row = bench_row(run, " ");
    row->cell[0] = ctas;
    row->cell[1] = alone[0] = time_of(run, ctas, BENCH_LANES, 1);
    if (ctas <= run->device->gpu.sms)
        row->cell[2] = (time_of(run, ctas, BENCH_LANES, 1 + IN_A_ROW) - alone[0]) / IN_A_ROW;
    if (!run->quick)
        row->cell[3] = alone[1] = time_of(run, ctas, 32 * BENCH_LANES, 1);
    if (ctas == 1) {
        bench_value(run, row->cell[1], "launch.alone");
        bench_value(run, row->cell[2], "launch.next");
    }
}

static void run_launch(struct measure_run *run)
{
    const struct measure_gpu *gpu = &run->device->gpu;
    double few[2], many[2];
    time_of(run, 1, BENCH_LANES, 1); /* drivers load a kernel when it is first launched */
    run_grid(run, 1, few);
    run_grid(run, gpu->sms, few);
    run_grid(run, FEW * gpu->sms, few);
    run_grid(run, MANY * gpu->sms, many);
    double ctas = (MANY - FEW) * (double)gpu->sms;
    bench_value(run, (many[0] - few[0]) * gpu->clock / ctas, "launch.cta.32");
    if (!run->quick)
        bench_value(run, (many[1] - few[1]) * gpu->clock / ctas, "launch.cta.1024");
}

const struct measure measure_launch = {
    .name = "launch",
    .title = "launches of an empty kernel",
    .about =
        "Microseconds from before a launch to after it: of one alone, and of each of 64 that follow another one at "
        "once. On a real GPU by events, so that the first includes the time of events, and the second "
        "is the time of the slower one of host and GPU. The simulator has the part of the GPU alone. Values "
        "launch.cta: cycles of "
        "each further CTA of a large grid.",
    .column = {{"CTAs", 0}, {"alone", 3}, {"each further", 3}, {"alone, 1024 threads a CTA", 3}},
    .columns = 4,
    .plot = {.x = "CTAs", .y = "us", .x_scale = SCALE_LOG, .y_scale = SCALE_LOG, .across = {"launch.next"}},
    .run = run_launch,
};
