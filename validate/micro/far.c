/* The two partitions of an L2, seen from one SM: hits and misses near and far. */
#include "measures.h"

#include <math.h>
#include <stdlib.h>

#include "bench.h"

enum { HOPS = 256, FINE_ROOM = 512, REGION = 4 << 20, LINES = REGION / BENCH_LINE, SKIPPED = 16 };

/* Times of hops in one region, sorted, and the widest gap in them. */
struct hops {
    uint32_t time[HOPS];
    double low, high; /* means below and above the gap. The same when there is none */
    double share;     /* of hops above */
};

static int by_time(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static double mean_of(const uint32_t *time, unsigned from, unsigned to)
{
    double sum = 0;
    for (unsigned i = from; i < to; i++)
        sum += time[i];
    return sum / (to - from);
}

/* Two groups when their means are further apart than both are wide (the cut is the one with the least spread within
 * the groups). The first hops bring page tables, a fortieth at each end is left out. */
static void split(struct hops *h, const uint32_t *time)
{
    enum { COUNT = HOPS - SKIPPED, CUT = COUNT / 40, LEAST = COUNT / 8 };
    for (unsigned i = 0; i < COUNT; i++)
        h->time[i] = time[SKIPPED + i];
    qsort(h->time, COUNT, sizeof h->time[0], by_time);
    double best = 0;
    h->low = h->high = mean_of(h->time, CUT, COUNT - CUT);
    h->share = 0;
    for (unsigned at = LEAST; at < COUNT - LEAST; at++) {
        double low = mean_of(h->time, CUT, at), high = mean_of(h->time, at, COUNT - CUT);
        double between = (high - low) * (high - low) * (at - CUT) * (COUNT - CUT - at);
        double gap = (double)h->time[at] - h->time[at - 1];
        if (between > best && gap > 0.2 * (high - low) && high > 1.07 * low) {
            best = between;
            h->low = low;
            h->high = high;
            h->share = (double)(COUNT - at) / COUNT;
        }
    }
}

/* A random chain of lines in a region, none of them the first in a page, which is read for its translation. */
static uint64_t lay_chain(struct measure_run *run, uint64_t base, uint32_t seed)
{
    uint32_t order[HOPS + 1];
    uint8_t *taken = calloc(LINES, 1);
    for (unsigned i = 0; taken && i <= HOPS; i++) {
        do
            order[i] = bench_random(&seed) % LINES;
        while (taken[order[i]] || order[i] % (BENCH_PAGE / BENCH_LINE) == 0);
        taken[order[i]] = 1;
    }
    if (!taken)
        bench_fail(run, "out of memory");
    free(taken);
    for (unsigned i = 0; i < HOPS && !run->failed; i++) {
        uint64_t to = base + (uint64_t)order[i + 1] * BENCH_LINE;
        bench_write(run, base + (uint64_t)order[i] * BENCH_LINE, &to, sizeof to);
    }
    return base + (uint64_t)order[0] * BENCH_LINE;
}

/* The cost of timing each hop by itself: on a chain in the L1, timed as a whole and hop by hop. */
static double overhead(struct measure_run *run)
{
    enum { SMALL = 32, COUNT = 256 };
    uint64_t base = bench_alloc(run, SMALL * BENCH_LINE);
    const struct chain whole = {.lines = SMALL, .stride = BENCH_LINE, .lap = 2 * SMALL, .hops = COUNT};
    double hop = chain_time(run, "chase_ca", base, &whole);
    struct {
        uint64_t first, out;
        uint32_t lap, hops;
    } p = {.first = base, .lap = 2 * SMALL, .hops = COUNT};
    uint32_t time[COUNT];
    p.out = bench_alloc(run, sizeof time);
    bench_launch(run, "fine_ca", 1, 32, 0, &p, sizeof p);
    bench_read(run, time, p.out, sizeof time);
    return mean_of(time, 0, COUNT) - hop;
}

/* SM `timer` walks a region that `toucher` has read, and one that nobody has. */
static void pair(struct measure_run *run, unsigned toucher, unsigned timer, struct hops *hit, struct hops *miss)
{
    struct {
        uint64_t base, out, flag, first[2];
        uint32_t toucher, timer, lines, stride, hops, pages;
    } p = {.toucher = toucher,
           .timer = timer,
           .lines = LINES,
           .stride = BENCH_LINE,
           .hops = HOPS,
           .pages = 2 * REGION / BENCH_PAGE};
    uint32_t time[2 * FINE_ROOM];
    p.base = bench_alloc(run, 2 * REGION);
    p.out = bench_alloc(run, sizeof time);
    p.flag = bench_alloc(run, 64);
    p.first[0] = lay_chain(run, p.base, 1 + toucher);
    p.first[1] = lay_chain(run, p.base + REGION, 1001 + toucher);
    bench_flush(run);
    bench_launch(run, "far_hops", run->device->gpu.sms, 1024, 0, &p, sizeof p);
    bench_read(run, time, p.out, sizeof time);
    split(hit, time);
    split(miss, time + FINE_ROOM);
    bench_release(run);
}

static void run(struct measure_run *run)
{
    double extra = overhead(run), far_hit = 0, near_hit = 0, near_miss = 0, far_miss = 0;
    unsigned pairs = run->quick ? 9 : 17, found = 0, misses = 0;
    bench_release(run);
    for (unsigned i = 1; i < pairs && i < run->device->gpu.sms && !run->failed; i++) {
        struct hops hit, miss;
        unsigned toucher = run->device->gpu.sms - i; /* every second one is the other SM of a TPC */
        pair(run, toucher, 0, &hit, &miss);
        struct measure_row *row = bench_row(run, "SM %u, then SM 0", toucher);
        row->cell[0] = hit.low - extra;
        row->cell[1] = hit.share > 0 ? hit.high - extra : NAN;
        row->cell[2] = miss.low - extra;
        row->cell[3] = miss.share > 0 ? miss.high - extra : NAN;
        row->cell[4] = 100 * hit.share;
        near_hit += hit.low - extra;
        near_miss += miss.low - extra;
        if (hit.share > 0) {
            far_hit += hit.high - extra;
            found++;
        }
        if (miss.share > 0) {
            far_miss += miss.high - extra;
            misses++;
        }
    }
    if (run->rows == 0)
        return;
    bench_value(run, near_hit / (double)run->rows, "far.hit.near");
    bench_value(run, near_miss / (double)run->rows, "far.miss.near");
    bench_value(run, found > 0 ? far_hit / found : NAN, "far.hit.far");
    bench_value(run, misses > 0 ? far_miss / misses : NAN, "far.miss.far");
}

const struct measure measure_far = {
    .name = "far",
    .title = "near and far partition of the L2",
    .about = "An SM reads 4 MiB, then SM 0 follows a random chain through them, and one through memory that no SM has "
             "read; each hop is timed by itself. Where the times fall into two groups, the means of both are given.",
    .label = "who reads",
    .column = {{"near hit", 1}, {"far hit", 1}, {"near miss", 1}, {"far miss", 1}, {"% far", 0}},
    .columns = 5,
    .plot = {.x = "",
             .y = "cycles",
             .series = 4,
             .across = {"far.hit.near", "far.hit.far", "far.miss.near", "far.miss.far"}},
    .run = run,
};
