/* The engine for bulk copies (TMA), from sm_90 on: how long a copy takes, and how much one SM and all SMs bring in. */
#include <math.h>

#include "bench.h"
#include "measures.h"

enum {
    FIRST_ARCHITECTURE = 90,
    HOPS = 256,
    STAGES = 4,
    PIECES = 64,
    PIECE_LEAST = 512,
    PIECE_MOST = 32768,
    BYTES = 1 << 18,
    NO_CTAS = 32768 /* bytes of L1 and shared memory that no CTA can have, and more */
};

static double hop(struct measure_run *run, uint64_t base, uint64_t bytes)
{
    const struct measure_gpu *gpu = &run->device->gpu;
    bool misses = gpu->cold && bytes >= 2 * gpu->l2;
    struct chain chain = {.lines = bytes / BENCH_LINE, .stride = BENCH_LINE, .warm = misses ? 0 : 1, .hops = HOPS};
    if (misses || chain.lines > 8192)
        chain.pages = (uint32_t)(bytes / BENCH_PAGE);
    else
        chain.lap = HOPS;
    return chain_time(run, "chase_bulk", base, &chain);
}

/* Bytes per cycle of one SM, or all SMs, that read from the L2 in copies of `piece` bytes. */
static double rate(struct measure_run *run, uint64_t base, uint64_t out, uint32_t piece, unsigned ctas)
{
    struct {
        uint64_t base, out;
        uint32_t bytes, piece;
    } p = {base, out, ctas == 1 ? PIECES * piece : BYTES, piece};
    bench_launch(run, "stream_bulk", ctas, 32, piece * STAGES + 128, &p, sizeof p);
    double cycles = bench_span(run, out, ctas, true);
    return cycles > 0 ? (double)p.bytes * ctas / cycles : NAN;
}

static void run(struct measure_run *run)
{
    const struct measure_gpu *gpu = &run->device->gpu;
    if (gpu->architecture < FIRST_ARCHITECTURE)
        return;
    uint64_t most = (gpu->cold ? 2 : 4) * gpu->l2, base = bench_alloc(run, most + BENCH_PAGE);
    uint64_t out = bench_alloc(run, 16u * gpu->sms);
    double l2 = hop(run, base, 1 << 20), dram = hop(run, base, most), sm = 0, all = 0;
    uint32_t most_piece = PIECE_MOST;
    while ((uint64_t)most_piece * STAGES + NO_CTAS > gpu->l1)
        most_piece /= 2;
    for (uint32_t piece = PIECE_LEAST; piece <= most_piece && !run->failed; piece *= 2) {
        struct measure_row *row = bench_row(run, " ");
        row->cell[0] = piece;
        row->cell[1] = rate(run, base, out, piece, 1);
        row->cell[2] = run->quick && piece != most_piece ? NAN : rate(run, base, out, piece, gpu->sms);
        sm = row->cell[1];
        all = row->cell[2];
    }
    bench_value(run, l2, "tma.l2");
    bench_value(run, dram, "tma.dram");
    bench_value(run, sm, "tma.sm");
    bench_value(run, all, "tma.all");
}

const struct measure measure_engine = {
    .name = "tma",
    .title = "bulk copies",
    .about =
        "Copies by the engine for bulk copies (TMA), from the L2 to shared memory, four of them under way: bytes a "
        "cycle of one SM and of all by the bytes of a copy. Beside it a chase, each hop a copy of 16 bytes with its "
        "mbarrier, in the L2 and in memory. GPUs before sm_90 have no rows.",
    .column = {{"bytes", 0}, {"one SM", 1}, {"all SMs", 0}},
    .columns = 3,
    .plot = {.x = "bytes of a copy",
             .y = "bytes a cycle",
             .x_scale = SCALE_LOG,
             .y_scale = SCALE_LOG,
             .across = {"tma.sm"}},
    .run = run,
};
