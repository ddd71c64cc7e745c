#include "instruction.h"

enum { SHARED_BYTES = 2048, CHAIN_BYTES = 128 };

static const struct unit usual = {.step = CHAIN_BYTES, .first = 3, .b = 0x3f80101, .c = 0x10203};

static uint64_t launch(struct measure_run *run, const char *kernel, unsigned warps, const struct unit *unit)
{
    struct unit p = *unit;
    p.out = bench_alloc(run, 2 * 16 * (uint64_t)warps);
    bench_launch(run, kernel, 1, BENCH_LANES * warps, SHARED_BYTES, &p, sizeof p);
    return p.out;
}

double unit_cycles(struct measure_run *run, const char *kernel, unsigned warps, const struct unit *unit)
{
    double cycles = bench_span(run, launch(run, kernel, warps, unit), warps, false);
    bench_release(run);
    return cycles;
}

double unit_difference(struct measure_run *run, const char *kernel, unsigned warps, const struct unit *unit)
{
    uint64_t out = launch(run, kernel, warps, unit);
    double shorter = bench_span(run, out, warps, false);
    double longer = bench_span(run, out + 16 * (uint64_t)warps, warps, false);
    bench_release(run);
    return longer - shorter;
}

double unit_latency(struct measure_run *run, const char *kernel)
{
    return unit_difference(run, kernel, 1, &usual) / UNIT_CHAIN;
}

double unit_rate(struct measure_run *run, const char *kernel, unsigned warps)
{
    struct unit p = usual;
    p.streams = run->quick ? 1 : 4;
    double cycles = unit_difference(run, kernel, warps, &p);
    return run->failed ? 0 : UNIT_STREAM * (double)warps * p.streams / cycles;
}
