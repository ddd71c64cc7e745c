/* Launches that overlap, by the places and times of their CTAs: kernels of overlap.cu on an H200. */
#include "tests/gpu/overlap_rig.h"

/* ---- one --------------------------------------------------------------------------------------------------------- */

static void a_launch_that_is_alone_is_the_same_as_ever(void **state)
{
    (void)state;
    static const struct wish kinds[] = {
        {.kernel = "busy", .ctas = 700, .threads = 256, .steps = 60, .after = -1},
        {.kernel = "sums", .ctas = 300, .threads = 128, .steps = 8, .after = -1},
        {.kernel = "shared_busy", .ctas = 500, .threads = 96, .steps = 20, .shared = 40000, .after = -1},
    };
    for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct overlap_rig r;
        struct wish wish = kinds[i];
        overlap_begin(&r, 2, NULL);
        struct kernel_result expected = overlap_alone(&r, &wish);
        overlap_end(&r);
        overlap_begin(&r, 2, NULL);
        overlap_run(&r, &wish, 1);
        overlap_end(&r);
        expected.host_seconds = wish.result.host_seconds = 0;
        assert_memory_equal(&expected, &wish.result, sizeof expected);
        overlap_forget(&wish, 1);
    }
}

/* ---- two of half the size ---------------------------------------------------------------------------------------- */

static void two_kernels_on_half_of_the_sms_take_the_time_of_one(void **state)
{
    (void)state;
    struct overlap_rig r;
    struct wish wish[] = {
        {.kernel = "busy", .ctas = SMS / 2, .threads = WARP, .steps = 2000, .after = -1},
        {.kernel = "busy", .ctas = SMS / 2, .threads = WARP, .steps = 2000, .after = -1},
    };
    bool taken[SMS] = {false};
    overlap_begin(&r, 2, NULL);
    uint64_t one = overlap_alone(&r, wish).cycles;
    overlap_run(&r, wish, 2);
    assert_within_5_percent(end_of(wish, 2), one);
    for (int i = 0; i < 2; i++)
        for (uint32_t c = 0; c < wish[i].ctas; c++) {
            assert_false(taken[wish[i].note[c].sm]);
            taken[wish[i].note[c].sm] = true;
        }
    assert_true(first_begin(&wish[1]) < last_end(&wish[0]) && first_begin(&wish[0]) < last_end(&wish[1]));
    assert_int_equal(wish[0].result.overlapped, 1);
    overlap_end(&r);
    overlap_forget(wish, 2);
}

static void two_kernels_on_half_of_each_sm_take_the_time_of_one(void **state)
{
    (void)state;
    struct overlap_rig r;
    struct wish wish[] = {
        {.kernel = "shared_busy", .ctas = SMS, .threads = WARP, .steps = 2000, .shared = 100000, .after = -1},
        {.kernel = "shared_busy", .ctas = SMS, .threads = WARP, .steps = 2000, .shared = 100000, .after = -1},
    };
    unsigned held[2][SMS] = {{0}};
    overlap_begin(&r, 2, NULL);
    uint64_t one = overlap_alone(&r, wish).cycles;
    overlap_run(&r, wish, 2);
    assert_within_5_percent(end_of(wish, 2), one);
    for (int i = 0; i < 2; i++)
        for (uint32_t c = 0; c < SMS; c++)
            held[i][wish[i].note[c].sm]++;
    for (int sm = 0; sm < SMS; sm++)
        assert_true(held[0][sm] == 1 && held[1][sm] == 1);
    overlap_end(&r);
    overlap_forget(wish, 2);
}

static void what_does_not_fit_beside_others_waits(void **state)
{
    (void)state;
    struct overlap_rig r;
    struct wish wish[] = {
        {.kernel = "shared_busy", .ctas = SMS, .threads = WARP, .steps = 1000, .shared = 150000, .after = -1},
        {.kernel = "shared_busy", .ctas = SMS, .threads = WARP, .steps = 1000, .shared = 150000, .after = -1},
    };
    overlap_begin(&r, 2, NULL);
    overlap_run(&r, wish, 2);
    for (uint32_t c = 0; c < SMS; c++)
        for (uint32_t d = 0; d < SMS; d++)
            if (wish[0].note[c].sm == wish[1].note[d].sm)
                assert_true(wish[1].note[d].begin > wish[0].note[c].end);
    assert_true(wish[1].result.queued_cycles > 0);
    overlap_end(&r);
    overlap_forget(wish, 2);
}

/* Different code, each with much of it, and with its own constants. */
static void kernels_that_share_sms_compute_what_they_compute_alone(void **state)
{
    (void)state;
    struct overlap_rig r;
    struct wish wish[] = {
        {.kernel = "busy", .ctas = 3 * SMS, .threads = 64, .steps = 300, .after = -1},
        {.kernel = "sums", .ctas = 2 * SMS, .threads = 128, .steps = 9, .after = -1},
        {.kernel = "sums", .ctas = 2 * SMS, .threads = 128, .steps = 5, .own = true, .after = -1},
        {.kernel = "shared_busy", .ctas = SMS, .threads = 96, .steps = 200, .shared = 4096, .after = -1},
    };
    overlap_begin(&r, 2, NULL);
    overlap_run(&r, wish, 4);
    const uint32_t *cell = (const uint32_t *)(void *)memory_at(gpu_memory(r.gpu), r.cells);
    for (unsigned own = 0; own < 2; own++) {
        uint32_t expected = 0;
        for (uint32_t s = 0; s < wish[1 + own].steps; s++)
            expected = expected * 5 + s;
        for (uint32_t i = 0; i < 2 * SMS * 128; i++)
            assert_int_equal(cell[own * CELLS + i], expected);
    }
    overlap_end(&r);
    overlap_forget(wish, 4);
}

/* ---- the order --------------------------------------------------------------------------------------------------- */

static void the_ctas_of_the_kernel_launched_first_go_first(void **state)
{
    (void)state;
    struct overlap_rig r;
    struct wish wish[] = {
        {.kernel = "shared_busy", .ctas = 3 * SMS, .threads = WARP, .steps = 500, .shared = 100000, .after = -1},
        {.kernel = "shared_busy", .ctas = 20, .threads = WARP, .steps = 500, .shared = 100000, .after = -1},
    };
    overlap_begin(&r, 2, NULL);
    overlap_run(&r, wish, 2);
    assert_true(first_begin(&wish[1]) >= last_begin(&wish[0]) - 10);
    assert_true(first_begin(&wish[1]) < last_end(&wish[0]));
    overlap_end(&r);
    overlap_forget(wish, 2);
}

static void ctas_of_a_higher_priority_go_before_those_that_wait(void **state)
{
    (void)state;
    for (int priority = -5; priority <= 0; priority += 5) {
        struct overlap_rig r;
        struct wish wish[] = {
            {.kernel = "shared_busy", .ctas = 8 * SMS, .threads = WARP, .steps = 500, .shared = 100000, .after = -1},
            {.kernel = "shared_busy",
             .ctas = SMS,
             .threads = WARP,
             .steps = 500,
             .shared = 100000,
             .cycle = 2000,
             .priority = priority,
             .after = -1},
        };
        overlap_begin(&r, 2, NULL);
        overlap_run(&r, wish, 2);
        if (priority < 0)
            assert_true(last_end(&wish[1]) < last_begin(&wish[0]));
        else
            assert_true(first_begin(&wish[1]) + 10 >= last_begin(&wish[0]));
        overlap_end(&r);
        overlap_forget(wish, 2);
    }
}

static void a_limit_of_grids_holds_the_next_back(void **state)
{
    (void)state;
    struct overlap_rig r;
    struct wish wish[] = {
        {.kernel = "busy", .ctas = 20, .threads = WARP, .steps = 500, .after = -1},
        {.kernel = "busy", .ctas = 20, .threads = WARP, .steps = 900, .after = -1},
        {.kernel = "busy", .ctas = 20, .threads = WARP, .steps = 500, .after = -1},
    };
    overlap_begin(&r, 2, "launch.resident_grids=2");
    overlap_run(&r, wish, 3);
    assert_true(first_begin(&wish[1]) < last_end(&wish[0]));
    assert_true(first_begin(&wish[2]) > last_end(&wish[0]));
    overlap_end(&r);
    overlap_forget(wish, 3);
}

/* ---- programmatic dependent launch ------------------------------------------------------------------------------- */

static void a_dependent_grid_begins_early_and_waits_for_the_end(void **state)
{
    (void)state;
    for (unsigned programmatic = 0; programmatic < 2; programmatic++) {
        struct overlap_rig r;
        struct wish wish[] = {
            {.kernel = "primary", .ctas = SMS, .threads = 128, .steps = 2000, .after = -1},
            {.kernel = "secondary",
             .ctas = SMS,
             .threads = 128,
             .steps = 100,
             .after = 0,
             .programmatic = programmatic},
        };
        overlap_begin(&r, 2, NULL);
        overlap_run(&r, wish, 2);
        for (uint32_t c = 0; c < SMS; c++) {
            const struct note *n = &wish[1].note[c];
            assert_int_equal(n->first, 7); /* the primary's words */
            if (programmatic)
                assert_true(n->begin < last_end(&wish[0]) && n->end >= last_end(&wish[0]));
        }
        uint64_t gap = first_begin(&wish[1]) * 198 / 100;
        if (programmatic)
            assert_true(gap >= wish[0].preexit_cycle + r.config.launch.dependent_latency);
        else
            assert_int_equal(wish[1].result.begin_cycle, 0); /* nothing was in flight: a run of its own */
        overlap_end(&r);
        overlap_forget(wish, 2);
    }
}

/* ---- determinism ------------------------------------------------------------------------------------------------- */

static void the_result_does_not_depend_on_threads_or_skipping(void **state)
{
    (void)state;
    static const struct wish mix[] = {
        {.kernel = "sums", .ctas = 5 * SMS, .threads = 192, .steps = 4, .after = -1},
        {.kernel = "busy", .ctas = 3 * SMS, .threads = 64, .steps = 100, .cycle = 300, .after = -1},
        {.kernel = "shared_busy", .ctas = 200, .threads = 96, .steps = 60, .shared = 30000, .cycle = 900, .after = -1},
        {.kernel = "sums",
         .ctas = SMS,
         .threads = 96,
         .steps = 7,
         .cycle = 1500,
         .priority = -1,
         .own = true,
         .after = -1},
        {.kernel = "primary", .ctas = 77, .threads = 64, .steps = 90, .own = true, .after = 3},
        {.kernel = "secondary", .ctas = 77, .threads = 64, .steps = 30, .own = true, .after = 4, .programmatic = true},
    };
    enum { MIX = sizeof mix / sizeof mix[0] };
    static const struct {
        unsigned threads;
        const char *setting;
    } ways[] = {{1, NULL}, {2, NULL}, {5, NULL}, {1, "run.skip_idle=false"}, {3, "run.skip_idle=false"}};
    struct wish first[MIX];
    for (unsigned w = 0; w < sizeof ways / sizeof ways[0]; w++) {
        struct overlap_rig r;
        struct wish wish[MIX];
        memcpy(wish, mix, sizeof wish);
        overlap_begin(&r, ways[w].threads, ways[w].setting);
        overlap_run(&r, wish, MIX);
        overlap_end(&r);
        for (int i = 0; i < MIX; i++) {
            wish[i].result.host_seconds = wish[i].result.threads = 0;
            wish[i].result.config_hash = 0;
            if (w == 0)
                continue;
            assert_memory_equal(&wish[i].result, &first[i].result, sizeof wish[i].result);
            assert_memory_equal(wish[i].note, first[i].note, mix[i].ctas * sizeof(struct note));
            assert_int_equal(wish[i].end_cycle, first[i].end_cycle);
        }
        if (w == 0)
            memcpy(first, wish, sizeof first);
        else
            overlap_forget(wish, MIX);
    }
    overlap_forget(first, MIX);
}

/* ---- counters ---------------------------------------------------------------------------------------------------- */

static void each_kernel_has_its_own_instructions_and_stalls(void **state)
{
    (void)state;
    struct overlap_rig r;
    struct wish wish[] = {
        {.kernel = "sums", .ctas = 40 * SMS, .threads = 128, .steps = 9, .after = -1},
        {.kernel = "busy", .ctas = 3 * SMS, .threads = 64, .steps = 300, .after = -1},
    };
    overlap_begin(&r, 2, NULL);
    struct kernel_result expected[2] = {overlap_alone(&r, &wish[0]), overlap_alone(&r, &wish[1])};
    overlap_run(&r, wish, 2);
    for (int i = 0; i < 2; i++) {
        const struct kernel_result *n = &wish[i].result, *e = &expected[i];
        uint64_t stalls = 0;
        assert_int_equal(n->warp_instructions, e->warp_instructions);
        assert_int_equal(n->thread_instructions, e->thread_instructions);
        assert_int_equal(n->sm.thread_inst_executed, e->sm.thread_inst_executed);
        assert_int_equal(n->sm.warps, e->sm.warps);
        assert_int_equal(n->sm.ctas, e->sm.ctas);
        for (unsigned s = 0; s < STALL_COUNT; s++)
            stalls += n->sm.stall[s];
        assert_int_equal(stalls, n->sm.warp_cycles);
    }
    assert_true(wish[0].result.sm.l1_requests_load + wish[1].result.sm.l1_requests_load ==
                expected[0].sm.l1_requests_load + expected[1].sm.l1_requests_load);
    assert_true(wish[0].result.sm.stall[STALL_LONG_SCOREBOARD] > 0);
    /* A warp of the second waits for its own store at most. */
    assert_true(wish[1].result.sm.stall[STALL_LONG_SCOREBOARD] <= wish[1].result.sm.warps);
    assert_true(wish[0].result.sm.stall[STALL_LONG_SCOREBOARD] > 100 * wish[0].result.sm.warps);
    overlap_end(&r);
    overlap_forget(wish, 2);
}

UNIT_TESTS(UNIT(a_launch_that_is_alone_is_the_same_as_ever), UNIT(two_kernels_on_half_of_the_sms_take_the_time_of_one),
           UNIT(two_kernels_on_half_of_each_sm_take_the_time_of_one), UNIT(what_does_not_fit_beside_others_waits),
           UNIT(kernels_that_share_sms_compute_what_they_compute_alone),
           UNIT(the_ctas_of_the_kernel_launched_first_go_first),
           UNIT(ctas_of_a_higher_priority_go_before_those_that_wait), UNIT(a_limit_of_grids_holds_the_next_back),
           UNIT(a_dependent_grid_begins_early_and_waits_for_the_end),
           UNIT(the_result_does_not_depend_on_threads_or_skipping),
           UNIT(each_kernel_has_its_own_instructions_and_stalls))
