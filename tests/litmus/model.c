/* The enumeration's answers for the shapes whose answers the literature gives. */
#include "allowed.h"
#include "tests/unit.h"

static const struct litmus_test *find(const char *name)
{
    for (unsigned i = 0; i < litmus_test_count; i++)
        if (strcmp(litmus_tests[i].name, name) == 0)
            return &litmus_tests[i];
    fail_msg("no litmus test %s", name);
    return NULL;
}

/* Whether the outcome that the shape asks about is allowed, with the threads in one CTA or each in its own. */
static void expect(const char *name, const char *outcome, bool in_one, bool apart)
{
    static const unsigned ctas[2][LITMUS_THREADS] = {{0, 0, 0, 0}, {0, 1, 2, 3}};
    const struct litmus_test *test = find(name);
    for (unsigned p = 0; p < 2; p++) {
        struct outcomes allowed;
        bool found = false;
        litmus_allowed(test, ctas[p], &allowed);
        assert_in_range(allowed.count, 1, OUTCOMES - 1);
        for (unsigned i = 0; i < allowed.count; i++) {
            char text[100];
            outcome_text(test, allowed.outcome[i], text, sizeof text);
            found |= strstr(text, outcome) != NULL;
        }
        if (found != (p ? apart : in_one))
            fail_msg("%s: %s is %s", name, outcome, found ? "allowed" : "forbidden");
    }
}

static void message_passing_needs_release_and_acquire_in_a_scope_that_holds_both(void **state)
{
    (void)state;
    expect("mp_relaxed_gpu", "1:Y=1 1:X=0", true, true);
    expect("mp_volatile", "1:Y=1 1:X=0", true, true);
    expect("mp_release_gpu", "1:Y=1 1:X=0", false, false);
    expect("mp_release_sys", "1:Y=1 1:X=0", false, false);
    expect("mp_release_cta", "1:Y=1 1:X=0", false, true);
    expect("mp_fence_gpu", "1:Y=1 1:X=0", false, false);
    expect("mp_fence_cta", "1:Y=1 1:X=0", false, true);
    expect("mp_exchange_gpu", "1:Y=1 1:X=0", false, false);
    expect("mp_exchange_cta", "1:Y=1 1:X=0", false, true);
    expect("mp_release_gpu", "1:Y=1 1:X=1", true, true);
    expect("mp_release_gpu", "1:Y=0 1:X=0", true, true);
}

static void store_buffering_and_independent_reads_need_fences_of_the_strongest_kind(void **state)
{
    (void)state;
    expect("sb_relaxed_gpu", "0:Y=0 1:X=0", true, true);
    expect("sb_release_gpu", "0:Y=0 1:X=0", true, true);
    expect("sb_fence_gpu", "0:Y=0 1:X=0", true, true);
    expect("sb_sc_gpu", "0:Y=0 1:X=0", false, false);
    expect("sb_sc_cta", "0:Y=0 1:X=0", false, true);
    expect("sb_exchange_sc_gpu", "0:Y=0 1:X=0", false, false);
    expect("iriw_relaxed_gpu", "2:X=1 2:Y=0 3:Y=1 3:X=0", true, true);
    expect("iriw_acquire_gpu", "2:X=1 2:Y=0 3:Y=1 3:X=0", true, true);
    expect("iriw_sc_gpu", "2:X=1 2:Y=0 3:Y=1 3:X=0", false, false);
    expect("iriw_sc_cta", "2:X=1 2:Y=0 3:Y=1 3:X=0", false, true);
    expect("r_fence_gpu", "1:X=0 X=1 Y=2", true, true);
    expect("r_sc_gpu", "1:X=0 X=1 Y=2", false, false);
    expect("two_two_fence_gpu", "X=1 Y=1", true, true);
    expect("two_two_sc_gpu", "X=1 Y=1", false, false);
    expect("two_two_sc_cta", "X=1 Y=1", false, true);
}

static void load_buffering_and_s_need_release_and_acquire(void **state)
{
    (void)state;
    expect("lb_relaxed_gpu", "0:X=1 1:Y=1", true, true);
    expect("lb_release_gpu", "0:X=1 1:Y=1", false, false);
    expect("lb_fence_cta", "0:X=1 1:Y=1", false, true);
    expect("s_relaxed_gpu", "1:Y=1 X=2", true, true);
    expect("s_release_gpu", "1:Y=1 X=2", false, false);
    expect("s_release_cta", "1:Y=1 X=2", false, true);
}

static void what_has_been_read_is_passed_on(void **state)
{
    (void)state;
    expect("wrc_relaxed_gpu", "1:X=1 2:Y=1 2:X=0", true, true);
    expect("wrc_release_gpu", "1:X=1 2:Y=1 2:X=0", false, false);
    expect("wrc_release_cta_gpu", "1:X=1 2:Y=1 2:X=0", false, true);
    expect("wrc_release_gpu_cta", "1:X=1 2:Y=1 2:X=0", false, true);
    expect("isa2_gpu", "1:Y=1 2:Z=1 2:X=0", false, false);
    expect("isa2_cta_gpu", "1:Y=1 2:Z=1 2:X=0", false, true);
    expect("isa2_gpu_cta", "1:Y=1 2:Z=1 2:X=0", false, true);
}

static void one_location_is_coherent_without_fences(void **state)
{
    (void)state;
    expect("corr_gpu", "1:X=1 1:X=0", false, false);
    expect("corr_gpu", "1:X=1 1:X=2 X=1", false, false);
    expect("corr_cta", "1:X=1 1:X=0", false, true);
    expect("corr_gpu_cta", "1:X=1 1:X=0", false, false); /* observed, then program order: causality */
    expect("corr_cta_gpu", "1:X=1 1:X=0", false, true);
    expect("coww_gpu", " X=1 ", false, false);
    expect("coww_gpu", "1:X=2 1:X=1", false, false);
    expect("cowr_gpu", "0:X=0", false, false);
    expect("cowr_gpu", "0:X=2 1:X=1", false, false);
    expect("coxx_cta", "0:X=0 1:X=0", false, true);
}

UNIT_TESTS(UNIT(message_passing_needs_release_and_acquire_in_a_scope_that_holds_both),
           UNIT(store_buffering_and_independent_reads_need_fences_of_the_strongest_kind),
           UNIT(load_buffering_and_s_need_release_and_acquire), UNIT(what_has_been_read_is_passed_on),
           UNIT(one_location_is_coherent_without_fences))
