/* The legacy core's LD/ST unit, to the cycle. */
#include "sm/legacy/core.h"
#include "tests/sm/sass.h"

enum { WAY = 5, HIT = 4, SHARED_LATENCY = 20, L1_LATENCY = 20 };

/* Runs the program in one warp. The caller frees. */
static struct harness *run(struct harness *h)
{
    sass(h, "EXIT");
    harness_begin(h);
    harness_warp(h, 0, 0);
    harness_hold(h, 10);
    harness_run(h);
    return h;
}

static void shared_memory_takes_its_pipeline_and_the_way(void **state)
{
    (void)state;
    struct harness *h = sass_legacy();
    sass(h, "LDS R1, [R2]");
    sass(h, "MOV R3, R1");
    run(h);
    assert_int_equal(distance(h, 0, 0, 1), SHARED_LATENCY + WAY);
    harness_free(h);
}

static void a_conflict_of_n_ways_holds_the_unit_for_n_cycles(void **state)
{
    (void)state;
    for (uint32_t ways = 1; ways <= 32; ways *= 2) {
        struct harness *h = sass_legacy();
        for (unsigned i = 0; i < 2; i++)
            h->program[sass(h, i ? "LDS R4, [R2]" : "LDS R1, [R2]")].stride = 4 * ways;
        sass(h, "MOV R3, R1");
        sass(h, "MOV R5, R4");
        run(h);
        assert_int_equal(distance(h, 0, 0, 2), SHARED_LATENCY + WAY + ways - 1);
        assert_int_equal(distance(h, 0, 2, 3), ways);
        harness_free(h);
    }
}

static void a_hit_opens_the_scoreboard_behind_the_stages_of_its_bank(void **state)
{
    (void)state;
    struct harness *h = sass_legacy();
    sass(h, "LDG.E R2, [R2]");
    for (unsigned i = 0; i < 3; i++)
        sass(h, "LDG.E R2, [R2]");
    run(h);
    assert_true(distance(h, 0, 0, 1) > 200);
    assert_int_equal(distance(h, 0, 1, 2), L1_LATENCY + HIT);
    assert_int_equal(distance(h, 0, 2, 3), L1_LATENCY + HIT);
    assert_int_equal(h->requests, 4); /* of one sector each */
    for (uint32_t i = 0; i < h->requests; i++) {
        assert_int_equal(h->request[i].sectors, 1 << i);
        assert_int_equal(h->request[i].arrival, h->request[0].arrival + i); /* one in a cycle */
    }
    harness_free(h);
}

static void a_bank_takes_a_sector_in_a_cycle(void **state)
{
    (void)state;
    for (uint32_t words = 1; words <= 4; words *= 2) {
        struct harness *h = sass_legacy();
        const char *text[] = {[1] = "LDG.E R4, [R2]", [2] = "LDG.E.64 R4, [R2]", [4] = "LDG.E.128 R4, [R2]"};
        sass(h, text[words]);
        sass(h, "MOV R3, R4");
        sass(h, text[words]); /* hits */
        sass(h, "MOV R3, R4");
        run(h);
        assert_int_equal(distance(h, 0, 2, 3), L1_LATENCY + HIT + words - 1); /* 4 banks, 4 words sectors */
        harness_free(h);
    }
}

static void lanes_of_one_bank_go_one_after_the_other(void **state)
{
    (void)state;
    struct harness *h = sass_legacy();
    for (unsigned i = 0; i < 4; i += 2) {
        h->program[sass(h, "LDG.E R4, [R2]")].stride = 128;
        sass(h, "MOV R3, R4");
    }
    run(h);
    assert_int_equal(distance(h, 0, 2, 3), L1_LATENCY + HIT + 31);
    harness_free(h);
}

static void a_store_is_written_through_sector_by_sector(void **state)
{
    (void)state;
    struct harness *h = sass_legacy();
    sass(h, "STG.E [R2], R1");
    sass(h, "STG.E [R2], R1");
    run(h);
    assert_int_equal(h->requests, 8);
    for (uint32_t i = 0; i < 8; i++) {
        assert_int_equal(h->request[i].kind, REQUEST_STORE);
        assert_int_equal(h->request[i].bytes, 32);
    }
    assert_int_equal(h->sm->n.l1_sectors_store, 8);
    assert_int_equal(h->sm->n.l1_sectors_store_hit, 4);
    harness_free(h);
}

static void the_cache_is_passed_by_strong_loads_and_atomics(void **state)
{
    (void)state;
    struct harness *h = sass_legacy();
    for (unsigned i = 0; i < 2; i++)
        h->program[sass(h, "LDG.E.STRONG.GPU R4, [R2]")].deferred = true;
    run(h);
    assert_int_equal(h->requests, 8);
    harness_free(h);
    h = sass_legacy();
    h->program[sass(h, "ATOMG.E.ADD.STRONG.GPU PT, R4, [R2], R6")].deferred = true;
    run(h);
    assert_int_equal(h->requests, 4);
    assert_int_equal(h->request[0].kind, REQUEST_ATOMIC);
    harness_free(h);
}

static void a_warp_waits_for_its_atomics(void **state)
{
    (void)state;
    struct harness *h = sass_legacy();
    h->program[sass(h, "ATOMG.E.ADD.STRONG.GPU PT, R4, [R2], R6")].deferred = true;
    sass(h, "IADD3 R7, R8, R9, RZ"); /* depends on nothing */
    run(h);
    assert_true(distance(h, 0, 0, 1) > 200);
    assert_int_equal(h->sm->n.stall[STALL_LONG_SCOREBOARD], distance(h, 0, 0, 1) - 1);
    harness_free(h);
}

static void a_warp_leaves_when_its_stores_are_acknowledged(void **state)
{
    (void)state;
    struct harness *h = sass_legacy();
    sass(h, "STG.E [R2], R1");
    run(h);
    assert_true(h->finished[0] > issued_at(h, 0, 1) + 200);
    assert_true(h->sm->n.stall[STALL_DRAIN] > 200);
    harness_free(h);
}

static void a_full_miss_queue_holds_what_is_behind(void **state)
{
    (void)state;
    uint64_t cycles[2];
    for (unsigned i = 0; i < 2; i++) {
        struct harness *h = sass_legacy();
        h->config.legacy.l1_miss_queue = i ? 16 : 1;
        h->program[sass(h, "LDG.E.128 R4, [R2]")].stride = 128;
        sass(h, "MOV R3, R4");
        run(h);
        cycles[i] = distance(h, 0, 0, 1);
        assert_int_equal(h->requests, 32);
        harness_free(h);
    }
    assert_true(cycles[0] >= cycles[1]);
}

static void an_sm_without_ctas_empties_its_l1(void **state)
{
    (void)state;
    for (uint32_t both = 0; both < 2; both++) {
        struct harness *h = sass_legacy();
        sass(h, "LDG.E R4, [R2]");
        sass(h, "MOV R3, R4");
        sass(h, "EXIT");
        uint32_t late = sass(h, "NANOSLEEP 0x7d0"); /* of another CTA, which outlives the first */
        h->program[late].sleep = 2000;
        sass(h, "EXIT");
        harness_begin(h);
        harness_warp(h, 0, 0);
        if (both)
            harness_warp(h, 1, late);
        harness_run_until(h, 1000);
        assert_int_equal(h->requests, 4);
        h->pc[0] = 0;
        harness_warp(h, 0, 0);
        harness_run(h);
        assert_int_equal(h->requests, both ? 4 : 8);
        harness_free(h);
    }
}

UNIT_TESTS(UNIT(shared_memory_takes_its_pipeline_and_the_way), UNIT(a_conflict_of_n_ways_holds_the_unit_for_n_cycles),
           UNIT(a_hit_opens_the_scoreboard_behind_the_stages_of_its_bank), UNIT(a_bank_takes_a_sector_in_a_cycle),
           UNIT(lanes_of_one_bank_go_one_after_the_other), UNIT(a_store_is_written_through_sector_by_sector),
           UNIT(the_cache_is_passed_by_strong_loads_and_atomics), UNIT(a_warp_waits_for_its_atomics),
           UNIT(a_warp_leaves_when_its_stores_are_acknowledged), UNIT(a_full_miss_queue_holds_what_is_behind),
           UNIT(an_sm_without_ctas_empties_its_l1))
