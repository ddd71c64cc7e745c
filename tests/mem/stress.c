/* Requests at random to memory systems of odd shapes and the smallest queues: each is answered once and takes effect
 * once, the memory comes to rest, and neither depends on the steps in which it is run. */
#include "base/bits.h"
#include "base/hash.h"
#include "tests/mem/rig.h"

enum { REQUESTS = 3000, LINES = 160, SMS = 12, REST = 4000000, TOKENS = RIG_MOST };

struct shape {
    uint32_t slices, channels, partitions, ways, sets;
    uint32_t mshrs, merges, queue, write_queue, fetch;
    uint32_t link_bytes;
    const char *gpcs;
};

static const struct shape shapes[] = {
    {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, ""},
    {1, 3, 1, 2, 1, 1, 4, 1, 1, 4, 1, "12"},
    {7, 1, 1, 1, 3, 2, 1, 2, 1, 2, 1, "2 2 2 2 2 2"},
    {97, 3, 1, 1, 1, 1, 1, 1, 2, 1, 1, "6 6"},
    {2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, "6 6"},
    {2, 2, 2, 2, 1, 2, 1, 1, 1, 4, 1, "6 6"},
    {2, 6, 2, 2, 1, 3, 2, 1, 1, 1, 2, "4 4 4"},
    {6, 2, 2, 3, 1, 4, 1, 1, 1, 2, 1, "10 2"},
    {14, 10, 2, 2, 3, 2, 3, 3, 1, 1, 32, "2 4 6"},
    {6, 14, 2, 2, 2, 1, 64, 1, 64, 4, 1, "12"},
    {4, 4, 2, 64, 1, 64, 1, 1, 1, 4, 1, ""},
    {6, 6, 2, 2, 1, 8, 8, 1, 1, 1, 1, "6 6"},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static uint64_t random_state;

static uint32_t below(uint32_t n)
{
    random_state = hash_mix(random_state + 1);
    return (uint32_t)((random_state >> 32) % n);
}

static struct request any_request(uint64_t arrival, unsigned token)
{
    static const uint8_t fetches[] = {0, 1, 2, 4, 8};
    enum request_kind kind = (enum request_kind)below(4);
    uint64_t line = (uint64_t)below(below(4) == 0 ? 4 : LINES) * PORT_LINE;
    struct request r = rig_request(arrival, kind, line, 1 + below(15), token);
    r.sm = (uint16_t)below(SMS);
    r.policy = (uint8_t)below(4);
    r.fetch = fetches[below(5)];
    r.lanes = below(UINT32_MAX);
    r.effect |= below(3) == 0;
    r.partial = kind == REQUEST_STORE ? r.sectors & below(16) : 0;
    return r;
}

static struct rig *rig_of(const struct shape *s, bool copies)
{
    struct rig *rig = rig_new();
    struct config *c = &rig->config;
    c->gpu.sms = SMS;
    snprintf(c->gpu.gpcs, sizeof c->gpu.gpcs, "%s", s->gpcs);
    c->noc.spread = 9;
    c->noc.slice_request_bytes = c->noc.slice_reply_bytes = 8;
    c->l2.slices = s->slices;
    c->l2.ways = s->ways;
    c->l2.size = s->slices * s->ways * s->sets * PORT_LINE;
    c->l2.mshrs = s->mshrs;
    c->l2.mshr_merges = s->merges;
    c->l2.fetch_sectors = s->fetch;
    c->l2.partitions = s->partitions;
    c->l2.link_latency = 5;
    c->l2.link_request_bytes = c->l2.link_reply_bytes = s->link_bytes;
    c->l2.copies = copies;
    c->l2.latency = 7;
    c->dram.channels = s->channels;
    c->dram.bandwidth = 8.0 * s->channels;
    c->dram.latency = 11;
    c->dram.queue = s->queue;
    c->dram.write_queue = s->write_queue;
    rig_start(rig);
    return rig;
}

/* Sends bursts and pauses. Runs in steps of so many cycles until all is answered. */
static void play(struct rig *rig, uint64_t seed, uint32_t step)
{
    unsigned sent = 0;
    uint64_t end = 0, sending = 1;
    random_state = seed;
    while (sent < REQUESTS || !mem_idle(rig->mem)) {
        for (; sent < REQUESTS && sending <= end + NOC; sent++) {
            struct request r = any_request(sending + below(NOC), sent);
            assert_true(mem_accept(rig->mem, &r));
            sending += sent % 64 == 0 ? NOC * below(200) : below(2);
        }
        end += step;
        assert_true(end < REST);
        rig_run(rig, end);
    }
}

static void check_all_came(const struct rig *rig, const struct shape *s)
{
    unsigned effects[TOKENS] = {0};
    for (unsigned i = 0; i < rig->applies; i++)
        effects[rig->applied[i].token]++;
    for (unsigned token = 0; token < REQUESTS; token++) {
        if (!rig->replied[token] || effects[token] > 1)
            fail_msg("shape %d: request %u: %u effects", (int)(s - shapes), token, effects[token]);
        assert_true(effects[token] == 1 || rig->reply[token].kind == REQUEST_LOAD);
    }
}

static void any_shape_answers_everything_once_whatever_the_steps(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2 * SHAPES; i++) {
        const struct shape *s = &shapes[i / 2];
        struct rig *whole = rig_of(s, i % 2), *parts = rig_of(s, i % 2);
        play(whole, i, NOC);
        check_all_came(whole, s);
        play(parts, i, 7);
        check_all_came(parts, s);
        for (unsigned token = 0; token < REQUESTS; token++)
            if (whole->reply[token].arrival != parts->reply[token].arrival)
                fail_msg("shape %u: reply %u at %llu, or in smaller steps at %llu", i / 2, token,
                         (unsigned long long)whole->reply[token].arrival,
                         (unsigned long long)parts->reply[token].arrival);
        struct mem_counters a = rig_counters(whole), b = rig_counters(parts);
        assert_int_equal(a.l2_busy_cycles, b.l2_busy_cycles);
        assert_int_equal(a.l2_requests_crossed, b.l2_requests_crossed);
        assert_int_equal(a.dram_bytes_read, b.dram_bytes_read);
        rig_free(whole);
        rig_free(parts);
    }
}

UNIT_TESTS(UNIT(any_shape_answers_everything_once_whatever_the_steps))
