/* The path that FP32 and integers share, the FP64 unit, warps, chains in loops, and an L1 that is written: a paper's
 * measurements of an RTX 5080 and an H100 beside each other (docs/blackwell-paper.md). */
#include <math.h>
#include <stdio.h>

#include "instruction.h"
#include "measures.h"

enum { FIRST_ARCHITECTURE = 90, WARPS = 32 };

/* ---- one instruction, one after another, and with all warps ------------------------------------------------------ */

struct pipe {
    const char *name, *label;
    unsigned instructions; /* of a step */
    unsigned architecture; /* first one that has the kernel */
};

static const struct pipe pipes[] = {
    {"imad", "IMAD", 1, 70},
    {"iadd3", "IADD3", 1, 70},
    {"lop3", "LOP3", 1, 70},
    {"ffma", "FFMA", 1, 70},
    {"dfma", "DFMA", 1, 70},
    {"imad_ffma", "IMAD, FFMA in turn", 2, FIRST_ARCHITECTURE},
    {"iadd3_ffma", "IADD3, FFMA in turn", 2, FIRST_ARCHITECTURE},
    {"lop3_ffma", "LOP3, FFMA in turn", 2, FIRST_ARCHITECTURE},
    {"converted", "IMAD, I2F, FFMA, F2I in turn", 4, FIRST_ARCHITECTURE},
};

static void add_pipe(struct measure_run *run, const struct pipe *p)
{
    char kernel[MEASURE_TEXT];
    snprintf(kernel, sizeof kernel, "unit_%s", p->name);
    struct measure_row *row = bench_row(run, "%s", p->label);
    row->cell[0] = unit_latency(run, kernel);
    row->cell[1] = row->cell[0] / p->instructions;
    row->cell[2] = WARPS / (unit_rate(run, kernel, WARPS) * p->instructions);
    bench_value(run, row->cell[1], "pipes.chain.%s", p->name);
    bench_value(run, row->cell[2], "pipes.full.%s", p->name);
}

static void run_pipes(struct measure_run *run)
{
    unsigned architecture = run->device->gpu.architecture;
    for (size_t k = 0; k < sizeof pipes / sizeof pipes[0] && !run->failed; k++)
        if (pipes[k].architecture <= architecture)
            add_pipe(run, &pipes[k]);
    if (architecture < FIRST_ARCHITECTURE)
        return;
    struct unit p = {.first = 3, .b = 0x3f80101, .c = 0x10203};
    bench_value(run, unit_cycles(run, "clock_pair", 1, &p), "pipes.clock");
    for (p.streams = 1; p.streams <= 2; p.streams++)
        bench_value(run, unit_cycles(run, "unwaited_dfma", 1, &p), "pipes.unwaited.dfma.%u", p.streams);
}

const struct measure measure_pipes = {
    .name = "pipes",
    .title = "FP32, integers and FP64, alone and in turn",
    .about = "Cycles of a step of one chain of one warp, and of each of its instructions; cycles of an instruction of "
             "one warp where 32 warps have four chains each. A step of two kinds takes the result of one by the "
             "other. From sm_90 on also two readings of the clock with nothing between them, and one or two dependent "
             "DFMA between two readings of which the second does not wait for the last.",
    .label = "instructions",
    .column = {{"a step", 2}, {"one warp", 2}, {"32 warps", 2}},
    .columns = 3,
    .plot = {.x = "", .y = "cycles of an instruction", .first = 1, .series = 2},
    .run = run_pipes,
};

/* ---- warps and chains -------------------------------------------------------------------------------------------- */

/* One chain in each warp, in a loop of 64 instructions: the difference of two lengths. */
static double one_chain(struct measure_run *run, const char *name, unsigned warps)
{
    enum { LENGTH = 64, TURNS = 4 };
    char kernel[MEASURE_TEXT];
    struct unit p = {.first = 3, .b = 0x3f80101, .c = 0x10203, .streams = LENGTH, .step = TURNS};
    if (run->device->gpu.architecture < FIRST_ARCHITECTURE)
        return NAN;
    snprintf(kernel, sizeof kernel, "looped_%s", name);
    double shorter = unit_cycles(run, kernel, warps, &p);
    p.step = 3 * TURNS;
    return 2.0 * TURNS * LENGTH * warps / (unit_cycles(run, kernel, warps, &p) - shorter);
}

static void run_warps(struct measure_run *run)
{
    static const char *const name[] = {"ffma", "imad", "dfma"};
    enum { KINDS = sizeof name / sizeof name[0] };
    for (unsigned warps = 1; warps <= WARPS && !run->failed; warps *= run->quick ? WARPS : 2) {
        struct measure_row *row = bench_row(run, " ");
        row->cell[0] = warps;
        for (unsigned k = 0; k < KINDS; k++) {
            char kernel[MEASURE_TEXT];
            snprintf(kernel, sizeof kernel, "unit_%s", name[k]);
            row->cell[1 + 2 * k] = one_chain(run, name[k], warps);
            row->cell[2 + 2 * k] = unit_rate(run, kernel, warps);
        }
    }
}

const struct measure measure_warps = {
    .name = "warps",
    .title = "throughput by warps and chains",
    .about = "Warp instructions a cycle of one SM by its warps, of which each has one chain (from sm_90 on) or four.",
    .column = {{"warps", 0}, {"FFMA 1", 3}, {"FFMA 4", 3}, {"IMAD 1", 3}, {"IMAD 4", 3}, {"DFMA 1", 4}, {"DFMA 4", 4}},
    .columns = 7,
    .plot = {.x = "warps", .y = "warp instructions a cycle", .x_scale = SCALE_LOG, .y_scale = SCALE_LOG},
    .run = run_warps,
};

/* ---- chains in loops --------------------------------------------------------------------------------------------- */

static void run_loops(struct measure_run *run)
{
    enum { INSTRUCTIONS = 1024, QUICK = 128, LONGEST = 64 };
    static const char *const kernel[] = {"looped_imad", "looped_ffma", "looped_dfma"};
    unsigned instructions = run->quick ? QUICK : INSTRUCTIONS;
    if (run->device->gpu.architecture < FIRST_ARCHITECTURE)
        return;
    for (unsigned length = 1; length <= LONGEST && !run->failed; length *= run->quick ? LONGEST : 2) {
        const struct unit p = {
            .first = 3, .b = 0x3f80101, .c = 0x10203, .streams = length, .step = instructions / length};
        struct measure_row *row = bench_row(run, " ");
        row->cell[0] = length;
        for (unsigned k = 0; k < 3; k++) {
            row->cell[1 + k] = unit_cycles(run, kernel[k], 1, &p);
            row->cell[4 + k] = instructions / row->cell[1 + k];
        }
    }
}

const struct measure measure_loops = {
    .name = "loops",
    .title = "dependent chains in loops by length",
    .about = "One warp, 1024 dependent instructions (128 in the quick form) in a loop, so many of them in a turn: all "
             "cycles, and instructions a cycle. GPUs before sm_90 have no rows.",
    .column = {{"in a turn", 0},
               {"IMAD cycles", 0},
               {"FFMA cycles", 0},
               {"DFMA cycles", 0},
               {"IMAD/cycle", 4},
               {"FFMA/cycle", 4},
               {"DFMA/cycle", 4}},
    .columns = 7,
    .plot = {.x = "instructions in a turn", .y = "instructions a cycle", .first = 4, .x_scale = SCALE_LOG},
    .run = run_loops,
};

/* ---- an L1 that is written --------------------------------------------------------------------------------------- */

/* The parameters of rewrite. */
struct pattern {
    uint64_t base, out, offset;
    uint32_t rounds, advance, flip, wrap;
};

static double span_of(struct measure_run *run, uint64_t base, uint64_t out, unsigned warps, uint32_t rounds)
{
    const struct pattern p = {.base = base, .out = out, .rounds = rounds};
    bench_launch(run, "rewrite", 1, BENCH_LANES * warps, 0, &p, sizeof p);
    return bench_span(run, out, warps, false);
}

static void run_rewrite(struct measure_run *run)
{
    static const unsigned warps[] = {1, 2, 4, 8, 16, 24, 32};
    enum { POINTS = sizeof warps / sizeof warps[0], SHORT = 32 };
    if (run->device->gpu.architecture < FIRST_ARCHITECTURE)
        return;
    uint64_t base = bench_alloc(run, 4u * BENCH_LANES * WARPS), out = bench_alloc(run, 16 * WARPS);
    for (unsigned i = 0; i < POINTS && !run->failed; i++) {
        if (run->quick && warps[i] != 1 && warps[i] < 16)
            continue;
        struct measure_row *row = bench_row(run, " ");
        double shorter = span_of(run, base, out, warps[i], SHORT),
               longer = span_of(run, base, out, warps[i], 3 * SHORT);
        row->cell[0] = warps[i];
        row->cell[1] = (longer - shorter) / (2 * SHORT);
        row->cell[2] = 4.0 * BENCH_LANES * warps[i] / row->cell[1];
        bench_value(run, row->cell[1], "rewrite.%u", warps[i]);
    }
}

const struct measure measure_rewrite = {
    .name = "rewrite",
    .title = "words that are read and written in turn, by warps",
    .about =
        "One SM: each thread adds to a word of its own again and again, by a load, which hits the L1, and a store, "
        "which goes to the L2. Cycles of a turn, and bytes a cycle that are stored. GPUs before sm_90 have no rows.",
    .column = {{"warps", 0}, {"cycles", 1}, {"B/cycle", 1}},
    .columns = 3,
    .plot = {.x = "warps", .y = "cycles of a turn", .series = 1, .x_scale = SCALE_LOG, .y_scale = SCALE_LOG},
    .run = run_rewrite,
};
