/* Local memory stays in the L1 until it is evicted; caching of loads and stores. The data stage, which
 * global and shared accesses take in turn. */
#include "tests/sm/harness.h"

enum { HIT = 32 };

static struct inst local(struct inst i)
{
    i.code.space = ISA_SPACE_LOCAL;
    return i;
}

static struct inst kept(struct inst i, enum l1_keep keep)
{
    i.code.keep = (uint8_t)keep;
    return i;
}

static struct harness *run(struct harness *h)
{
    harness_start(h, 1);
    harness_run(h);
    return h;
}

static void a_store_to_local_memory_stays_in_the_l1_and_its_load_hits(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    add(h, stall(local(stg(true, 4, 4096)), 15));
    add(h, stall(nop(), 15));
    add(h, local(load(4096, 0)));
    add(h, waits(nop(), 1));
    run(h);
    assert_int_equal(h->requests, 0);
    assert_int_equal(distance(h, 0, 2, 3), HIT);
    assert_int_equal(h->sm->n.l1_requests_local_store, 1);
    assert_int_equal(h->sm->n.l1_sectors_local_store, 4);
    assert_int_equal(h->sm->n.l1_sectors_local_load, 4);
    assert_int_equal(h->sm->n.l1_sectors_local_load_hit, 4);
    assert_int_equal(h->sm->n.l1_sectors_written_back, 0);
    harness_free(h);
}

static void a_part_of_a_sector_that_is_not_there_is_written_through(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    add(h, stall(lanes(local(stg(true, 4, 4096)), 0x1ff), 15)); /* a sector and four bytes */
    add(h, stall(local(stg(true, 4, 8192)), 15));
    add(h, stall(lanes(local(stg(true, 4, 8192)), 1), 15)); /* of a sector that is there */
    run(h);
    assert_int_equal(h->requests, 1);
    assert_int_equal(h->request[0].line, 4096);
    assert_int_equal(h->request[0].sectors, 2);
    assert_int_equal(h->request[0].partial, 2);
    harness_free(h);
}

static void local_memory_is_written_back_when_another_line_takes_its_place(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    h->config.sm.unified = 256; /* two lines */
    h->config.l1.ways = 1;
    add(h, stall(local(stg(true, 4, 4096)), 15));
    add(h, load(8192, 0)); /* the same set */
    add(h, waits(nop(), 1));
    run(h);
    assert_int_equal(h->requests, 2);
    assert_int_equal(h->request[0].kind, REQUEST_LOAD);
    assert_int_equal(h->request[1].kind, REQUEST_STORE);
    assert_int_equal(h->request[1].line, 4096);
    assert_int_equal(h->request[1].sectors, 0xf);
    assert_int_equal(h->request[1].bytes, 128);
    assert_int_equal(h->sm->n.l1_sectors_written_back, 4);
    harness_run_until(h, h->sm->now + 1000);
    assert_true(port_quiet(&h->sm->port));
    harness_free(h);
}

static void an_invalidation_leaves_local_memory_alone(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    add(h, stall(local(stg(true, 4, 4096)), 15));
    add(h, stall(cctl_ivall(), 15));
    add(h, stall(nop(), 15));
    add(h, local(load(4096, 0)));
    run(h);
    assert_int_equal(h->requests, 0);
    harness_free(h);
}

/* ld.lu of local memory: the last use of a spilled register. */
static void a_last_use_gives_the_line_up_without_writing_it(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    add(h, stall(local(stg(true, 4, 4096)), 15));
    add(h, kept(local(load(4096, 0)), L1_KEEP_LAST_USE));
    add(h, waits(nop(), 1));
    add(h, local(load(4096, 0)));
    add(h, waits(nop(), 1));
    run(h);
    assert_int_equal(h->requests, 1);
    assert_int_equal(h->request[0].kind, REQUEST_LOAD);
    assert_int_equal(h->sm->n.l1_sectors_written_back, 0);
    harness_free(h);
}

static void streaming_loads_stay_and_last_uses_and_no_allocate_do_not(void **state)
{
    (void)state;
    static const struct {
        enum l1_keep keep;
        unsigned requests;
    } rows[] = {{L1_KEEP_NORMAL, 1},    {L1_KEEP_FIRST, 1}, {L1_KEEP_LAST, 1},
                {L1_KEEP_UNCHANGED, 1}, {L1_KEEP_NOT, 2},   {L1_KEEP_LAST_USE, 2}};
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct harness *h = harness_new();
        add(h, kept(load(0, 0), rows[i].keep));
        add(h, waits(nop(), 1));
        add(h, load(0, 0));
        add(h, waits(nop(), 1));
        run(h);
        assert_int_equal(h->requests, rows[i].requests);
        harness_free(h);
    }
}

/* The first to want the line kept counts. */
static void loads_that_wait_for_one_line_keep_it_as_the_keenest_wants(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    add(h, kept(load(0, 0), L1_KEEP_NOT));
    add(h, load(0, 1));
    add(h, waits(waits(nop(), 1), 2));
    add(h, waits(nop(), 1));
    add(h, load(0, 0));
    add(h, waits(nop(), 1));
    run(h);
    assert_int_equal(h->requests, 1);
    harness_free(h);
}

static void requests_carry_priority_and_fetch_size_to_the_l2(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    struct inst i = load(0, 0);
    i.code.policy = POLICY_EVICT_LAST;
    i.code.fetch = 8;
    add(h, i);
    add(h, waits(nop(), 1));
    struct inst s = stg(true, 4, 4096);
    s.code.policy = POLICY_EVICT_FIRST;
    add(h, s);
    run(h);
    assert_int_equal(h->request[0].policy, POLICY_EVICT_LAST);
    assert_int_equal(h->request[0].fetch, 8);
    assert_int_equal(h->request[1].policy, POLICY_EVICT_FIRST);
    harness_free(h);
}

static void a_store_can_give_up_the_sectors_that_it_writes(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    h->config.l1.store = CONFIG_L1_STORE_INVALIDATE;
    add(h, stall(lanes(stg(true, 4, 0), 0xff), 15));
    add(h, load(0, 0));
    add(h, waits(nop(), 1));
    add(h, exit_warp());
    harness_begin(h);
    harness_warm_l1(h, 0, 128);
    harness_warp(h, 0, 0);
    harness_hold(h, START);
    harness_run(h);
    assert_int_equal(h->requests, 2);
    assert_int_equal(h->request[1].kind, REQUEST_LOAD);
    assert_int_equal(h->request[1].sectors, 1);
    assert_int_equal(h->sm->n.l1_sectors_store_hit, 1);
    harness_free(h);
}

/* ---- the data stage ---------------------------------------------------------------------------------------------- */

static void conflicts_in_the_banks_delay_a_hit(void **state)
{
    (void)state;
    static const unsigned strides[][2] = {{4, 1}, {8, 2}, {16, 4}, {128, 32}, {132, 1}};
    for (unsigned i = 0; i < sizeof strides / sizeof strides[0]; i++) {
        struct harness *h = harness_new();
        add(h, strided(load(0, 0), strides[i][0], 0));
        add(h, waits(nop(), 1));
        add(h, exit_warp());
        harness_begin(h);
        harness_warm_l1(h, 0, 8192);
        harness_warp(h, 0, 0);
        harness_hold(h, START);
        harness_run(h);
        unsigned passes = strides[i][1], tags = (strides[i][0] * 31 / 128 + 4) / 4;
        assert_int_equal(h->sm->n.l1_wavefronts, passes);
        assert_int_equal(h->sm->n.l1_conflicts, passes - 1);
        assert_int_equal(distance(h, 0, 0, 1), HIT + (passes > tags ? passes : tags) - 1);
        harness_free(h);
    }
}

/* Cycles from the first to the last of `count` loads in all sub-cores together, hits without dependences. */
static uint64_t stream(void (*configure)(struct config *), uint8_t bytes, unsigned count, bool shared)
{
    struct harness *h = harness_new();
    configure(&h->config);
    for (unsigned i = 0; i < count; i++) {
        add(h, ldg(4, true, bytes, 0));
        if (shared)
            add(h, lds(8, true, bytes, 0));
    }
    add(h, exit_warp());
    harness_begin(h);
    harness_warm_l1(h, 0, 1024);
    for (uint32_t w = 0; w < 8; w++)
        harness_warp(h, w, 0);
    harness_hold(h, START);
    harness_run(h);
    uint64_t cycles = h->end - START;
    harness_free(h);
    return cycles;
}

static void ga10x(struct config *c) { (void)c; }
static void ga100(struct config *c)
{
    c->lsu.accept_interval = 1;
    c->shared.pass_interval = 1;
}
static void turing(struct config *c)
{
    c->l1.pass_interval = c->shared.group_interval = 2;
    c->l1.wide_interval = 4;
}

/* 8 warps of 500 loads. Bytes a cycle are 32 lanes * bytes * 4000 / cycles. */
static void hits_stream_at_the_rates_measured(void **state)
{
    (void)state;
    static const struct {
        void (*configure)(struct config *);
        uint8_t bytes;
        unsigned rate;
    } rows[] = {{ga10x, 4, 64},   {ga10x, 8, 128}, {ga10x, 16, 128}, {ga100, 4, 128}, {ga100, 8, 128},
                {ga100, 16, 128}, {turing, 4, 64}, {turing, 8, 64},  {turing, 16, 32}};
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t least = (uint64_t)32 * rows[i].bytes * 4000 / rows[i].rate;
        uint64_t cycles = stream(rows[i].configure, rows[i].bytes, 500, false);
        assert_in_range(cycles, least, least + least / 50 + 60);
    }
}

/* Cycles of a load when 8 warps stream the instruction, hits. */
static uint64_t hit_interval(void (*configure)(struct config *), struct inst load)
{
    enum { COUNT = 64 };
    struct harness *h = harness_new();
    configure(&h->config);
    add_many(h, load, COUNT);
    add(h, exit_warp());
    harness_begin(h);
    harness_warm_l1(h, 0, 8192);
    for (uint32_t w = 0; w < 8; w++)
        harness_warp(h, w, 0);
    harness_hold(h, START);
    harness_run(h);
    uint64_t cycles = (h->end - START) / (8 * COUNT);
    harness_free(h);
    return cycles;
}

/* A TU102: 8.0 cycles, and 16 with an address for each lane. */
static void a_wide_load_of_one_sector_passes_as_fast_as_a_narrow_one(void **state)
{
    (void)state;
    assert_int_equal(hit_interval(turing, strided(ldg(4, true, 16, 0), 0, 0)), 8);
    assert_int_equal(hit_interval(turing, ldg(4, true, 16, 0)), 16);
    assert_int_equal(hit_interval(ga10x, strided(ldg(4, true, 16, 0), 0, 0)), 4);
}

/* Loads that miss 32 lines each: the tags of the next are looked up while the data of the one before pass. */
static uint64_t scattered_misses(uint32_t data_queue)
{
    enum { COUNT = 60 };
    struct harness *h = harness_new();
    h->config.l1.data_queue = data_queue;
    for (unsigned i = 0; i < COUNT; i++)
        add(h, strided(ldg(4, true, 4, 0), 128, 4096 * i));
    add(h, exit_warp());
    harness_start(h, 4);
    harness_run(h);
    uint64_t cycles = (h->end - START) / (4 * COUNT);
    harness_free(h);
    return cycles;
}

static void tags_of_a_load_are_looked_up_while_data_of_another_pass(void **state)
{
    (void)state;
    uint64_t apart = scattered_misses(0), together = scattered_misses(128);
    assert_true(apart >= 40);
    assert_in_range(together, 32, 36);
}

static void loads_of_global_and_of_shared_memory_take_the_array_in_turn(void **state)
{
    (void)state;
    uint64_t alone = stream(ga100, 16, 300, false), both = stream(ga100, 16, 300, true);
    assert_in_range(alone, 8 * 300 * 4, 8 * 300 * 4 + 300);
    assert_in_range(both, 2 * 8 * 300 * 4, 2 * 8 * 300 * 4 + 600);
}

UNIT_TESTS(UNIT(a_wide_load_of_one_sector_passes_as_fast_as_a_narrow_one),
           UNIT(tags_of_a_load_are_looked_up_while_data_of_another_pass),
           UNIT(a_store_to_local_memory_stays_in_the_l1_and_its_load_hits),
           UNIT(a_part_of_a_sector_that_is_not_there_is_written_through),
           UNIT(local_memory_is_written_back_when_another_line_takes_its_place),
           UNIT(an_invalidation_leaves_local_memory_alone), UNIT(a_last_use_gives_the_line_up_without_writing_it),
           UNIT(streaming_loads_stay_and_last_uses_and_no_allocate_do_not),
           UNIT(loads_that_wait_for_one_line_keep_it_as_the_keenest_wants),
           UNIT(requests_carry_priority_and_fetch_size_to_the_l2), UNIT(a_store_can_give_up_the_sectors_that_it_writes),
           UNIT(conflicts_in_the_banks_delay_a_hit), UNIT(hits_stream_at_the_rates_measured),
           UNIT(loads_of_global_and_of_shared_memory_take_the_array_in_turn))
