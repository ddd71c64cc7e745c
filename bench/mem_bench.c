/* Speed of the memory system alone: million requests a second on one host thread, for traffic that hits, streams and
 * mixes.
 *
 *   cc -std=c17 -O3 -DNDEBUG -D_GNU_SOURCE -I. -Isrc bench/mem_bench.c <the libraries of mem> -o mem_bench
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/hash.h"
#include "mem/mem.h"

enum { REQUESTS = 4000000, QUANTUM = 40, SMS = 84 };

struct traffic {
    const char *name;
    uint64_t lines;        /* footprint */
    bool scattered;        /* random lines and kinds; else a stream of loads */
    unsigned sectors;      /* bit mask, 0: any */
    unsigned each_quantum; /* requests of an SM */
};

static void ignore(void *self, const struct request *request)
{
    (void)self;
    (void)request;
}

static struct request make(const struct traffic *t, uint64_t number, uint64_t now, unsigned sm)
{
    uint64_t h = hash_mix(number);
    struct request r = {.arrival = now + QUANTUM + h % QUANTUM, .lanes = 32, .sm = (uint16_t)sm, .sectors = 15};
    r.line = (t->scattered ? (h >> 20) % t->lines : number % t->lines) * PORT_LINE;
    r.kind = t->scattered && h >> 8 & 1 ? (uint8_t)(h >> 9 & 3) : REQUEST_LOAD;
    r.sectors = (uint8_t)(t->sectors != 0 ? t->sectors : (unsigned)(h >> 12 & 15) % 15 + 1);
    r.effect = r.kind != REQUEST_LOAD;
    r.bytes = r.effect ? 128 : 0;
    return r;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static uint64_t run(struct mem *mem, const struct traffic *t)
{
    uint64_t number = 0, digest = 0;
    for (uint64_t now = 0; number < REQUESTS; now += QUANTUM) {
        for (unsigned sm = 0; sm < SMS; sm++)
            for (unsigned i = 0; i < t->each_quantum; i++) {
                struct request r = make(t, number++, now, sm);
                mem_accept(mem, &r);
            }
        for (unsigned g = 0; g < mem_groups(mem); g++) {
            mem_run(mem, g, now + 2 * QUANTUM);
            uint32_t count;
            const struct reply *reply = mem_replies(mem, g, &count);
            for (uint32_t i = 0; i < count; i++)
                digest += reply[i].arrival;
        }
    }
    return digest;
}

int main(void)
{
    const struct traffic traffic[] = {
        {"hits, 1 sector", 16384, false, 1, 10},
        {"hits, 4 sectors", 16384, false, 15, 4},
        {"stream, 4 sectors", UINT64_MAX, false, 15, 1},
        {"mixture, L2-sized", 49152, true, 0, 4},
        {"mixture, 64 times the L2", 49152 * 64, true, 0, 1},
    };
    struct config config;
    config_defaults(&config);
    struct status status = {0};
    struct mem *mem = mem_create(&config, (struct memory_effects){NULL, ignore}, &status);
    if (mem == NULL) {
        fprintf(stderr, "%s\n", status.text);
        return 1;
    }
    for (size_t i = 0; i < sizeof traffic / sizeof *traffic; i++) {
        mem_reset(mem);
        double begin = seconds();
        uint64_t digest = run(mem, &traffic[i]);
        double time = seconds() - begin;
        struct mem_counters n;
        mem_counters(mem, &n);
        printf("%-26s %6.2f million requests/s  %6.1f ns each  digest %016llx  hits %.2f\n", traffic[i].name,
               (double)n.l2_requests / time * 1e-6, time / (double)n.l2_requests * 1e9, (unsigned long long)digest,
               n.l2_sectors_read == 0 ? 0 : (double)n.l2_sectors_read_hit / (double)n.l2_sectors_read);
    }
    mem_destroy(mem);
    return 0;
}
