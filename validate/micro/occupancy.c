/* Latency under load: of shared memory and L1 by warps and strides, of the L2 by warps and CTAs. */
#include <math.h>
#include <stdlib.h>

#include "instruction.h"
#include "measures.h"

/* The parameters of shared_chain and l1_chain. */
struct pattern {
    uint64_t base, out, offset;
    uint32_t rounds, advance, flip, wrap;
};

enum { ROUNDS = 4, UNROLL = 8, WIDEST = 32, WORD = 4, SHARED_BYTES = WIDEST * BENCH_LANES * WORD };

static double span_of(struct measure_run *run, const char *kernel, unsigned warps, uint32_t lane_bytes, uint32_t rounds)
{
    uint32_t offset[BENCH_LANES];
    enum { BYTES = 2 * SHARED_BYTES };
    struct pattern p = {.rounds = rounds};
    p.base = bench_alloc(run, BYTES);
    p.out = bench_alloc(run, 16 * (uint64_t)warps);
    p.offset = bench_alloc(run, sizeof offset);
    for (unsigned i = 0; i < BENCH_LANES; i++) {
        uint64_t own = p.base + i * lane_bytes;
        offset[i] = i * lane_bytes;
        bench_write(run, own, &own, sizeof own);
    }
    bench_write(run, p.offset, offset, sizeof offset);
    bench_launch(run, kernel, 1, BENCH_LANES * warps, SHARED_BYTES, &p, sizeof p);
    double cycles = bench_span(run, p.out, warps, false);
    bench_release(run);
    return cycles;
}

/* Cycles of a load that waits for the one before, in each of `warps` warps. */
static double load(struct measure_run *run, const char *kernel, unsigned warps, uint32_t lane_bytes)
{
    double shorter = span_of(run, kernel, warps, lane_bytes, ROUNDS);
    double longer = span_of(run, kernel, warps, lane_bytes, 3 * ROUNDS);
    return (longer - shorter) / (2 * ROUNDS * UNROLL);
}

static void run_occupancy(struct measure_run *run)
{
    static const uint32_t stride[] = {1, 2, 4, 8, 32};
    enum { SHARED = 5, L1 = 4 };
    for (unsigned warps = 1; warps <= 32 && !run->failed; warps *= run->quick ? 32 : 2) {
        struct measure_row *row = bench_row(run, " ");
        row->cell[0] = warps;
        for (unsigned i = 0; i < SHARED; i++) {
            if (run->quick && i != 0 && i != SHARED - 1)
                continue;
            row->cell[1 + i] = load(run, "shared_chain", warps, stride[i] * WORD);
            bench_value(run, row->cell[1 + i], "occupancy.shared.%u.%u", warps, stride[i]);
        }
        for (unsigned i = 0; i < L1; i++) {
            if (run->quick && i != 0)
                continue;
            double cycles = load(run, "l1_chain", warps, stride[i] * 2 * WORD);
            row->cell[1 + SHARED + i] = cycles;
            bench_value(run, cycles, "occupancy.l1.%u.%u", warps, stride[i]);
        }
    }
}

const struct measure measure_occupancy = {
    .name = "occupancy",
    .title = "latency of shared memory and L1 by warps and strides",
    .about = "One SM: each lane loads the address of its next load, from its own place. Cycles of a load by the warps "
             "that do so and by words (L1: of 64 bits) from lane to lane.",
    .column = {{"warps", 0},
               {"shared 1", 1},
               {"shared 2", 1},
               {"shared 4", 1},
               {"shared 8", 1},
               {"shared 32", 1},
               {"L1 1", 1},
               {"L1 2", 1},
               {"L1 4", 1},
               {"L1 8", 1}},
    .columns = 10,
    .plot = {.x = "warps", .y = "cycles", .x_scale = SCALE_LOG, .y_scale = SCALE_LOG},
    .run = run_occupancy,
};

/* ---- L2 ---------------------------------------------------------------------------------------------------------- */

/* The parameters of l2_ring. */
struct ring {
    uint64_t base, out;
    uint32_t lines, hops, apart;
};

enum { LINES = 8192, NEXT = 1597, APART = 61, HOPS = 16 }; /* NEXT is odd: the ring has all lines */

static void write_ring(struct measure_run *run, uint64_t base)
{
    enum { WORDS = BENCH_LINE / sizeof(uint64_t) };
    uint64_t *line = calloc(LINES, BENCH_LINE);
    if (!line) {
        bench_fail(run, "out of memory");
        return;
    }
    for (unsigned i = 0; i < LINES; i++)
        line[i * WORDS] = base + (uint64_t)((i + NEXT) % LINES) * BENCH_LINE;
    bench_write(run, base, line, (uint64_t)LINES * BENCH_LINE);
    free(line);
}

static double ring_span(struct measure_run *run, uint64_t base, unsigned ctas, unsigned warps, uint32_t hops)
{
    struct ring p = {.base = base, .lines = LINES, .hops = hops, .apart = APART};
    p.out = bench_alloc(run, 16 * (uint64_t)ctas * warps);
    bench_launch(run, "l2_ring", ctas, BENCH_LANES * warps, 0, &p, sizeof p);
    double cycles = bench_span(run, p.out, ctas * warps, true);
    if (run->blocks > 0)
        run->device->release(run->device->self, run->block[--run->blocks]);
    return cycles;
}

static void add_ring(struct measure_run *run, uint64_t base, unsigned ctas, unsigned warps)
{
    struct measure_row *row = bench_row(run, " ");
    double shorter = ring_span(run, base, ctas, warps, HOPS), longer = ring_span(run, base, ctas, warps, 3 * HOPS);
    row->cell[0] = ctas;
    row->cell[1] = warps;
    row->cell[2] = (longer - shorter) / (2 * HOPS);
    row->cell[3] = ctas * warps / row->cell[2];
    bench_value(run, row->cell[2], "l2-warps.%u.%u", ctas, warps);
}

static void run_l2_warps(struct measure_run *run)
{
    unsigned sms = run->device->gpu.sms;
    uint64_t base = bench_alloc(run, (uint64_t)LINES * BENCH_LINE);
    write_ring(run, base);
    for (unsigned warps = 1; warps <= 32 && !run->failed; warps *= run->quick ? 32 : 2)
        add_ring(run, base, 1, warps);
    for (unsigned ctas = 4; ctas < sms && !run->quick && !run->failed; ctas *= 4)
        add_ring(run, base, ctas, 1);
    for (unsigned warps = 1; warps <= 32 && !run->quick && !run->failed; warps *= 4)
        add_ring(run, base, sms, warps);
}

const struct measure measure_l2_warps = {
    .name = "l2-warps",
    .title = "latency of the L2 by warps and CTAs",
    .about = "One lane of each warp follows a ring of lines in the L2, each from a place of its own; a CTA on each SM. "
             "Cycles of a hop of the slowest warp, and hops a cycle of all.",
    .column = {{"CTAs", 0}, {"warps", 0}, {"cycles", 1}, {"hops/cycle", 3}},
    .columns = 4,
    .keys = 2,
    .plot = {.x = "", .y = "cycles", .first = 2, .series = 1},
    .run = run_l2_warps,
};
