/* Chains by length, and FP64 by warps. */
#include <math.h>

#include "instruction.h"
#include "measures.h"

static double length_cycles(struct measure_run *run, const char *kernel, uint32_t length)
{
    const struct unit p = {.first = 3, .b = 0x3f80101, .c = 0x10203, .streams = length};
    return unit_cycles(run, kernel, 1, &p);
}

static void run_length(struct measure_run *run)
{
    static const uint32_t length[] = {1, 2, 4, 8, 16, 32, 64, 256, 1024};
    double base[2] = {0, 0};
    for (unsigned i = 0; i < sizeof length / sizeof length[0] && !run->failed; i++) {
        struct measure_row *row = bench_row(run, " ");
        row->cell[0] = length[i];
        for (unsigned k = 0; k < 2; k++) {
            double cycles = length_cycles(run, k ? "length_imad" : "length_ffma", length[i]);
            row->cell[1 + 2 * k] = cycles;
            row->cell[2 + 2 * k] = cycles / length[i];
            if (length[i] == 64)
                base[k] = cycles;
            if (length[i] == 1024)
                bench_value(run, (cycles - base[k]) / (1024 - 64), "chain.%s", k ? "imad" : "ffma");
        }
    }
}

const struct measure measure_length = {
    .name = "chain",
    .title = "dependent chains by length",
    .about = "One warp, a chain of FFMA and one of IMAD between two readings of the clock, from 1 to 1024 steps: all "
             "cycles, with those of the clock and of the wait for the end of the chain, and cycles a step.",
    .column = {{"steps", 0}, {"FFMA cycles", 0}, {"FFMA a step", 2}, {"IMAD cycles", 0}, {"IMAD a step", 2}},
    .columns = 5,
    .plot = {.x = "steps", .y = "cycles", .x_scale = SCALE_LOG, .y_scale = SCALE_LOG},
    .run = run_length,
};

static void run_double(struct measure_run *run)
{
    for (unsigned warps = 1; warps <= 32 && !run->failed; warps *= run->quick ? 32 : 2) {
        struct measure_row *row = bench_row(run, " ");
        double one = 0;
        static const struct unit p = {.first = 3, .b = 0x3f80101, .c = 0x10203};
        one = unit_difference(run, "unit_dfma", warps, &p) / UNIT_CHAIN;
        row->cell[0] = warps;
        row->cell[1] = one;
        row->cell[2] = warps / one;
        row->cell[3] = unit_rate(run, "unit_dfma", warps);
        bench_value(run, row->cell[1], "double.latency.%u", warps);
        bench_value(run, row->cell[3], "double.rate.%u", warps);
    }
}

const struct measure measure_double = {
    .name = "double",
    .title = "FP64 by warps",
    .about = "Chains of DFMA of one SM by its warps: cycles of a step and warp instructions a cycle when each warp has "
             "one chain; warp instructions a cycle when it has four.",
    .column = {{"warps", 0}, {"cycles a step", 2}, {"one chain", 4}, {"four chains", 4}},
    .columns = 4,
    .plot = {.x = "warps", .y = "cycles a step; warp instructions a cycle", .x_scale = SCALE_LOG, .y_scale = SCALE_LOG},
    .run = run_double,
};
