/* Pointer chases: the latency of each level, and how much it holds. */
#include "measures.h"

#include <math.h>

#include "bench.h"

enum { FULL_LAP = 8192, SAMPLE = 512, QUICK_L2 = 60 << 20 };

struct chase {
    struct measure_run *run;
    uint64_t base;
};

/* Cycles of a hop over a footprint. Chains of some thousand lines are walked once before, so that the L1 is as a walk
 * leaves it. Of longer ones a part is walked, which begins where a walk's oldest lines are. */
static double hop(struct chase *c, const char *kernel, uint64_t bytes)
{
    const struct measure_gpu *gpu = &c->run->device->gpu;
    bool misses = gpu->cold && bytes >= 2 * gpu->l2; /* a warm walk would miss always, as a cold one does */
    struct chain chain = {.lines = bytes / BENCH_LINE, .stride = BENCH_LINE, .warm = misses ? 0 : 1, .hops = SAMPLE};
    if (chain.lines <= FULL_LAP) {
        chain.lap = (uint32_t)chain.lines;
        chain.hops = chain.lap < SAMPLE / 2 ? SAMPLE / 2 : chain.lap > 2 * SAMPLE ? 2 * SAMPLE : chain.lap;
    } else {
        chain.pages = (uint32_t)(bytes / BENCH_PAGE);
    }
    return chain_time(c->run, kernel, c->base, &chain);
}

static void add_point(struct chase *c, uint64_t bytes)
{
    struct measure_row *row = bench_row(c->run, " ");
    row->cell[0] = (double)bytes / 1024;
    row->cell[1] = hop(c, "chase_ca", bytes);
    row->cell[2] = hop(c, "chase_cg", bytes);
}

/* The footprint in KiB at which a hop takes `level` cycles, between `low` and `high`. NaN when it does not cross. */
static double crossing(struct chase *c, double level, double low, double high)
{
    double a = hop(c, "chase_ca", (uint64_t)low), b = hop(c, "chase_ca", (uint64_t)high);
    if (!(a < level && b > level))
        return NAN;
    double close = c->run->quick ? 1.07 : 1.03;
    while (high > close * low && !c->run->failed) {
        double middle = sqrt(low * high), m = hop(c, "chase_ca", (uint64_t)middle);
        if (m < level) {
            low = middle;
            a = m;
        } else {
            high = middle;
            b = m;
        }
    }
    return (low + (high - low) * (level - a) / (b - a)) / 1024;
}

/* Where half the way from one plateau to the next is gone. The second partition of an L2 shows as a plateau of its
 * own, at three quarters of the whole. */
static void find_knees(struct chase *c, double l1, double l2, double dram)
{
    const struct measure_gpu *gpu = &c->run->device->gpu;
    double bytes = (double)gpu->l2;
    bench_value(c->run, crossing(c, (l1 + l2) / 2, (double)gpu->l1 / 4, (double)gpu->l1 * 1.5), "chase.knee.l1");
    if (c->run->quick && gpu->l2 > QUICK_L2)
        return;
    double all = hop(c, "chase_ca", (uint64_t)(0.75 * bytes));
    if (all > 1.1 * l2) {
        bench_value(c->run, all, "chase.l2.whole");
        bench_value(c->run, crossing(c, (l2 + all) / 2, bytes / 4, 0.75 * bytes), "chase.knee.near");
        bench_value(c->run, crossing(c, (all + dram) / 2, 0.75 * bytes, 1.6 * bytes), "chase.knee.l2");
    } else {
        bench_value(c->run, NAN, "chase.knee.near");
        bench_value(c->run, crossing(c, (l2 + dram) / 2, 0.6 * bytes, 1.6 * bytes), "chase.knee.l2");
    }
}

static double shared_hop(struct measure_run *run)
{
    enum { WORDS = 1024, HOPS = 256 };
    uint32_t next[WORDS], last = 0;
    for (uint32_t i = 1; i <= WORDS; i++) { /* 389 is odd: all words, in an order without a pattern of banks */
        uint32_t to = i * 389 % WORDS;
        next[last] = 4 * to;
        last = to;
    }
    struct {
        uint64_t table, out;
        uint32_t count, hops;
    } p = {.count = WORDS, .hops = HOPS};
    uint64_t cycles = 0;
    p.table = bench_alloc(run, sizeof next);
    p.out = bench_alloc(run, 64);
    bench_write(run, p.table, next, sizeof next);
    bench_launch(run, "chase_shared", 1, 128, sizeof next, &p, sizeof p);
    bench_read(run, &cycles, p.out, sizeof cycles);
    return (double)cycles / HOPS;
}

static void run(struct measure_run *run)
{
    const struct measure_gpu *gpu = &run->device->gpu;
    uint64_t most = (gpu->cold ? 2 : 4) * gpu->l2;
    struct chase c = {.run = run, .base = bench_alloc(run, most + BENCH_PAGE)};
    double step = run->quick ? 4 : sqrt(2);
    for (double bytes = 4096; bytes < 0.9 * (double)most && !run->failed; bytes *= step)
        add_point(&c, (uint64_t)bytes);
    add_point(&c, most);
    double l1 = hop(&c, "chase_ca", 8192), l2 = hop(&c, "chase_ca", 1 << 20), dram = hop(&c, "chase_ca", most);
    bench_value(run, l1, "chase.l1");
    bench_value(run, shared_hop(run), "chase.shared");
    bench_value(run, l2, "chase.l2");
    bench_value(run, dram, "chase.dram");
    find_knees(&c, l1, l2, dram);
}

const struct measure measure_chase = {
    .name = "chase",
    .title = "pointer chase over footprints",
    .about = "One thread follows a random chain, a place in each line of 128 bytes. Cycles of a hop; .ca may hit the "
             "L1, .cg goes to the L2.",
    .column = {{"footprint KiB", 0}, {".ca cycles", 1}, {".cg cycles", 1}},
    .columns = 3,
    .plot = {.x = "footprint (KiB)",
             .y = "cycles of a hop",
             .x_scale = SCALE_LOG,
             .y_scale = SCALE_LOG,
             .across = {"chase.l1", "chase.l2", "far.hit.far", "chase.dram"},
             .down = {"chase.knee.l1", "chase.knee.near", "chase.knee.l2"}},
    .run = run,
};

/* ---- constant caches --------------------------------------------------------------------------------------------- */

enum { CONSTANT_WORDS = 960, CONSTANT_STRIDE = 64 };

/* Cycles of a dependent LDC over a footprint of `bytes`. */
static double constant_hop(struct measure_run *run, uint32_t bytes)
{
    struct {
        uint64_t out;
        uint32_t lap, hops, next[CONSTANT_WORDS];
    } p = {.hops = 256};
    uint32_t lines = bytes / CONSTANT_STRIDE;
    p.lap = lines;
    for (uint32_t i = 0; i < lines; i++)
        p.next[i * CONSTANT_STRIDE / 4] = (i + 1) % lines * CONSTANT_STRIDE;
    uint64_t cycles = 0;
    p.out = bench_alloc(run, 64);
    bench_launch(run, "chase_constant", 1, 32, 0, &p, sizeof p);
    bench_read(run, &cycles, p.out, sizeof cycles);
    bench_release(run);
    return (double)cycles / p.hops;
}

static void run_constant(struct measure_run *run)
{
    double first = 0, knee = NAN, last = 0;
    for (uint32_t bytes = 256; bytes <= 4 * CONSTANT_WORDS; bytes += run->quick ? 896 : 256) {
        struct measure_row *row = bench_row(run, " ");
        row->cell[0] = bytes;
        row->cell[1] = last = constant_hop(run, bytes);
        first = first > 0 ? first : last;
        if (isnan(knee) && last > 1.2 * first)
            knee = bytes;
    }
    bench_value(run, first, "constant.l0");
    bench_value(run, last, "constant.l15");
    if (!run->quick)
        bench_value(run, knee - 256, "constant.knee.l0");
}

const struct measure measure_constant = {
    .name = "constant",
    .title = "chase through the constant bank",
    .about = "One warp follows a chain of LDC through the parameters of its own kernel, a place in each 64 bytes.",
    .column = {{"footprint B", 0}, {"cycles", 1}},
    .columns = 2,
    .plot = {.x = "footprint (bytes)",
             .y = "cycles of a hop",
             .across = {"constant.l0", "constant.l15"},
             .down = {"constant.knee.l0"}},
    .run = run_constant,
};
