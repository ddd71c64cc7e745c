/* L2 slices with round numbers between mock neighbours: the test plays the SMs and the memory. */
#ifndef SUBCORE_TESTS_MEM_L2_RIG_H
#define SUBCORE_TESTS_MEM_L2_RIG_H

#include "base/bits.h"
#include "mem/l2_slice.h"
#include "mem/mem.h"
#include "tests/mem/round.h"
#include "tests/unit.h"

enum { LINK = 70, MEMORY = 200, RIG_FOREVER = 100000 };
enum { HIT = L2 + NOC, MISS = MEMORY + HIT }; /* from the arrival at the slice to that at the SM */

struct l2_rig {
    struct config config;
    struct l2_model model;
    struct arena arena;
    struct request_pool pool;
    struct l2_slice slice[2];
    unsigned slices;
    struct mem_counters n;
    struct memory_effects effects;
    struct l2_context context;
    struct reply reply[RIG_MOST];
    struct request applied[RIG_MOST];
    unsigned applies;
    uint64_t now;
    bool memory_takes_reads, memory_takes_writes;
    struct {
        uint64_t when, local;
        unsigned slice;
        uint16_t mshr;
        uint8_t sectors;
    } fill[RIG_MOST]; /* in order of their times */
    unsigned fills_begun, fills_done;
    struct l2_access write[RIG_MOST];
    unsigned writes;
};

static inline void rig_apply(void *self, const struct request *request)
{
    struct l2_rig *rig = self;
    assert_true(rig->applies < RIG_MOST);
    rig->applied[rig->applies++] = *request;
}

/* Links that are never in the way. */
static inline struct l2_rig *rig_new(void)
{
    struct l2_rig *rig = calloc(1, sizeof *rig);
    assert_non_null(rig);
    struct config *c = &rig->config;
    round_numbers(c);
    c->l2.atomic_latency = 0;
    c->l2.link_latency = LINK;
    c->l2.link_request_bytes = c->l2.link_reply_bytes = 1024;
    return rig;
}

/* Slice 0 is home to everything. Slice 1 is its mirror. */
static inline void rig_two_partitions(struct l2_rig *rig)
{
    rig->config.l2.partitions = 2;
    rig->config.l2.slices = 2;
    rig->config.l2.size *= 2;
    rig->config.dram.channels = 2;
}

static inline void rig_start(struct l2_rig *rig)
{
    l2_model_init(&rig->model, &rig->config);
    rig->slices = rig->config.l2.slices;
    assert_true(request_pool_create(&rig->pool, &rig->arena));
    for (unsigned i = 0; i < rig->slices; i++)
        assert_true(l2_slice_create(&rig->slice[i], &rig->model, i, rig->slices, i, &rig->arena));
    rig->effects = (struct memory_effects){rig, rig_apply};
    rig->context = (struct l2_context){.model = &rig->model,
                                       .effects = &rig->effects,
                                       .pool = &rig->pool,
                                       .slice = rig->slice,
                                       .n = &rig->n,
                                       .reply = rig->reply};
    rig->memory_takes_reads = rig->memory_takes_writes = true;
}

static inline void rig_free(struct l2_rig *rig)
{
    arena_free(&rig->arena);
    free(rig);
}

static inline struct request rig_request(enum request_kind kind, unsigned sectors, unsigned token)
{
    bool data = kind != REQUEST_LOAD;
    return (struct request){.lanes = 1,
                            .token = (uint16_t)token,
                            .sectors = (uint8_t)sectors,
                            .kind = (uint8_t)kind,
                            .effect = data,
                            .bytes = (uint8_t)(data ? popcount32(sectors) * PORT_SECTOR : 0u)};
}

/* Memory takes the slices' requests and answers reads MEMORY cycles later, one after the other. */
static inline void rig_memory(struct l2_rig *rig)
{
    for (unsigned i = 0; i < rig->slices; i++) {
        struct l2_slice *slice = &rig->slice[i];
        bool moved = false;
        for (; rig->memory_takes_reads && !l2_output_empty(&slice->reads); moved = true) {
            const struct l2_access *read = l2_output_front(&slice->reads);
            assert_true(rig->fills_begun < RIG_MOST);
            rig->fill[rig->fills_begun].when = rig->now + MEMORY;
            rig->fill[rig->fills_begun].slice = i;
            rig->fill[rig->fills_begun].local = read->local;
            rig->fill[rig->fills_begun].mshr = read->mshr;
            rig->fill[rig->fills_begun++].sectors = read->sectors;
            l2_output_pop(&slice->reads);
        }
        for (; rig->memory_takes_writes && !l2_output_empty(&slice->writes); moved = true) {
            rig->write[rig->writes++] = *l2_output_front(&slice->writes);
            l2_output_pop(&slice->writes);
        }
        if (moved)
            l2_slice_unblock(slice, rig->now);
    }
}

static inline uint64_t rig_next(const struct l2_rig *rig)
{
    uint64_t next = rig->fills_done < rig->fills_begun ? rig->fill[rig->fills_done].when : UINT64_MAX;
    for (unsigned i = 0; i < rig->slices; i++)
        next = rig->slice[i].wake < next ? rig->slice[i].wake : next;
    return next;
}

/* Everything that happens before `end`. */
static inline void rig_run(struct l2_rig *rig, uint64_t end)
{
    rig_memory(rig);
    for (uint64_t next = rig_next(rig); next < end; next = rig_next(rig)) {
        rig->now = next > rig->now ? next : rig->now;
        for (; rig->fills_done < rig->fills_begun && rig->fill[rig->fills_done].when <= rig->now; rig->fills_done++)
            l2_slice_fill(&rig->slice[rig->fill[rig->fills_done].slice], &rig->context, rig->now,
                          rig->fill[rig->fills_done].mshr, rig->fill[rig->fills_done].sectors);
        for (unsigned i = 0; i < rig->slices; i++)
            if (rig->slice[i].wake <= rig->now)
                l2_slice_run(&rig->slice[i], &rig->context, rig->now);
        rig_memory(rig);
    }
    rig->now = end == RIG_FOREVER ? rig->now : end;
}

/* A request for the line `local` of the slice `home` that enters at slice `entry` in a cycle that is not before earlier
 * ones. */
static inline void rig_send_home(struct l2_rig *rig, unsigned home, unsigned entry, uint64_t arrival,
                                 struct request request, uint64_t local)
{
    rig_run(rig, arrival);
    request.arrival = arrival;
    request.line = local * PORT_LINE;
    uint32_t index = request_pool_take(&rig->pool);
    rig->pool.entry[index] = (struct pooled_request){.request = request,
                                                     .local = local,
                                                     .set = address_map_set(&rig->model.map, local),
                                                     .home = (uint16_t)home,
                                                     .entry = (uint16_t)entry};
    l2_slice_arrive(&rig->slice[entry], &rig->context, index);
}

static inline void rig_send_at(struct l2_rig *rig, unsigned entry, uint64_t arrival, struct request request,
                               uint64_t local)
{
    rig_send_home(rig, 0, entry, arrival, request, local);
}

static inline void rig_send(struct l2_rig *rig, uint64_t arrival, enum request_kind kind, uint64_t local,
                            unsigned sectors, unsigned token)
{
    rig_send_at(rig, 0, arrival, rig_request(kind, sectors, token), local);
}

/* Arrival at the SM of the reply to the last request with this token (0: none). */
static inline uint64_t rig_arrival(const struct l2_rig *rig, unsigned token)
{
    for (uint32_t i = rig->context.replies; i-- > 0;)
        if (rig->reply[i].token == token)
            return rig->reply[i].arrival;
    return 0;
}

/* Sends one request alone and waits for it. */
static inline uint64_t rig_access_at(struct l2_rig *rig, unsigned entry, uint64_t arrival, struct request request,
                                     uint64_t local)
{
    rig_send_at(rig, entry, arrival, request, local);
    rig_run(rig, RIG_FOREVER);
    return rig_arrival(rig, request.token);
}

/* The same for a line that is at home where the request enters. */
static inline uint64_t rig_home_at(struct l2_rig *rig, unsigned slice, uint64_t arrival, struct request request,
                                   uint64_t local)
{
    rig_send_home(rig, slice, slice, arrival, request, local);
    rig_run(rig, RIG_FOREVER);
    return rig_arrival(rig, request.token);
}

static inline uint64_t rig_access(struct l2_rig *rig, uint64_t arrival, enum request_kind kind, uint64_t local,
                                  unsigned sectors)
{
    return rig_access_at(rig, 0, arrival, rig_request(kind, sectors, RIG_MOST), local);
}

/* Number of a line in the set: equal places after the rotation. */
static inline uint64_t rig_line_of_set(const struct l2_rig *rig, uint32_t set, unsigned number)
{
    for (uint64_t local = 0;; local++)
        if (address_map_set(&rig->model.map, local) == set && number-- == 0)
            return local;
}

static struct l2_rig *rig;

static inline int rig_setup(void **state)
{
    (void)state;
    rig = rig_new();
    return 0;
}

static inline int rig_teardown(void **state)
{
    (void)state;
    rig_free(rig);
    return 0;
}

#define RIG_UNIT(f) cmocka_unit_test_setup_teardown(f, rig_setup, rig_teardown)

#endif
