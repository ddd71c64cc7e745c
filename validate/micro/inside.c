/* Throughput of one SM's L1 and shared memory: widths, strides, gathers, bank conflicts. */
#include "inside.h"

#include <math.h>

#include "bench.h"

/* The kernel's parameters. */
struct parameters {
    uint64_t base, out, offset;
    uint32_t rounds, advance, flip, wrap;
};

enum { UNROLL = 8, SHARED_BYTES = 32768 + 128, CHAIN_ROUNDS = 8 };

static struct parameters prepare(struct measure_run *run, const uint32_t offset[BENCH_LANES], unsigned warps,
                                 uint64_t bytes)
{
    struct parameters p = {0};
    p.base = bytes ? bench_alloc(run, bytes) : 0;
    p.out = bench_alloc(run, 16 * (uint64_t)warps);
    p.offset = bench_alloc(run, BENCH_LANES * sizeof offset[0]);
    bench_write(run, p.offset, offset, BENCH_LANES * sizeof offset[0]);
    return p;
}

static double rate_cycles(struct measure_run *run, const char *kernel, const struct inside *inside, unsigned warps,
                          uint32_t rounds)
{
    struct parameters p =
        prepare(run, inside->offset, warps, inside->shared ? 0 : 4 * UNROLL * (uint64_t)inside->advance + 65536);
    p.rounds = rounds;
    p.advance = inside->advance;
    p.flip = inside->flip ? inside->flip : UNROLL * inside->advance;
    p.wrap = 4 * p.flip - 1;
    bench_launch(run, kernel, 1, 32 * warps, inside->shared ? SHARED_BYTES : 0, &p, sizeof p);
    double cycles = bench_span(run, p.out, warps, false);
    bench_release(run);
    return cycles;
}

/* The difference of two lengths: without the cost of beginning and end. */
double inside_rate(struct measure_run *run, const char *kernel, const struct inside *inside)
{
    unsigned warps = inside->warps ? inside->warps : run->device->gpu.warps < 32 ? run->device->gpu.warps : 32;
    uint32_t rounds = run->quick ? 8 : 16;
    double shorter = rate_cycles(run, kernel, inside, warps, rounds);
    double longer = rate_cycles(run, kernel, inside, warps, 3 * rounds);
    return run->failed ? 0 : (longer - shorter) / ((double)warps * 2 * rounds * UNROLL);
}

static uint64_t chain_cycles(struct measure_run *run, const char *kernel, const uint32_t offset[BENCH_LANES],
                             uint32_t rounds)
{
    struct parameters p = prepare(run, offset, 1, 0);
    uint64_t cycles = 0;
    p.rounds = rounds;
    bench_launch(run, kernel, 1, 32, SHARED_BYTES, &p, sizeof p);
    bench_read(run, &cycles, p.out, sizeof cycles);
    bench_release(run);
    return cycles;
}

/* Cycles of a load that depends on the one before, by kernels bank_chain_*: the difference of two lengths, too. */
static double inside_latency(struct measure_run *run, const char *kernel, const uint32_t offset[BENCH_LANES])
{
    uint64_t shorter = chain_cycles(run, kernel, offset, CHAIN_ROUNDS);
    uint64_t longer = chain_cycles(run, kernel, offset, 3 * CHAIN_ROUNDS);
    return (double)(longer - shorter) / (2 * CHAIN_ROUNDS * UNROLL);
}

/* ---- strides and gathers ----------------------------------------------------------------------------------------- */

enum { SECTOR = 32 };

static unsigned sectors_of(const uint32_t offset[BENCH_LANES])
{
    unsigned count = 0;
    for (unsigned i = 0; i < BENCH_LANES; i++) {
        bool first = true;
        for (unsigned k = 0; k < i; k++)
            first = first && offset[k] / SECTOR != offset[i] / SECTOR;
        count += first;
    }
    return count;
}

static void add_pattern(struct measure_run *run, struct measure_row *row, const struct inside *inside)
{
    row->cell[0] = sectors_of(inside->offset);
    row->cell[1] = inside_rate(run, "load_ca_32", inside);
    row->cell[2] = 4 * BENCH_LANES / row->cell[1];
    row->cell[3] = inside_rate(run, "load_l2_32", inside);
    row->cell[4] = SECTOR * row->cell[0] / row->cell[3];
}

static void run_stride(struct measure_run *run)
{
    for (unsigned stride = 0; stride <= 32 && !run->failed; stride = run->quick && stride ? 2 * stride : stride + 1) {
        struct inside inside = {.advance = 4096,
                                .flip = BENCH_LINE}; /* eight 32-bit loads of stride 32, and none in common */
        for (unsigned i = 0; i < BENCH_LANES; i++)
            inside.offset[i] = 4 * i * stride;
        struct measure_row *row = bench_row(run, "stride %u", stride);
        add_pattern(run, row, &inside);
    }
    uint32_t seed = 7;
    for (uint32_t kib = 1; kib <= 4; kib *= 2) {
        struct inside inside = {.advance = 4096, .flip = BENCH_LINE};
        for (unsigned i = 0; i < BENCH_LANES; i++)
            inside.offset[i] = bench_random(&seed) % (kib * 256) * 4;
        struct measure_row *row = bench_row(run, "random in %u KiB", kib);
        add_pattern(run, row, &inside);
    }
}

const struct measure measure_stride = {
    .name = "stride",
    .title = "warp accesses by stride, and random ones",
    .about = "One SM reads 32-bit words from its L1, and past it from the L2; lanes are `stride` words apart, or lie "
             "at random. Sectors and cycles of a warp's access; bytes a cycle: of words (L1), of sectors (L2).",
    .label = "lanes",
    .column = {{"sectors", 0}, {"L1 cycles", 2}, {"L1 B/cycle", 1}, {"L2 cycles", 2}, {"L2 B/cycle", 1}},
    .columns = 5,
    .plot = {.x = "", .y = "sectors; cycles of an access", .series = 2},
    .run = run_stride,
};

/* ---- bank conflicts ---------------------------------------------------------------------------------------------- */

/* Lanes of `bytes` each, so that `ways` of them meet in a bank (of those that a pass serves together). */
static void conflict(uint32_t offset[BENCH_LANES], unsigned bytes, unsigned ways)
{
    unsigned together = BENCH_LANES * 4 / bytes; /* lanes of a pass */
    ways = ways > together ? together : ways;
    for (unsigned i = 0; i < BENCH_LANES; i++) {
        unsigned lane = i % together, group = i / together;
        unsigned column = lane % (together / ways), line = lane / (together / ways);
        offset[i] = (line + group * ways) * 128 + column * bytes;
    }
}

static void run_banks(struct measure_run *run)
{
    static const char *const chain[] = {"bank_chain_32", "bank_chain_64", "bank_chain_128"};
    static const char *const load[] = {"load_shared_32", "load_shared_64", "load_shared_128"};
    for (unsigned ways = 1; ways <= BENCH_LANES && !run->failed; ways *= 2) {
        struct measure_row *row = bench_row(run, " ");
        row->cell[0] = ways;
        for (unsigned width = 0; width < 3; width++) {
            unsigned bytes = 4u << width;
            struct inside inside = {.shared = true, .warps = 8, .advance = 4096, .flip = 16};
            if (ways > (unsigned)BENCH_LANES >> width)
                continue;
            conflict(inside.offset, bytes, ways);
            row->cell[1 + width] = inside_latency(run, chain[width], inside.offset);
            row->cell[4 + width] = inside_rate(run, load[width], &inside);
            bench_value(run, row->cell[1 + width], "banks.latency.%u.%u", 8 * bytes, ways);
            bench_value(run, row->cell[4 + width], "banks.cycles.%u.%u", 8 * bytes, ways);
        }
    }
    struct inside same = {
        .shared = true, .warps = 8, .advance = 4096, .flip = 16}; /* all lanes the same word: no conflict */
    bench_value(run, inside_latency(run, chain[0], same.offset), "banks.latency.broadcast");
    bench_value(run, inside_rate(run, load[0], &same), "banks.cycles.broadcast");
}

const struct measure measure_banks = {
    .name = "banks",
    .title = "bank conflicts of shared memory",
    .about = "Loads whose lanes meet in banks: `ways` different words of the same bank among the lanes that one pass "
             "serves (32, 16, 8 for 32, 64, 128 bits). Latency of a load, and cycles of each when eight warps load.",
    .column = {{"ways", 0},
               {"latency 32", 1},
               {"latency 64", 1},
               {"latency 128", 1},
               {"cycles 32", 2},
               {"cycles 64", 2},
               {"cycles 128", 2}},
    .columns = 7,
    .plot = {.x = "ways", .y = "cycles", .x_scale = SCALE_LOG, .y_scale = SCALE_LOG},
    .run = run_banks,
};
