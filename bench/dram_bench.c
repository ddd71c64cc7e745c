/* DRAM channels alone: the share of the pin bandwidth that streams and random accesses reach on a channel of each GPU
 * whose queues are never empty, the latency of a lone read, and host time for a sector.
 *
 *   dram_bench [GPU] [key=value ...] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/hash.h"
#include "mem/dram_channel.h"
#include "port/message.h"

enum { ACCESSES = 60000, BATCH = 256, STREAMS = 3, ROWS_APART = 1 << 20 };

struct traffic {
    const char *name;
    unsigned reads, of; /* so many of so many accesses are reads */
    bool random;
    uint8_t sectors;
};

static const struct traffic traffics[] = {
    {"read", 1, 1, false, 15},  {"write", 0, 1, false, 15},       {"copy", 1, 2, false, 15},
    {"triad", 2, 3, false, 15}, {"random 128 B", 1, 1, true, 15}, {"random 32 B", 1, 1, true, 1},
};

/* Reads and writes walk through arrays of their own. Accesses of a stream come slightly out of order, as those from
 * many SMs do. */
static uint64_t line_of(const struct traffic *t, uint64_t number, bool write)
{
    if (t->random)
        return hash_mix(number) >> 40;
    uint64_t step = number / t->of, within = number % t->of;
    uint64_t shuffled = (step & ~UINT64_C(31)) | ((step * 13 + (step >> 5)) & 31);
    return (write ? STREAMS : within) * (uint64_t)ROWS_APART + shuffled;
}

struct result {
    double efficiency, seconds;
    struct mem_counters n;
};

static struct result drive(struct dram_channel *channel, const struct config *c, const struct traffic *t)
{
    struct dram_done done[BATCH];
    uint64_t now = 0, number = 0;
    dram_channel_reset(channel);
    clock_t begin = clock();
    while (number < ACCESSES) {
        bool write = number % t->of >= t->reads;
        if (dram_channel_room(channel, write)) {
            dram_channel_push(channel, now, line_of(t, number, write), t->sectors, write, 0);
            number++;
            continue;
        }
        now = dram_channel_next(channel);
        dram_channel_run(channel, now, done, BATCH);
    }
    struct result r = {.seconds = (double)(clock() - begin) / CLOCKS_PER_SEC};
    dram_channel_count(channel, &r.n);
    double bytes = (double)number * __builtin_popcount(t->sectors) * PORT_SECTOR;
    double peak = c->dram.bandwidth / c->dram.channels * 1e3 / c->gpu.clock; /* bytes a cycle */
    r.efficiency = bytes / (double)now / peak;
    return r;
}

static uint64_t lone_read(struct dram_channel *channel)
{
    struct dram_done done;
    dram_channel_reset(channel);
    dram_channel_push(channel, 1000, 5, 1, false, 0);
    while (dram_channel_run(channel, dram_channel_next(channel), &done, 1) == 0)
        ;
    return done.when - 1000;
}

static bool measure(const char *gpu, char **settings, int count)
{
    struct config config;
    struct status status = {0};
    bool good = config_load(&config, gpu, &status);
    for (int i = 0; i < count && good; i++)
        good = config_set(&config, settings[i], &status);
    if (!good) {
        fprintf(stderr, "%s\n", status.text);
        return false;
    }
    struct arena arena = {0};
    struct dram_channel channel;
    if (!dram_channel_create(&channel, &config, &arena))
        return false;
    double cycle = 1e3 / config.gpu.clock;
    uint64_t lone = lone_read(&channel);
    printf("%-12s lone read %3llu cycles = %3.0f ns (%u + array)\n", gpu, (unsigned long long)lone,
           (double)lone * cycle, config.dram.latency);
    for (size_t i = 0; i < sizeof traffics / sizeof *traffics; i++) {
        struct result r = drive(&channel, &config, &traffics[i]);
        double accesses = (double)(r.n.dram_row_hits + r.n.dram_row_misses);
        printf("  %-13s %5.1f %%  %7.0f GB/s  row hits %.3f  conflicts %6llu  turn-arounds %5llu  %4.0f ns/sector\n",
               traffics[i].name, 100 * r.efficiency, r.efficiency * config.dram.bandwidth,
               (double)r.n.dram_row_hits / accesses, (unsigned long long)r.n.dram_row_conflicts,
               (unsigned long long)r.n.dram_turnarounds, r.seconds / accesses * 1e9);
    }
    arena_free(&arena);
    return true;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strchr(argv[1], '=') == NULL)
        return measure(argv[1], argv + 2, argc - 2) ? 0 : 1;
    for (size_t i = 0; i < config_gpu_count(); i++)
        if (!measure(config_gpu_name(i), argv + 1, argc - 1))
            return 1;
    return 0;
}
