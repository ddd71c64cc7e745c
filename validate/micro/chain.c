#include "bench.h"

/* The kernel's parameters. */
struct parameters {
    uint64_t base, out, first;
    uint32_t lines, mask, stride, warm, pages, lap, hops;
};

enum { UNROLL = 8, WARM_THREADS = 1024 };

/* As in chains.cuh: the i-th place of a walk over 0..mask without a pattern. */
static uint32_t place_of(uint32_t i, uint32_t mask)
{
    uint32_t bits = 0;
    while (bits < 32 && mask >> bits)
        bits++;
    uint32_t shift = bits / 2 + 1;
    i = (i * UINT32_C(0x9e3779b1)) & mask;
    i ^= i >> shift;
    i = (i * UINT32_C(0x85ebca6b)) & mask;
    i ^= i >> shift;
    return i;
}

static uint32_t mask_of(uint64_t lines)
{
    uint32_t mask = 1;
    while ((uint64_t)mask + 1 < lines)
        mask = mask * 2 + 1;
    return mask;
}

static uint32_t first_place(uint64_t lines)
{
    uint32_t mask = mask_of(lines), i = 0;
    while (place_of(i, mask) >= lines)
        i++;
    return place_of(i, mask);
}

/* Only the links that the walk follows: memory for the others need not be touched. */
static void chain_write(struct measure_run *run, uint64_t base, const struct chain *chain)
{
    uint64_t lines = chain->lines, links = 0, wanted = (uint64_t)chain->lap + chain->hops + 2 * UNROLL;
    uint32_t mask = mask_of(lines), first = first_place(lines), last = first;
    for (uint64_t i = 0; i <= mask && links <= wanted && !run->failed; i++) {
        uint32_t place = place_of((uint32_t)i, mask);
        if (place >= lines)
            continue;
        uint64_t to = base + (uint64_t)place * chain->stride;
        bench_write(run, base + (uint64_t)last * chain->stride, &to, sizeof to);
        last = place;
        links++;
    }
    uint64_t to = base + (uint64_t)first * chain->stride;
    bench_write(run, base + (uint64_t)last * chain->stride, &to, sizeof to);
}

double chain_time(struct measure_run *run, const char *kernel, uint64_t base, const struct chain *chain)
{
    uint64_t out = bench_alloc(run, 64), cycles = 0;
    chain_write(run, base, chain);
    struct parameters p = {
        .base = base,
        .out = out,
        .first = base + (uint64_t)first_place(chain->lines) * chain->stride,
        .lines = (uint32_t)chain->lines,
        .mask = mask_of(chain->lines),
        .stride = chain->stride,
        .warm = chain->warm,
        .pages = chain->pages,
        .lap = (chain->lap + UNROLL - 1) / UNROLL * UNROLL,
        .hops = (chain->hops + UNROLL - 1) / UNROLL * UNROLL,
    };
    bench_launch(run, kernel, 1, chain->warm || chain->pages ? WARM_THREADS : 32, 0, &p, sizeof p);
    bench_read(run, &cycles, out, sizeof cycles);
    if (run->blocks > 0)
        run->device->release(run->device->self, run->block[--run->blocks]);
    return run->failed ? 0 : (double)cycles / p.hops;
}
