/* Clusters of CTAs, from sm_90 on: shared memory of another CTA, and the barrier. */
#include <math.h>
#include <stdio.h>

#include "bench.h"
#include "measures.h"

enum { FIRST_ARCHITECTURE = 90, HOPS = 256, LOADS = 128, BARRIERS = 64, THREADS = 512, SIZES = 3 };

struct walk {
    uint64_t out;
    uint32_t hops, remote;
};

static void start(struct measure_run *run, const char *what, unsigned size, unsigned threads, const struct walk *p)
{
    char kernel[32];
    snprintf(kernel, sizeof kernel, "cluster_%s_%u", what, size);
    bench_launch(run, kernel, size, threads, 0, p, sizeof *p);
}

/* Cycles for each of so many things that one thread does. */
static double cycles(struct measure_run *run, const char *what, unsigned size, unsigned threads, struct walk p)
{
    uint64_t taken = 0;
    start(run, what, size, threads, &p);
    bench_read(run, &taken, p.out, sizeof taken);
    return (double)taken / p.hops;
}

/* Bytes a cycle that each CTA reads. */
static double rate(struct measure_run *run, unsigned size, struct walk p)
{
    start(run, "stream", size, THREADS, &p);
    double span = bench_span(run, p.out, size, true);
    return span > 0 ? 16.0 * THREADS * p.hops / span : NAN;
}

static void run(struct measure_run *run)
{
    if (run->device->gpu.architecture < FIRST_ARCHITECTURE)
        return;
    uint64_t out = bench_alloc(run, 16 * 16);
    double own = cycles(run, "chase", 2, 32, (struct walk){out, HOPS, 0}), far = NAN;
    for (unsigned size = 2; size <= 1u << SIZES && !run->failed; size *= 2) {
        struct measure_row *row = bench_row(run, " ");
        row->cell[0] = size;
        row->cell[1] = cycles(run, "chase", size, 32, (struct walk){out, HOPS, 1});
        row->cell[2] = rate(run, size, (struct walk){out, LOADS, 1});
        row->cell[3] = cycles(run, "barrier", size, 32, (struct walk){out, BARRIERS, 0});
        far = size == 2 ? row->cell[1] : far;
        bench_value(run, row->cell[2], "cluster.rate.%u", size);
        bench_value(run, row->cell[3], "cluster.barrier.%u", size);
    }
    bench_value(run, own, "cluster.own");
    bench_value(run, far, "cluster.remote");
    bench_value(run, rate(run, 2, (struct walk){out, LOADS, 0}), "cluster.rate.own");
}

const struct measure measure_cluster = {
    .name = "cluster",
    .title = "clusters",
    .about =
        "Shared memory of the next CTA of a cluster: cycles of a load in a chain, and bytes a cycle that each CTA of "
        "the cluster reads, 16 bytes a lane. Barrier: cycles from one cluster barrier to the next, which orders no "
        "memory. GPUs before sm_90 have no rows.",
    .column = {{"CTAs", 0}, {"load", 1}, {"bytes", 1}, {"barrier", 1}},
    .columns = 4,
    .plot = {.x = "CTAs of a cluster",
             .y = "cycles, bytes a cycle",
             .x_scale = SCALE_LOG,
             .across = {"cluster.remote"}},
    .run = run,
};
