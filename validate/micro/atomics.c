/* Atomics in shared and global memory, alone and contended, and fences. */
#include "measures.h"

#include <math.h>
#include <string.h>

#include "bench.h"

/* The kernels' parameters. */
struct parameters {
    uint64_t base, out, offset;
    uint32_t mode, rounds, lanes, warp_bytes, cta_bytes;
};

enum { MODE_ADD, MODE_CAS, MODE_REDUCE };

static struct parameters prepare(struct measure_run *run, uint32_t lane_bytes, unsigned warps, uint64_t bytes)
{
    uint32_t offset[BENCH_LANES];
    struct parameters p = {.lanes = BENCH_LANES};
    for (unsigned i = 0; i < BENCH_LANES; i++)
        offset[i] = i * lane_bytes;
    p.base = bytes ? bench_alloc(run, bytes) : 0;
    p.out = bench_alloc(run, 16 * (uint64_t)warps);
    p.offset = bench_alloc(run, sizeof offset);
    bench_write(run, p.offset, offset, sizeof offset);
    return p;
}

static uint64_t chain_cycles(struct measure_run *run, const char *kernel, uint32_t mode, unsigned lanes,
                             uint32_t lane_bytes, uint32_t rounds, unsigned place)
{
    enum { APART = 4096 + 128 };
    struct parameters p = prepare(run, lane_bytes, 1, 8192 + (uint64_t)place * APART);
    uint64_t cycles = 0;
    p.base += (uint64_t)place * APART;
    p.mode = mode;
    p.lanes = lanes;
    p.rounds = rounds;
    bench_launch(run, kernel, 1, 32, 0, &p, sizeof p);
    bench_read(run, &cycles, p.out, sizeof cycles);
    bench_release(run);
    return cycles;
}

/* Cycles of an atomic whose operand is the result of the last one: the difference between two chain lengths. In global
 * memory the mean of some places, which lie in slices near and far. */
static double chain(struct measure_run *run, const char *kernel, uint32_t mode, unsigned lanes, uint32_t lane_bytes)
{
    enum { ROUNDS = 8, PLACES = 8 };
    unsigned places = strcmp(kernel, "atomic_chain") == 0 ? PLACES : 1;
    double sum = 0;
    for (unsigned place = 0; place < places; place++) {
        uint64_t shorter = chain_cycles(run, kernel, mode, lanes, lane_bytes, ROUNDS, place);
        uint64_t longer = chain_cycles(run, kernel, mode, lanes, lane_bytes, 3 * ROUNDS, place);
        sum += (double)(longer - shorter) / (2 * ROUNDS);
    }
    return sum / places;
}

static double rate_cycles(struct measure_run *run, const char *kernel, uint32_t mode, unsigned sms, unsigned warps,
                          uint32_t lane_bytes, uint32_t warp_bytes, uint32_t rounds)
{
    uint32_t cta_bytes = warp_bytes * warps;
    struct parameters p = prepare(run, lane_bytes, sms * warps, (uint64_t)cta_bytes * sms + 8192);
    p.mode = mode;
    p.warp_bytes = warp_bytes;
    p.cta_bytes = cta_bytes;
    p.rounds = rounds;
    bench_launch(run, kernel, sms, 32 * warps, 0, &p, sizeof p);
    double cycles = bench_span(run, p.out, sms * warps, true);
    bench_release(run);
    return cycles;
}

/* Cycles of a warp's atomic on each SM when `sms` of them do nothing else, and their warps with them. */
static double rate(struct measure_run *run, const char *kernel, uint32_t mode, unsigned sms, uint32_t lane_bytes,
                   uint32_t warp_bytes)
{
    unsigned warps = strcmp(kernel, "atomic_rate") == 0 ? 8 : 32; /* shared memory needs more to be kept busy */
    uint32_t rounds = run->quick ? 8 : 16;
    double shorter = rate_cycles(run, kernel, mode, sms, warps, lane_bytes, warp_bytes, rounds);
    double longer = rate_cycles(run, kernel, mode, sms, warps, lane_bytes, warp_bytes, 3 * rounds);
    return (longer - shorter) / (2.0 * warps * rounds);
}

static void add_lanes(struct measure_run *run, unsigned lanes)
{
    struct measure_row *row = bench_row(run, "%u %s, one word", lanes, lanes == 1 ? "lane" : "lanes");
    row->cell[0] = chain(run, "atomic_shared_chain", MODE_ADD, lanes, 0);
    row->cell[1] = chain(run, "atomic_shared_chain", MODE_CAS, lanes, 0);
    row->cell[2] = chain(run, "atomic_chain", MODE_ADD, lanes, 0);
    row->cell[3] = chain(run, "atomic_chain", MODE_CAS, lanes, 0);
    bench_value(run, row->cell[0], "atomics.shared.add.%u", lanes);
    bench_value(run, row->cell[1], "atomics.shared.cas.%u", lanes);
    bench_value(run, row->cell[2], "atomics.global.add.%u", lanes);
    bench_value(run, row->cell[3], "atomics.global.cas.%u", lanes);
}

static void add_rates(struct measure_run *run, const char *what, const char *name, unsigned sms, uint32_t lane_bytes,
                      uint32_t warp_bytes)
{
    struct measure_row *row = bench_row(run, "%s, %u %s", what, sms, sms == 1 ? "SM" : "SMs");
    row->cell[4] = rate(run, "atomic_rate", MODE_REDUCE, sms, lane_bytes, warp_bytes);
    row->cell[5] = rate(run, "atomic_rate", MODE_ADD, sms, lane_bytes, warp_bytes);
    row->cell[6] = BENCH_LANES * sms / row->cell[4];
    bench_value(run, row->cell[4], "atomics.%s.red.%s", name, sms == 1 ? "sm" : "gpu");
    bench_value(run, row->cell[5], "atomics.%s.add.%s", name, sms == 1 ? "sm" : "gpu");
    bench_value(run, row->cell[6], "atomics.%s.lanes.%s", name, sms == 1 ? "sm" : "gpu");
}

static void run_atomics(struct measure_run *run)
{
    unsigned sms = run->device->gpu.sms;
    for (unsigned lanes = 1; lanes <= BENCH_LANES && !run->failed; lanes *= run->quick ? 32 : 2)
        add_lanes(run, lanes);
    struct measure_row *row = bench_row(run, "32 lanes, 32 words");
    row->cell[0] = chain(run, "atomic_shared_chain", MODE_ADD, BENCH_LANES, 4);
    row->cell[1] = chain(run, "atomic_shared_chain", MODE_CAS, BENCH_LANES, 4);
    row->cell[2] = chain(run, "atomic_chain", MODE_ADD, BENCH_LANES, 4);
    row->cell[3] = chain(run, "atomic_chain", MODE_CAS, BENCH_LANES, 4);
    bench_value(run, row->cell[0], "atomics.shared.add.words");
    row = bench_row(run, "32 lanes, 32 lines");
    row->cell[2] = chain(run, "atomic_chain", MODE_ADD, BENCH_LANES, 128);
    row->cell[3] = chain(run, "atomic_chain", MODE_CAS, BENCH_LANES, 128);
    bench_value(run, row->cell[2], "atomics.global.add.lines");
    bench_value(run, row->cell[3], "atomics.global.cas.lines");
    bench_value(run, 1 / rate(run, "atomic_shared_rate", MODE_ADD, 1, 4, 0), "atomics.shared.rate.add");
    bench_value(run, 1 / rate(run, "atomic_shared_rate", MODE_CAS, 1, 4, 0), "atomics.shared.rate.cas");
    add_rates(run, "one word", "same", 1, 0, 0);
    add_rates(run, "one word", "same", sms, 0, 0);
    add_rates(run, "own lines", "line", 1, 128, 4096);
    add_rates(run, "own words", "own", 1, 4, 128);
    add_rates(run, "own words", "own", sms, 4, 128);
    add_rates(run, "own sectors", "sector", sms, 32, 1024);
}

const struct measure measure_atomics = {
    .name = "atomics",
    .title = "atomics, alone and contended",
    .about =
        "Left: cycles of an atomic whose operand is the result of the last one, by the lanes that take part. Right: "
        "cycles of a warp's atomic on each SM when eight warps of each do nothing else, and lanes a cycle.",
    .label = "who",
    .column = {{"shared add", 1},
               {"shared CAS", 1},
               {"global add", 1},
               {"global CAS", 1},
               {"RED cycles", 1},
               {"ATOM cycles", 1},
               {"RED lanes/cycle", 1}},
    .columns = 7,
    .plot = {.x = "", .y = "cycles", .y_scale = SCALE_LOG, .series = 6},
    .run = run_atomics,
};

/* ---- fences ------------------------------------------------------------------------------------------------------ */

static double fence(struct measure_run *run, uint32_t mode, uint32_t store)
{
    enum { ROUNDS = 32 };
    struct {
        uint64_t base, out;
        uint32_t mode, store, rounds;
    } p = {.mode = mode, .store = store, .rounds = ROUNDS};
    uint64_t cycles = 0;
    p.base = bench_alloc(run, 128);
    p.out = bench_alloc(run, 64);
    bench_launch(run, "fence_cost", 1, 32, 0, &p, sizeof p);
    bench_read(run, &cycles, p.out, sizeof cycles);
    bench_release(run);
    return (double)cycles / ROUNDS;
}

static void run_fences(struct measure_run *run)
{
    static const char *const name[] = {"none", "cta", "gpu", "system"};
    for (uint32_t mode = 0; mode < 4 && !run->failed; mode++) {
        struct measure_row *row = bench_row(run, "%s", name[mode]);
        row->cell[0] = fence(run, mode, 0);
        row->cell[1] = fence(run, mode, 1);
        if (mode > 0) {
            bench_value(run, row->cell[0], "fences.%s", name[mode]);
            bench_value(run, row->cell[1], "fences.%s.store", name[mode]);
        }
    }
}

const struct measure measure_fences = {
    .name = "fences",
    .title = "memory fences",
    .about = "One warp, fence after fence, and each behind a store. Cycles of a turn of the loop.",
    .label = "scope",
    .column = {{"alone", 1}, {"behind a store", 1}},
    .columns = 2,
    .plot = {.x = "", .y = "cycles", .y_scale = SCALE_LOG, .across = {"fences.cta", "fences.gpu"}},
    .run = run_fences,
};
