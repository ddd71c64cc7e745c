/* Distance: the latency of an L2 hit for each SM and line. */
#include "measures.h"

#include <math.h>
#include <stdlib.h>

#include "bench.h"

enum { HOPS = 8, STRIDE = 4096 + 128 };

struct span {
    double low, high, sum, squares;
    unsigned count;
};

static void add(struct span *s, double value)
{
    s->low = s->count == 0 || value < s->low ? value : s->low;
    s->high = s->count == 0 || value > s->high ? value : s->high;
    s->sum += value;
    s->squares += value * value;
    s->count++;
}

static double mean(const struct span *s) { return s->sum / s->count; }

static double deviation(const struct span *s)
{
    double square = s->squares / s->count - mean(s) * mean(s);
    return square > 0 ? sqrt(square) : 0;
}

static void add_row(struct measure_run *run, const struct span *s, const char *what, unsigned number)
{
    if (s->count == 0)
        return;
    struct measure_row *row = bench_row(run, "%s %u", what, number);
    row->cell[0] = s->low;
    row->cell[1] = mean(s);
    row->cell[2] = s->high;
    row->cell[3] = deviation(s);
}

/* Rows are GPCs where they are known, else SMs. */
static void summarise(struct measure_run *run, const uint32_t *cycles, unsigned lines)
{
    const struct measure_gpu *gpu = &run->device->gpu;
    struct span all = {0}, pair_means = {0}, row = {0};
    unsigned rows = gpu->sms;
    if (gpu->gpc)
        for (unsigned sm = rows = 0; sm < gpu->sms; sm++)
            rows = gpu->gpc[sm] + 1u > rows ? gpu->gpc[sm] + 1u : rows;
    for (unsigned r = 0; r < rows; r++) {
        row = (struct span){0};
        for (unsigned sm = 0; sm < gpu->sms; sm++)
            if ((gpu->gpc ? gpu->gpc[sm] : sm) == r)
                for (unsigned l = 0; l < lines; l++)
                    add(&row, (double)cycles[sm * lines + l] / HOPS);
        add_row(run, &row, gpu->gpc ? "GPC" : "SM", r);
    }
    for (unsigned sm = 0; sm < gpu->sms; sm++) {
        struct span one = {0};
        for (unsigned l = 0; l < lines; l++) {
            add(&one, (double)cycles[sm * lines + l] / HOPS);
            add(&all, (double)cycles[sm * lines + l] / HOPS);
        }
        add(&pair_means, mean(&one));
    }
    bench_value(run, all.low, "slices.low");
    bench_value(run, mean(&all), "slices.mean");
    bench_value(run, all.high, "slices.high");
    bench_value(run, all.high - all.low, "slices.spread");
}

static void run(struct measure_run *run)
{
    unsigned sms = run->device->gpu.sms, lines = run->quick ? 24 : 96;
    struct {
        uint64_t base, out;
        uint32_t lines, stride, hops;
    } p = {.lines = lines, .stride = STRIDE, .hops = HOPS};
    size_t bytes = (size_t)sms * lines * sizeof(uint32_t);
    uint32_t *cycles = malloc(bytes);
    if (!cycles) {
        bench_fail(run, "out of memory");
        return;
    }
    p.base = bench_alloc(run, (uint64_t)lines * STRIDE);
    p.out = bench_alloc(run, bytes);
    for (unsigned l = 0; l < lines; l++) {
        uint64_t own = p.base + (uint64_t)l * STRIDE;
        bench_write(run, own, &own, sizeof own);
    }
    bench_launch(run, "slice_map", sms, 32, 0, &p, sizeof p);
    bench_read(run, cycles, p.out, bytes);
    if (!run->failed)
        summarise(run, cycles, lines);
    free(cycles);
}

const struct measure measure_slices = {
    .name = "slices",
    .title = "L2 hits by distance",
    .about = "Each SM reads lines that lie all over the L2 again and again. Cycles of a read, by the SM's place.",
    .label = "from",
    .column = {{"least", 1}, {"mean", 1}, {"most", 1}, {"sigma", 1}},
    .columns = 4,
    .plot = {.x = "", .y = "cycles of a hit", .across = {"slices.low", "slices.mean", "slices.high"}},
    .run = run,
};
