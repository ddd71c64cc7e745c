#include "mem/reuse_memory.h"

#include "tests/unit.h"

enum { L1_BYTES = 64 * 1024 };

static struct config config;

static struct reuse_memory *build(uint32_t sms)
{
    struct status status = {0};
    config_defaults(&config);
    struct reuse_memory *m = reuse_memory_create(&config, &status);
    assert_non_null(m);
    assert_true(reuse_memory_begin(m, sms, L1_BYTES));
    return m;
}

static struct request load(uint64_t line, uint8_t sectors, uint64_t arrival)
{
    return (struct request){.line = line, .sectors = sectors, .kind = REQUEST_LOAD, .arrival = arrival};
}

/* Cycles until the answer to a load that finds nothing else under way. */
static uint64_t answer(struct reuse_memory *m, uint64_t line, uint64_t arrival)
{
    const struct request r = load(line, 1, arrival);
    return reuse_memory_serve(m, &r) - arrival;
}

static void a_miss_takes_the_latency_of_memory_more_than_a_hit(void **state)
{
    (void)state;
    struct reuse_memory *m = build(2);
    m->first_wave = false;
    uint64_t miss = answer(m, 4096, 1000), hit = answer(m, 4096, 100000);
    assert_int_equal(miss - hit, m->memory_latency);
    assert_true(hit >= m->model.latency + m->model.noc.topology.latency);
    struct hybrid_result r = {0};
    reuse_memory_result(m, &r);
    assert_int_equal(r.counts.l2_loads, 2);
    assert_int_equal(r.counts.l2_load_hits, 1);
    assert_int_equal(r.counts.memory_reads, 1);
    reuse_memory_free(m);
}

static void a_line_of_another_sm_is_a_hit_that_takes_as_long_as_a_miss_in_the_first_wave_only(void **state)
{
    (void)state;
    for (unsigned first = 0; first < 2; first++) {
        struct reuse_memory *m = build(2);
        const struct request other = load(4096, 1, 0);
        m->first_wave = first;
        reuse_memory_see(m, 1, &other, false);
        uint64_t once = answer(m, 4096, 1000), again = answer(m, 4096, 100000);
        assert_int_equal(once - again, first ? m->memory_latency : 0);
        assert_int_equal(m->n.l2_load_hits, 2);
        reuse_memory_free(m);
    }
}

static void loads_of_an_sm_without_time_reach_the_l2_once_unless_they_pass_by_the_l1(void **state)
{
    (void)state;
    struct reuse_memory *m = build(2);
    const struct request r = load(4096, 3, 0), more = load(4096, 7, 0);
    reuse_memory_see(m, 1, &r, false);
    reuse_memory_see(m, 1, &r, false);
    reuse_memory_settle(m);
    assert_int_equal(m->n.l1_loads, 4);
    assert_int_equal(m->n.l1_hits, 2);
    assert_int_equal(m->n.l2_loads, 2);
    reuse_memory_see(m, 1, &more, false); /* one sector is new */
    reuse_memory_settle(m);
    assert_int_equal(m->n.l2_loads, 3);
    reuse_memory_see(m, 1, &more, true);
    reuse_memory_settle(m);
    assert_int_equal(m->n.l2_loads, 6);
    assert_int_equal(m->n.l2_load_hits, 3);
    assert_int_equal(m->n.l1_loads, 7);
    reuse_memory_free(m);
}

static void misses_come_as_fast_as_the_share_of_memory_lets_them(void **state)
{
    (void)state;
    enum { LINES = 400 };
    for (uint32_t sms = 1; sms <= 4; sms *= 2) {
        struct reuse_memory *m = build(sms);
        uint64_t first = 0, last = 0;
        for (uint64_t i = 0; i < LINES; i++) {
            const struct request r = load(i * PORT_LINE, 15, 1000);
            uint64_t back = reuse_memory_serve(m, &r) -
                            topology_latency(&m->model.noc.topology, 0, address_map_place(&m->model.map, r.line).slice);
            first = i ? first : back;
            last = back;
        }
        double pins = config.dram.bandwidth * 1e3 / config.gpu.clock * MEMORY_EFFICIENCY;
        double least = (LINES - 1) * PORT_LINE * sms / pins;
        assert_true((double)(last - first) >= least - 2);
        assert_true(m->share.memory_sector < m->share.l2_sector || (double)(last - first) <= least + 2);
        reuse_memory_free(m);
    }
}

static struct reuse_memory *build_of_paper(uint32_t sms)
{
    struct reuse_memory *m = build(sms);
    config.run.hybrid_formulas = CONFIG_HYBRID_PAPER;
    return m;
}

static void the_papers_caches_hit_all_but_the_first_use_of_a_line(void **state)
{
    (void)state;
    enum { LINES = 20000 }; /* more than an L1 holds */
    struct reuse_memory *m = build_of_paper(2);
    for (unsigned round = 0; round < 3; round++)
        for (uint64_t i = 0; i < LINES; i++) {
            const struct request r = load(i * PORT_LINE, 7, 0);
            reuse_memory_see(m, 1, &r, false);
        }
    struct hybrid_result r = {0};
    reuse_memory_result(m, &r);
    assert_true(r.paper && r.l2 == 0 && r.memory == 0 && r.atomics == 0);
    assert_int_equal(r.counts.l1_loads, 9 * LINES); /* lines of 32 bytes */
    assert_int_equal(r.counts.l1_hits, 6 * LINES);
    assert_int_equal(r.counts.l2_loads, 9 * LINES); /* all reach the L2, with lines of 64 bytes */
    assert_int_equal(r.counts.l2_load_hits, 6 * LINES);
    assert_int_equal(r.counts.memory_reads, 4 * LINES);
    reuse_memory_free(m);
}

static void an_answer_takes_the_papers_mean_access_time_of_its_class_and_queues_nowhere(void **state)
{
    (void)state;
    struct reuse_memory *m = build_of_paper(2);
    struct request store = load(1 << 20, 3, 1000);
    store.kind = REQUEST_STORE;
    uint64_t cold = answer(m, 0, 1000); /* 0 of 1 hit */
    const struct request again = load(0, 1, 1000);
    for (unsigned i = 0; i < 2; i++)
        reuse_memory_see(m, 1, &again, false); /* 2 of 3 */
    uint64_t near = answer(m, 0, 1000);        /* 3 of 4 */
    assert_int_equal(near, cold - m->memory_latency + m->memory_latency / 4);
    for (unsigned i = 0; i < 200; i++)
        assert_true(answer(m, (uint64_t)i * PORT_LINE + (1 << 21), 1000) <= cold);
    uint64_t way = topology_latency(&m->model.noc.topology, 0, address_map_place(&m->model.map, store.line).slice);
    assert_int_equal(reuse_memory_serve(m, &store) - 1000, m->model.latency + m->memory_latency + way + 2 * m->far);
    reuse_memory_free(m);
}

UNIT_TESTS(UNIT(the_papers_caches_hit_all_but_the_first_use_of_a_line),
           UNIT(an_answer_takes_the_papers_mean_access_time_of_its_class_and_queues_nowhere),
           UNIT(a_miss_takes_the_latency_of_memory_more_than_a_hit),
           UNIT(a_line_of_another_sm_is_a_hit_that_takes_as_long_as_a_miss_in_the_first_wave_only),
           UNIT(loads_of_an_sm_without_time_reach_the_l2_once_unless_they_pass_by_the_l1),
           UNIT(misses_come_as_fast_as_the_share_of_memory_lets_them))
