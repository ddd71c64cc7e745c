/* Latency and throughput of instruction kinds, and mixes. */
#include <math.h>
#include <stdio.h>

#include "instruction.h"
#include "instructions.def"
#include "measures.h"

struct instruction {
    const char *name, *label;
    unsigned count, architecture;
};

#define ROW(NAME, LABEL, COUNT, ARCHITECTURE) {#NAME, LABEL, COUNT, ARCHITECTURE},
static const struct instruction all[] = {INSTRUCTIONS(ROW)};

enum { ALL = sizeof all / sizeof all[0], RATE_WARPS = 32 };

static void kernel_of(char kernel[MEASURE_TEXT], const struct instruction *i)
{
    snprintf(kernel, MEASURE_TEXT, "unit_%s", i->name);
}

static void run_latency(struct measure_run *run)
{
    for (unsigned k = 0; k < ALL && !run->failed; k++) {
        const struct instruction *i = &all[k];
        char kernel[MEASURE_TEXT];
        if (i->architecture > run->device->gpu.architecture)
            continue;
        kernel_of(kernel, i);
        struct measure_row *row = bench_row(run, "%s", i->label);
        row->cell[0] = unit_latency(run, kernel);
        bench_value(run, row->cell[0], "latency.%s", i->name);
    }
}

const struct measure measure_latency = {
    .name = "latency",
    .title = "latency of instructions",
    .about = "One warp, a chain of one kind of instruction, in straight code: cycles from one step to the next. Where "
             "a step takes two instructions, the row is the sum.",
    .label = "instruction",
    .column = {{"cycles", 2}},
    .columns = 1,
    .plot = {.x = "", .y = "cycles"},
    .run = run_latency,
};

/* ---- throughput -------------------------------------------------------------------------------------------------- */

static void add_rate(struct measure_run *run, const char *label, const char *kernel, const char *name, unsigned count)
{
    struct measure_row *row = bench_row(run, "%s", label);
    double steps = unit_rate(run, kernel, RATE_WARPS);
    row->cell[0] = steps * count;
    row->cell[1] = steps * BENCH_LANES;
    row->cell[2] = 4 / steps;
    bench_value(run, steps, "throughput.%s", name);
}

static void add_mix(struct measure_run *run, const char *other, unsigned ones, unsigned others)
{
    char label[MEASURE_TEXT], kernel[MEASURE_TEXT], name[MEASURE_TEXT];
    snprintf(label, sizeof label, "%u FFMA, %u %s", ones, others, other);
    snprintf(kernel, sizeof kernel, "mix_ffma_%s_%u_%u", other, ones, others);
    snprintf(name, sizeof name, "mix.ffma.%s.%u.%u", other, ones, others);
    add_rate(run, label, kernel, name, 1);
}

static void run_throughput(struct measure_run *run)
{
    static const char *const others[] = {"imad", "iadd3", "lop3"};
    for (unsigned k = 0; k < ALL && !run->failed; k++) {
        const struct instruction *i = &all[k];
        char kernel[MEASURE_TEXT];
        if (i->architecture > run->device->gpu.architecture)
            continue;
        kernel_of(kernel, i);
        add_rate(run, i->label, kernel, i->name, i->count);
    }
    for (unsigned k = 0; k < 3 && !run->failed; k++)
        for (unsigned count = 1; count < 4; count++)
            add_mix(run, others[k], 4 - count, count);
}

const struct measure measure_throughput = {
    .name = "throughput",
    .title = "throughput of instructions, alone and mixed",
    .about = "One SM, 32 warps with four chains each, in straight code. Warp instructions and, of steps of two "
             "instructions, results a cycle; cycles of a step in each sub-core. Mixes: of four chains so many of each.",
    .label = "instruction",
    .column = {{"instructions/cycle", 3}, {"results/cycle", 2}, {"cycles", 2}},
    .columns = 3,
    .plot = {.x = "", .y = "warp instructions a cycle", .series = 1},
    .run = run_throughput,
};
