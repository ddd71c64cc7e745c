#include "mem/mem.h"

#include "base/hash.h"
#include "base/team.h"
#include "tests/mem/rig.h"

static void requests_of_one_cycle_take_effect_by_sm_then_by_order_of_sending(void **state)
{
    (void)state;
    struct rig *rig = rig_new();
    rig_start(rig);
    const struct {
        uint64_t arrival;
        uint16_t sm;
    } sent[] = {{90, 1}, {80, 1}, {90, 1}, {80, 2}, {90, 2}, {80, 2}};
    const unsigned order[] = {1, 3, 5, 0, 2, 4};
    for (unsigned i = 0; i < 6; i++) {
        struct request r = rig_request(sent[i].arrival, REQUEST_STORE, 0, 1, i);
        r.sm = sent[i].sm;
        mem_accept(rig->mem, &r);
    }
    rig_run(rig, 80);
    assert_int_equal(rig->applies, 0);
    rig_run(rig, 81);
    assert_int_equal(rig->applies, 1);
    rig_run(rig, 83);
    assert_int_equal(rig->applies, 3);
    rig_run(rig, 120);
    assert_int_equal(rig->applies, 6);
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(rig->applied[i].token, order[i]);
    rig_free(rig);
}

static void a_lower_sm_of_a_later_quantum_still_comes_first(void **state)
{
    (void)state;
    struct rig *rig = rig_new();
    rig_start(rig);
    for (unsigned i = 0; i < 3; i++) {
        struct request r = rig_request(100, REQUEST_REDUCTION, 0, 1, i);
        r.sm = (uint16_t)(i == 2 ? 3 : 5);
        mem_accept(rig->mem, &r);
        if (i == 1)
            rig_run(rig, 100);
    }
    rig_run(rig, 101);
    const unsigned order[] = {2, 0, 1};
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(rig->applied[i].token, order[i]);
    rig_free(rig);
}

static void only_requests_with_an_effect_are_applied(void **state)
{
    (void)state;
    struct rig *rig = rig_new();
    rig_start(rig);
    rig_send(rig, 50, REQUEST_LOAD, 0, 1, 0);
    struct request strong = rig_request(51, REQUEST_LOAD, 0, 1, 1);
    strong.effect = true;
    mem_accept(rig->mem, &strong);
    struct request timing_only = rig_request(52, REQUEST_STORE, 0, 1, 2);
    timing_only.effect = false;
    mem_accept(rig->mem, &timing_only);
    rig_run(rig, 100);
    assert_int_equal(rig->applies, 1);
    assert_int_equal(rig->applied[0].token, 1);
    rig_free(rig);
}

static void the_memory_is_idle_when_nothing_waits(void **state)
{
    (void)state;
    struct rig *rig = rig_new();
    rig_start(rig);
    assert_true(mem_idle(rig->mem));
    rig_send(rig, 100, REQUEST_STORE, 0, 1, 0);
    assert_false(mem_idle(rig->mem));
    rig_run(rig, 100);
    assert_false(mem_idle(rig->mem));
    rig_run(rig, 101);
    assert_true(mem_idle(rig->mem));
    rig_free(rig);
}

static void replies_are_handed_out_once_and_carry_the_request(void **state)
{
    (void)state;
    struct rig *rig = rig_new();
    rig_start(rig);
    struct request r = rig_request(100, REQUEST_ATOMIC, 0x12380, 6, 77);
    r.sm = 9;
    mem_accept(rig->mem, &r);
    mem_run(rig->mem, 0, 5000);
    mem_run(rig->mem, 0, 5100); /* keeps replies that have not been taken */
    uint32_t count;
    const struct reply *reply = mem_replies(rig->mem, 0, &count);
    assert_int_equal(count, 1);
    assert_int_equal(reply->line, 0x12380);
    assert_int_equal(reply->sm, 9);
    assert_int_equal(reply->token, 77);
    assert_int_equal(reply->sectors, 6);
    assert_int_equal(reply->kind, REQUEST_ATOMIC);
    mem_replies(rig->mem, 0, &count);
    assert_int_equal(count, 0);
    mem_run(rig->mem, 0, 5200);
    mem_replies(rig->mem, 0, &count);
    assert_int_equal(count, 0);
    rig_free(rig);
}

static void the_quantum_is_the_latency_of_the_network(void **state)
{
    (void)state;
    struct rig *rig = rig_new();
    rig->config.noc.latency = 23;
    rig_start(rig);
    assert_int_equal(mem_quantum(rig->mem), 23);
    rig_free(rig);
}

static void an_l2_without_a_set_is_refused(void **state)
{
    (void)state;
    struct config config;
    config_defaults(&config);
    config.l2.slices = 512;
    config.l2.ways = 64;
    config.l2.size = 65536;
    struct status status = {0};
    assert_null(mem_create(&config, (struct memory_effects){NULL, NULL}, &status));
    assert_int_equal(status.code, STATUS_CONFIG);
}

static void there_are_as_many_groups_as_slices_and_channels_divide_into(void **state)
{
    (void)state;
    const struct {
        uint32_t slices, channels, partitions, groups;
    } row[] = {{48, 24, 1, 24}, {80, 24, 1, 8}, {80, 40, 2, 20}, {80, 96, 2, 8}, {7, 3, 1, 1}, {4, 16, 2, 2}};
    for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
        struct rig *rig = rig_new();
        rig->config.l2.slices = row[i].slices;
        rig->config.l2.partitions = row[i].partitions;
        rig->config.l2.size = row[i].slices * 4 * PORT_LINE * 16;
        rig->config.dram.channels = row[i].channels;
        rig_start(rig);
        assert_int_equal(mem_groups(rig->mem), row[i].groups);
        rig_free(rig);
    }
}

static void contents_stay_between_kernels_when_they_shall(void **state)
{
    (void)state;
    for (unsigned keep = 0; keep < 2; keep++) {
        struct rig *rig = rig_new();
        rig->config.l2.keep = keep;
        rig_start(rig);
        rig_access(rig, 100, REQUEST_LOAD, 0, 15);
        rig_access(rig, 5000, REQUEST_STORE, PORT_LINE, 3);
        struct request late = rig_request(9000, REQUEST_LOAD, 2 * PORT_LINE, 1, 7);
        mem_accept(rig->mem, &late);
        rig_run(rig, 9001); /* on its way when the kernel ends */
        assert_int_equal(rig_counters(rig).l2_lines_normal, 3);
        assert_int_equal(rig_counters(rig).l2_sectors_dirty, 2);
        mem_reset(rig->mem);
        assert_true(mem_idle(rig->mem));
        struct mem_counters n = rig_counters(rig);
        assert_int_equal(n.l2_lines_normal, keep ? 2 : 0);
        assert_int_equal(n.l2_sectors_dirty, keep ? 2 : 0);
        assert_int_equal(n.l2_requests, 0);
        uint64_t reply = rig_access(rig, 100, REQUEST_LOAD, 0, 15);
        assert_true((reply == 100 + 3 + L2 + NOC) == keep);
        rig_access(rig, 5000, REQUEST_LOAD, PORT_LINE, 3);
        assert_int_equal(rig_counters(rig).l2_sectors_read_hit, keep ? 6 : 0);
        rig_free(rig);
    }
}

/* Consecutive lines, offered faster than the memory can serve them. */
static void check_stream(const struct config *config)
{
    enum { LINES = 200000 };
    struct status status = {0};
    struct mem *mem = mem_create(config, (struct memory_effects){NULL, NULL}, &status);
    assert_non_null(mem);
    uint64_t first = UINT64_MAX, last = 0;
    for (uint32_t sent = 0, now = 0; sent < LINES || !mem_idle(mem); now += 50) {
        for (unsigned i = 0; i < 2000 && sent < LINES; i++, sent++) {
            struct request r = rig_request(now + config->noc.latency + i / 40, REQUEST_LOAD,
                                           0x10000000 + (uint64_t)sent * PORT_LINE, 15, 0);
            mem_accept(mem, &r);
        }
        for (unsigned g = 0; g < mem_groups(mem); g++) {
            mem_run(mem, g, now + config->noc.latency + 50);
            uint32_t count;
            const struct reply *reply = mem_replies(mem, g, &count);
            for (uint32_t i = 0; i < count; i++) {
                first = reply[i].arrival < first ? reply[i].arrival : first;
                last = reply[i].arrival > last ? reply[i].arrival : last;
            }
        }
    }
    double peak = config->dram.bandwidth * 1e3 / config->gpu.clock;
    struct mem_counters n;
    mem_counters(mem, &n);
    double reached = (double)(n.dram_bytes_read + n.dram_bytes_written) / (double)(last - first);
    if (reached < 0.85 * peak || reached > peak)
        fail_msg("%.1f of %.1f bytes a cycle", reached, peak);
    mem_destroy(mem);
}

static void streams_of_reads_come_near_the_bandwidth_of_the_pins(void **state)
{
    (void)state;
    struct config config;
    config_defaults(&config);
    check_stream(&config);
    config.gpu.clock = 1410;
    config.l2.slices = 80;
    config.l2.size = 80 * 16 * 512;
    config.l2.sectors_per_cycle = 2;
    config.dram.channels = 40;
    config.dram.bandwidth = 1555;
    config.dram.row_bytes = 1024;
    check_stream(&config);
    config.dram.channels = 24; /* 80 slices do not divide by 24. Faster channels need longer queues */
    config.dram.queue = 128;
    check_stream(&config);
    config.dram.channels = 160; /* more channels than slices */
    check_stream(&config);
}

/* A mixture of everything over 24 groups, in quanta. Returns a digest of replies, effects and counters. */
struct mixture {
    uint64_t replies, effects[8192]; /* by line: requests of a line belong to one group */
};

static void digest_effect(void *self, const struct request *request)
{
    struct mixture *m = self;
    uint64_t line = request->line / PORT_LINE;
    uint64_t *digest = &m->effects[(line & 1023) | (request->line >> 24 & 7) << 10];
    *digest = hash_mix(*digest ^ request->arrival ^ (uint64_t)request->token << 32 ^ line << 40);
}

static struct request mixed(uint64_t now, unsigned sm, unsigned i, uint64_t *seed)
{
    *seed = hash_mix(*seed);
    uint64_t r = *seed;
    struct request request = rig_request(now + 40 + r % 40, (enum request_kind)(r >> 8 & 3),
                                         (r >> 16 & 1023) * PORT_LINE, (unsigned)((r >> 32) % 15) + 1, i);
    request.line += (r >> 40 & 7) << 24;
    request.sm = (uint16_t)sm;
    request.partial = request.kind == REQUEST_STORE ? r >> 48 & 15 : 0;
    return request;
}

struct step {
    struct mem *mem;
    uint64_t end;
};

static void run_group(void *context, unsigned group)
{
    struct step *step = context;
    mem_run(step->mem, group, step->end);
}

/* Orders 0 to 2 run the groups one by one, order 3 runs them in three threads. */
static void run_step(struct mem *mem, struct mixture *m, int order, struct team *team, uint64_t end)
{
    struct step step = {mem, end};
    int groups = (int)mem_groups(mem);
    for (int g = 0; g < groups && team == NULL; g++)
        run_group(&step, (unsigned)(order == 0 ? g : order == 1 ? groups - 1 - g : (g * 7 + 3) % groups));
    if (team != NULL)
        team_run(team, (unsigned)groups, run_group, &step);
    for (unsigned g = 0; g < (unsigned)groups; g++) {
        uint32_t count;
        const struct reply *reply = mem_replies(mem, g, &count);
        for (uint32_t i = 0; i < count; i++)
            m->replies = hash_mix(m->replies ^ reply[i].arrival ^ (uint64_t)reply[i].sm << 48 ^
                                  (uint64_t)reply[i].token << 32 ^ reply[i].line);
    }
}

static void run_mixture(struct mem *mem, struct mixture *m, int order)
{
    struct team *team = order == 3 ? team_create(3) : NULL;
    memset(m, 0, sizeof *m);
    uint64_t seed = 42, now = 0;
    for (; now < 40 * 100; now += 40) {
        for (unsigned sm = 0; sm < 20; sm++)
            for (unsigned i = 0; i < 10; i++) {
                struct request request = mixed(now, sm, i, &seed);
                mem_accept(mem, &request);
            }
        run_step(mem, m, order, team, now + 80);
    }
    for (; !mem_idle(mem); now += 40)
        run_step(mem, m, order, team, now + 80);
    if (team != NULL)
        team_destroy(team);
}

static struct mem *mixture_mem(struct mixture *m, uint32_t partitions)
{
    struct config config;
    config_defaults(&config);
    config.l2.size = 48 * 128 * 16; /* one set a slice: much eviction */
    config.l2.partitions = partitions;
    config.l2.mshrs = 24;
    config.l2.atomic_interval = 1; /* an atomic keeps a slice as busy as another access */
    struct status status = {0};
    struct mem *mem = mem_create(&config, (struct memory_effects){m, digest_effect}, &status);
    assert_non_null(mem);
    return mem;
}

static void groups_may_run_in_any_order_and_in_threads(void **state)
{
    (void)state;
    static struct mixture result[4];
    struct mem_counters n[4];
    for (uint32_t partitions = 1; partitions <= 2; partitions++) {
        for (int order = 0; order < 4; order++) {
            struct mem *mem = mixture_mem(&result[order], partitions);
            run_mixture(mem, &result[order], order);
            mem_counters(mem, &n[order]);
            mem_destroy(mem);
        }
        assert_int_equal(n[0].l2_requests, 20000);
        assert_true(n[0].l2_evictions_dirty > 0);
        assert_true((n[0].l2_requests_crossed > 0) == (partitions == 2));
        for (int order = 1; order < 4; order++) {
            assert_memory_equal(&result[order], &result[0], sizeof result[0]);
            assert_memory_equal(&n[order], &n[0], sizeof n[0]);
        }
    }
}

static void reset_equals_fresh(void **state)
{
    (void)state;
    static struct mixture fresh, again;
    struct mem_counters n_fresh, n_again, zero = {0};
    struct mem *mem = mixture_mem(&fresh, 2);
    run_mixture(mem, &fresh, 0);
    mem_counters(mem, &n_fresh);
    mem_destroy(mem);

    mem = mixture_mem(&again, 2);
    run_mixture(mem, &again, 0);
    struct request left = rig_request(1000000, REQUEST_STORE, 0, 1, 0);
    mem_accept(mem, &left); /* waits when the reset comes */
    mem_reset(mem);
    assert_true(mem_idle(mem));
    mem_counters(mem, &n_again);
    assert_memory_equal(&n_again, &zero, sizeof zero);
    uint32_t count;
    mem_replies(mem, 0, &count);
    assert_int_equal(count, 0);
    run_mixture(mem, &again, 0);
    mem_counters(mem, &n_again);
    assert_memory_equal(&again, &fresh, sizeof fresh);
    assert_memory_equal(&n_again, &n_fresh, sizeof n_fresh);
    mem_destroy(mem);
}

static void sectors_are_accounted_for_without_a_gap(void **state)
{
    (void)state;
    static struct mixture m;
    struct mem *mem = mixture_mem(&m, 1);
    run_mixture(mem, &m, 0);
    struct mem_counters n;
    mem_counters(mem, &n);
    assert_true(n.dram_bytes_written <= n.l2_evictions_dirty * PORT_SECTOR); /* the rest is on its way */
    assert_int_equal(n.l2_busy_cycles, n.l2_sectors_read + n.l2_sectors_write + n.l2_sectors_atomic);
    uint64_t misses = n.l2_sectors_read - n.l2_sectors_read_hit + n.l2_sectors_atomic - n.l2_sectors_atomic_hit;
    assert_true(n.dram_bytes_read / PORT_SECTOR <= misses); /* the rest merged */
    mem_destroy(mem);
}

UNIT_TESTS(UNIT(requests_of_one_cycle_take_effect_by_sm_then_by_order_of_sending),
           UNIT(a_lower_sm_of_a_later_quantum_still_comes_first), UNIT(only_requests_with_an_effect_are_applied),
           UNIT(the_memory_is_idle_when_nothing_waits), UNIT(replies_are_handed_out_once_and_carry_the_request),
           UNIT(the_quantum_is_the_latency_of_the_network), UNIT(an_l2_without_a_set_is_refused),
           UNIT(there_are_as_many_groups_as_slices_and_channels_divide_into),
           UNIT(contents_stay_between_kernels_when_they_shall),
           UNIT(streams_of_reads_come_near_the_bandwidth_of_the_pins), UNIT(groups_may_run_in_any_order_and_in_threads),
           UNIT(reset_equals_fresh), UNIT(sectors_are_accounted_for_without_a_gap))
