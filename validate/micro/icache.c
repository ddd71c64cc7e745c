/* Instruction caches: straight code of growing length. */
#include <math.h>

#include "bench.h"
#include "code_sizes.def"
#include "measures.h"

enum { TURNS = 16, COUNTED = 8, INSTRUCTIONS = 1024 / 16 };

/* The mean of the last turns through the code of this number (0: past it). */
static double turn_cycles(struct measure_run *run, uint32_t number)
{
    struct {
        uint64_t out;
        uint32_t size, first, b, c;
    } p = {.size = number, .first = 3, .b = 0x3f80101, .c = 0x10203};
    p.out = bench_alloc(run, TURNS * 16);
    bench_launch(run, "code_curve", 1, BENCH_LANES, 0, &p, sizeof p);
    double cycles = 0;
    for (unsigned turn = TURNS - COUNTED; turn < TURNS; turn++)
        cycles += bench_span(run, p.out + turn * 16, 1, false) / COUNTED;
    bench_release(run);
    return cycles;
}

/* Where a curve that rises from before size[at] crosses `level`. */
static double crossing(const uint32_t *size, const double *cost, unsigned at, double level)
{
    double share = (level - cost[at - 1]) / (cost[at] - cost[at - 1]);
    return size[at - 1] + share * (size[at] - size[at - 1]);
}

static void run_icache(struct measure_run *run)
{
#define SIZE(NUMBER, KIB, NEXT) KIB,
    static const uint32_t falling[] = {CODE_SIZES(SIZE)};
    enum { SIZES = sizeof falling / sizeof falling[0] };
    uint32_t size[SIZES];
    double cost[SIZES], least = INFINITY, none = turn_cycles(run, 0);
    for (unsigned i = 0; i < SIZES && !run->failed; i++) {
        size[i] = falling[SIZES - 1 - i];
        struct measure_row *row = bench_row(run, " ");
        cost[i] = (turn_cycles(run, i + 1) - none) / (INSTRUCTIONS * size[i]);
        least = cost[i] < least ? cost[i] : least;
        row->cell[0] = size[i];
        row->cell[1] = cost[i];
        bench_value(run, cost[i], "icache.%u", (unsigned)size[i]);
    }
    if (run->failed)
        return;
    unsigned flat = SIZES - 1, half = SIZES - 1;
    static const double same = 1.05;
    double level = (least + cost[SIZES - 1]) / 2;
    while (flat > 0 && cost[flat] > same * least)
        flat--;
    while (half > 0 && cost[half - 1] > level)
        half--;
    bench_value(run, size[flat], "icache.knee.flat");
    if (flat < SIZES - 1 && half > 0)
        bench_value(run, crossing(size, cost, half, level), "icache.knee.half");
}

const struct measure measure_icache = {
    .name = "icache",
    .title = "instruction caches",
    .about =
        "One warp goes through straight code of FFMA 16 times, and the last 8 count: cycles of an instruction "
        "of 16 bytes. Flat: up to where it costs no more than a twentieth above the least; half: from where it costs "
        "more than half of the additional cycles of the whole code.",
    .column = {{"KiB", 0}, {"cycles", 3}},
    .columns = 2,
    .plot = {.x = "KiB", .y = "cycles", .x_scale = SCALE_LOG, .down = {"icache.knee.flat", "icache.knee.half"}},
    .run = run_icache,
};
