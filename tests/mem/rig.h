/* A small memory system with round numbers, a mock for effects, and helpers that send and collect. */
#ifndef SUBCORE_TESTS_MEM_RIG_H
#define SUBCORE_TESTS_MEM_RIG_H

#include "mem/mem.h"
#include "tests/mem/round.h"
#include "tests/unit.h"

enum { DRAM = 200, SLOT = 4 };

struct rig {
    struct config config;
    struct mem *mem;
    struct request applied[RIG_MOST];
    unsigned applies;
    struct reply reply[RIG_MOST]; /* by token */
    bool replied[RIG_MOST];
};

static inline void rig_apply(void *self, const struct request *request)
{
    struct rig *rig = self;
    assert_true(rig->applies < RIG_MOST);
    rig->applied[rig->applies++] = *request;
}

/* One channel that moves a sector in SLOT cycles. */
static inline struct rig *rig_new(void)
{
    struct rig *rig = calloc(1, sizeof *rig);
    assert_non_null(rig);
    struct config *c = &rig->config;
    round_numbers(c);
    c->gpu.clock = 1000;
    c->dram.bandwidth = 32.0 / SLOT;
    c->dram.latency = DRAM;
    c->dram.row_bytes = 2048;
    c->dram.banks = 16;
    c->dram.queue = 64;
    return rig;
}

static inline void rig_start(struct rig *rig)
{
    struct status status = {0};
    rig->mem = mem_create(&rig->config, (struct memory_effects){rig, rig_apply}, &status);
    if (rig->mem == NULL)
        fail_msg("%s", status.text);
}

static inline void rig_free(struct rig *rig)
{
    mem_destroy(rig->mem);
    free(rig);
}

static inline struct request rig_request(uint64_t arrival, enum request_kind kind, uint64_t line, unsigned sectors,
                                         unsigned token)
{
    unsigned count = (unsigned)__builtin_popcount(sectors);
    return (struct request){.arrival = arrival,
                            .line = line,
                            .lanes = 1,
                            .token = (uint16_t)token,
                            .sectors = (uint8_t)sectors,
                            .kind = (uint8_t)kind,
                            .effect = kind != REQUEST_LOAD,
                            .bytes = kind == REQUEST_LOAD ? 0 : (uint8_t)(count * PORT_SECTOR)};
}

static inline void rig_send(struct rig *rig, uint64_t arrival, enum request_kind kind, uint64_t line, unsigned sectors,
                            unsigned token)
{
    struct request request = rig_request(arrival, kind, line, sectors, token);
    mem_accept(rig->mem, &request);
}

static inline void rig_collect(struct rig *rig, unsigned group)
{
    uint32_t count;
    const struct reply *reply = mem_replies(rig->mem, group, &count);
    for (uint32_t i = 0; i < count; i++) {
        assert_true(reply[i].token < RIG_MOST);
        assert_false(rig->replied[reply[i].token]);
        rig->replied[reply[i].token] = true;
        rig->reply[reply[i].token] = reply[i];
    }
}

static inline void rig_run(struct rig *rig, uint64_t end)
{
    for (unsigned g = 0; g < mem_groups(rig->mem); g++) {
        mem_run(rig->mem, g, end);
        rig_collect(rig, g);
    }
}

/* Arrival at the SM of the reply to the request with this token. */
static inline uint64_t rig_arrival(const struct rig *rig, unsigned token)
{
    assert_true(rig->replied[token]);
    return rig->reply[token].arrival;
}

/* Sends one request and runs until it is answered. */
static inline uint64_t rig_access(struct rig *rig, uint64_t arrival, enum request_kind kind, uint64_t line,
                                  unsigned sectors)
{
    rig_send(rig, arrival, kind, line, sectors, RIG_MOST - 1);
    for (uint64_t end = arrival + 1; !rig->replied[RIG_MOST - 1]; end += NOC)
        rig_run(rig, end);
    rig->replied[RIG_MOST - 1] = false;
    return rig->reply[RIG_MOST - 1].arrival;
}

static inline struct mem_counters rig_counters(const struct rig *rig)
{
    struct mem_counters n;
    mem_counters(rig->mem, &n);
    return n;
}

#endif
