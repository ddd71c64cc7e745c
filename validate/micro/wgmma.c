/* Matrix multiplications of a warpgroup (wgmma) by type, columns and place of A. */
#include <stdio.h>

#include "instruction.h"
#include "measures.h"

struct product {
    const char *name, *label;
    unsigned columns, depth;
    bool quick; /* also measured when there is little time */
};

static const struct product all[] = {
    {"f16_ss_8", "m64n8k16 FP16", 8, 16, true},
    {"f16_ss_16", "m64n16k16 FP16", 16, 16, false},
    {"f16_ss_32", "m64n32k16 FP16", 32, 16, false},
    {"f16_ss_64", "m64n64k16 FP16", 64, 16, true},
    {"f16_ss_128", "m64n128k16 FP16", 128, 16, true},
    {"f16_ss_256", "m64n256k16 FP16", 256, 16, true},
    {"f16_rs_8", "m64n8k16 FP16, A in registers", 8, 16, false},
    {"f16_rs_16", "m64n16k16 FP16, A in registers", 16, 16, false},
    {"f16_rs_32", "m64n32k16 FP16, A in registers", 32, 16, false},
    {"f16_rs_64", "m64n64k16 FP16, A in registers", 64, 16, true},
    {"f16_rs_128", "m64n128k16 FP16, A in registers", 128, 16, false},
    {"f16_rs_256", "m64n256k16 FP16, A in registers", 256, 16, true},
    {"bf16_ss_256", "m64n256k16 BF16", 256, 16, false},
    {"tf32_ss_256", "m64n256k8 TF32", 256, 8, true},
    {"e4m3_ss_256", "m64n256k32 E4M3", 256, 32, true},
    {"s8_ss_256", "m64n256k32 INT8", 256, 32, true},
};

enum { ROWS = 64, WARPS = 4, LONGER = 16 /* products by which the long run is longer */ };

static double cycles_of(struct measure_run *run, const struct product *p, bool alone)
{
    char kernel[MEASURE_TEXT];
    const struct unit unit = {.streams = alone};
    snprintf(kernel, sizeof kernel, "warpgroup_%s", p->name);
    return unit_difference(run, kernel, WARPS, &unit) / LONGER;
}

static void run_wgmma(struct measure_run *run)
{
    if (run->device->gpu.architecture / 10 != 9)
        return;
    for (unsigned k = 0; k < sizeof all / sizeof all[0] && !run->failed; k++) {
        const struct product *p = &all[k];
        if (run->quick && !p->quick)
            continue;
        struct measure_row *row = bench_row(run, "%s", p->label);
        row->cell[0] = p->columns;
        row->cell[1] = cycles_of(run, p, true);
        row->cell[2] = cycles_of(run, p, false);
        row->cell[3] = (double)ROWS * p->columns * p->depth / row->cell[2];
        bench_value(run, row->cell[1], "wgmma.latency.%s", p->name);
        bench_value(run, row->cell[2], "wgmma.interval.%s", p->name);
    }
}

const struct measure measure_wgmma = {
    .name = "wgmma",
    .title = "matrix multiplications of a warpgroup (wgmma)",
    .about = "One SM, one warpgroup, 64 rows. Cycles of a product with fence and wait, of one in a train into the same "
             "accumulators, and multiply-adds a cycle of the latter. The operands are in shared memory unless the form "
             "says otherwise. Only sm_90 has these instructions.",
    .label = "form",
    .column = {{"columns", 0}, {"alone", 1}, {"in a train", 1}, {"FMA/cycle", 1}},
    .columns = 4,
    .plot = {.x = "", .y = "FMA a cycle and SM", .first = 3, .series = 1},
    .run = run_wgmma,
};
