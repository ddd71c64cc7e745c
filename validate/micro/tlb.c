/* Reach of the TLBs: a chase with one line in each 2 MiB page. */
#include "measures.h"

#include <math.h>

#include "bench.h"

/* Cycles of a hop over so many pages, in the L2. Lines of different pages fall into different sets. */
static double hop_at(struct measure_run *run, uint64_t base, unsigned pages)
{
    struct chain chain = {.lines = pages, .stride = BENCH_PAGE + BENCH_LINE, .warm = 1, .lap = pages, .hops = pages};
    if (chain.hops < 128)
        chain.hops = 128;
    if (chain.hops > 512)
        chain.hops = 512;
    return chain_time(run, "chase_l2", base, &chain);
}

/* Few pages have few lines, and these lie in slices near or far: the mean of some places. */
static double hop(struct measure_run *run, uint64_t base, unsigned pages)
{
    enum { PLACES = 16, APART = 40 * BENCH_LINE };
    unsigned places = pages < 64 ? PLACES : 1;
    double sum = 0;
    for (unsigned place = 0; place < places; place++)
        sum += hop_at(run, base + (uint64_t)place * APART, pages);
    return sum / places;
}

static void run(struct measure_run *run)
{
    static const unsigned fine[] = {1, 4, 8, 12, 14, 15, 16, 17, 18, 20, 24, 32, 64, 256},
                          coarse[] = {1024, 2048, 3072, 4096, 5120, 6144};
    enum { FINE = sizeof fine / sizeof fine[0], COARSE = sizeof coarse / sizeof coarse[0] };
    unsigned more = 0; /* of the coarse ones: as many as the device memory has room for */
    while (!run->quick && more < COARSE && (uint64_t)coarse[more] * BENCH_PAGE / 8 * 9 < run->device->gpu.memory)
        more++;
    unsigned most = more > 0 ? coarse[more - 1] : fine[FINE - 1];
    uint64_t base = bench_alloc(run, (uint64_t)(most + 2) * (BENCH_PAGE + BENCH_LINE));
    double inside = 0, outside = 0, beyond = 0;
    double few = 0, many = 0; /* sums of rows within 16 pages, and of some beyond */
    unsigned few_rows = 0, many_rows = 0;
    unsigned reach = 0, second = 0;
    for (unsigned i = 0; i < FINE + more && !run->failed; i++) {
        unsigned pages = i < FINE ? fine[i] : coarse[i - FINE];
        struct measure_row *row = bench_row(run, " ");
        row->cell[0] = pages;
        row->cell[1] = hop(run, base, pages);
        inside = pages == 8 ? row->cell[1] : inside;
        outside = pages == 256 ? row->cell[1] : outside;
        beyond = row->cell[1];
        if (pages >= 8 && pages <= 16) {
            few += row->cell[1];
            few_rows++;
        } else if (pages > 16 && pages < 64) {
            many += row->cell[1];
            many_rows++;
        }
        if (pages >= 8 && row->cell[1] < inside + 3)
            reach = pages;
        if (outside > 0 && row->cell[1] < outside + 3)
            second = pages;
    }
    bench_value(run, many / many_rows - few / few_rows, "tlb.step");
    bench_value(run, reach == 256 ? NAN : 2.0 * reach, "tlb.reach");
    if (run->quick)
        return;
    bool seen = second > 256 && second < most;
    bench_value(run, seen ? beyond - outside : NAN, "tlb.step.gpc");
    bench_value(run, seen ? 2.0 * second / 1024 : NAN, "tlb.reach.gpc");
}

const struct measure measure_tlb = {
    .name = "tlb",
    .title = "reach of the TLBs",
    .about = "A chase with one line in each page of 2 MiB; all lines are in the L2, none in the L1.",
    .column = {{"pages", 0}, {"cycles", 1}},
    .columns = 2,
    .plot = {.x = "pages of 2 MiB", .y = "cycles of a hop", .x_scale = SCALE_LOG},
    .run = run,
};
