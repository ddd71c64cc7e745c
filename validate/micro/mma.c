/* Matrix multiplications of warps (mma.sync) by type, shape, chains and warps. */
#include <math.h>
#include <stdio.h>

#include "instruction.h"
#include "measures.h"

struct matrix {
    const char *name, *label;
    unsigned products;    /* multiply-adds of one */
    unsigned first, last; /* architectures */
    bool fp64, small;
};

static const struct matrix all[] = {
    {"f16_f16_884", "m8n8k4 FP16, FP16", 4 * 8 * 8 * 4, 70, 72, false, false}, /* of four quad pairs */
    {"f16_f32_884", "m8n8k4 FP16, FP32", 4 * 8 * 8 * 4, 70, 72, false, false},
    {"f16_f16_1688", "m16n8k8 FP16, FP16", 16 * 8 * 8, 75, 999, false, false},
    {"f16_f32_1688", "m16n8k8 FP16, FP32", 16 * 8 * 8, 75, 999, false, false},
    {"f16_f16_16816", "m16n8k16 FP16, FP16", 16 * 8 * 16, 80, 999, false, false},
    {"f16_f32_16816", "m16n8k16 FP16, FP32", 16 * 8 * 16, 80, 999, false, false},
    {"bf16_f32_16816", "m16n8k16 BF16, FP32", 16 * 8 * 16, 80, 999, false, false},
    {"tf32_f32_1688", "m16n8k8 TF32, FP32", 16 * 8 * 8, 80, 999, false, false},
    {"s8_8816", "m8n8k16 INT8, INT32", 8 * 8 * 16, 75, 99, false, false}, /* later ones have no such instruction */
    {"s8_16832", "m16n8k32 INT8, INT32", 16 * 8 * 32, 80, 999, false, false},
    {"e4m3_f32_16832", "m16n8k32 E4M3, FP32", 16 * 8 * 32, 90, 999, false, true},
    {"e5m2_f32_16832", "m16n8k32 E5M2, FP32", 16 * 8 * 32, 90, 999, false, true},
    {"e4m3_f16_16832", "m16n8k32 E4M3, FP16", 16 * 8 * 32, 120, 999, false, true},
    {"e3m2_f32_16832", "m16n8k32 E3M2, FP32", 16 * 8 * 32, 120, 999, false, true},
    {"e2m3_f32_16832", "m16n8k32 E2M3, FP32", 16 * 8 * 32, 120, 999, false, true},
    {"e2m1_f32_16832", "m16n8k32 E2M1, FP32", 16 * 8 * 32, 120, 999, false, true},
    {"mxf8_16832", "m16n8k32 E4M3 scaled by 32, FP32", 16 * 8 * 32, 120, 999, false, true},
    {"mxf6_16832", "m16n8k32 E3M2 scaled by 32, FP32", 16 * 8 * 32, 120, 999, false, true},
    {"mxf4_16864", "m16n8k64 E2M1 scaled by 32, FP32", 16 * 8 * 64, 120, 999, false, true},
    {"nvf4_16864", "m16n8k64 E2M1 scaled by 16, FP32", 16 * 8 * 64, 120, 999, false, true},
    {"f64_884", "m8n8k4 FP64, FP64", 8 * 8 * 4, 80, 999, true, false},
};

enum { ALL = sizeof all / sizeof all[0], CHAINS = 6, RATE_CHAINS = 6, RATE_WARPS = 32, WARPS = 32 };

/* GeForce and workstation chips do FP64 on the few lanes they have: the kernel is not built for them. Types of 8 bits
 * and less are measured where the module has their kernels (small.cuh). */
static bool has(const struct measure_gpu *gpu, const struct matrix *m)
{
    unsigned a = gpu->architecture;
    return a >= m->first && a <= m->last && (!m->fp64 || a == 80 || a / 10 == 9 || a / 10 == 10) &&
           (!m->small || a / 10 == 9 || a / 10 == 12);
}

/* Cycles that all chains take for one step. */
static double step_cycles(struct measure_run *run, const struct matrix *m, unsigned chains, unsigned warps)
{
    char kernel[MEASURE_TEXT];
    const struct unit p = {.step = 1, .first = 3, .b = 0x101, .c = 0x203, .streams = chains};
    snprintf(kernel, sizeof kernel, "matrix_%s", m->name);
    return unit_difference(run, kernel, warps, &p) / UNIT_MATRIX;
}

static double add_point(struct measure_run *run, const struct matrix *m, unsigned chains, unsigned warps)
{
    struct measure_row *row = bench_row(run, "%s", m->label);
    double cycles = step_cycles(run, m, chains, warps);
    row->cell[0] = chains;
    row->cell[1] = warps;
    row->cell[2] = cycles;
    row->cell[3] = (double)chains * warps * m->products / cycles;
    row->cell[4] = 4 * cycles / ((double)chains * warps);
    if (chains == 1 && warps == 1)
        bench_value(run, cycles, "mma.latency.%s", m->name);
    if (chains == RATE_CHAINS && warps == RATE_WARPS)
        bench_value(run, row->cell[3], "mma.rate.%s", m->name);
    return cycles;
}

static void run_mma(struct measure_run *run)
{
    for (unsigned k = 0; k < ALL && !run->failed; k++) {
        if (!has(&run->device->gpu, &all[k]))
            continue;
        if (run->quick) {
            add_point(run, &all[k], 1, 1);
            add_point(run, &all[k], RATE_CHAINS, RATE_WARPS);
            continue;
        }
        for (unsigned chains = 1; chains <= CHAINS; chains++)
            for (unsigned warps = 1; warps <= WARPS; warps *= 2)
                add_point(run, &all[k], chains, warps);
    }
}

const struct measure measure_mma = {
    .name = "mma",
    .title = "matrix multiplications of warps (mma.sync)",
    .about = "One SM: warps with independent chains, each through the accumulators. Cycles of a step of all chains (of "
             "one chain of one warp: the latency), multiply-adds a cycle, cycles of an instruction in a sub-core. On "
             "sm_90 compilers make conversions and two products of FP16 of one of FP8.",
    .label = "form",
    .column = {{"chains", 0}, {"warps", 0}, {"cycles a step", 2}, {"FMA/cycle", 1}, {"interval", 2}},
    .columns = 5,
    .keys = 2,
    .plot = {.x = "", .y = "FMA a cycle and SM", .first = 3, .series = 1, .y_scale = SCALE_LOG},
    .run = run_mma,
};
