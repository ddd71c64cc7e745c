#include "clock.h"

#include <math.h>
#include <stdio.h>

#include "validate/micro/bench.h"

enum { LEAST_TRIES = 8, TRIES = 40, SHORT_HOPS = 1 << 15, LONG_HOPS = 1 << 18, PLACES = 64 };

struct lap {
    double cycles, ns;
};

static bool chase(struct card *card, const struct measure_device *device, uint32_t hops, struct lap *lap)
{
    static const struct measure none = {.name = "clock"};
    struct measure_run run = {.measure = &none, .device = device};
    const struct chain chain = {.lines = PLACES, .stride = BENCH_LINE, .lap = PLACES, .hops = hops};
    uint64_t base = bench_alloc(&run, PLACES * BENCH_LINE);
    lap->cycles = chain_time(&run, "chase_ca", base, &chain) * hops;
    lap->ns = card->launch_ns;
    bench_release(&run);
    return !run.failed;
}

bool clock_measure(struct card *card, double *mhz)
{
    struct measure_device device;
    double before = 0;
    if (!card_measure_device(card, &device))
        return false;
    for (unsigned i = 0; i < TRIES; i++) {
        struct lap little, much;
        if (!chase(card, &device, SHORT_HOPS, &little) || !chase(card, &device, LONG_HOPS, &much))
            return false;
        if (!(much.ns > little.ns))
            continue;
        double now = 1e3 * (much.cycles - little.cycles) / (much.ns - little.ns);
        if (i + 1 >= LEAST_TRIES && fabs(now - before) < 0.002 * now) {
            *mhz = now;
            return true;
        }
        before = now;
    }
    snprintf(card->error, sizeof card->error, "the clock of the SMs does not settle, it is near %.0f MHz", before);
    return false;
}
