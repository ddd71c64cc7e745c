/* Where a limit ends a run is exact: the cycle does not depend on threads and skipping, and the counts until then are
 * those of the whole run until then. The rest can be executed, and memory is right. */
#include "cli/demo.h"
#include "tests/unit.h"

struct outcome {
    uint64_t digest;
    struct kernel_result first; /* launch */
};

static const struct example *find(const char *name)
{
    struct status status = {0};
    const struct example *example = demo_find(name, &status);
    if (!example)
        fail_msg("%s", status.text);
    return example;
}

/* A policy of src/plan and its number (0: everything is timed). */
struct limit {
    const char *policy;
    uint64_t number;
    bool finish;
    const char *text; /* instead of the number (NULL: none) */
};

static void run(const char *name, const struct limit *limit, unsigned threads, bool skip, struct outcome *out)
{
    struct status status = {0};
    struct cli_options options = {.gpu = "rtx-a6000", .threads = threads, .quiet = true};
    const char *set[] = {skip ? "run.skip_idle=true" : "run.skip_idle=false"};
    options.set = (struct cli_list){set, 1};
    struct session session;
    struct demo_run demo;
    if (!session_begin(&session, &options, &status))
        fail_msg("%s", status.text);
    assert_true(plan_add_number(&session.plan, limit->policy, "limit", limit->number, &status));
    if (limit->text)
        assert_true(plan_add(&session.plan, limit->policy, "limit", limit->text, &status));
    session.plan.finish = limit->finish;
    assert_true(session_renew(&session, &status));
    if (!demo_run(&demo, find(name), &session, &status))
        fail_msg("%s: %s%s%s", name, status.text, demo.status.text, demo.check.text);
    assert_in_range(demo.count, 1, 64);
    memset(out, 0, sizeof *out);
    out->digest = demo.memory_digest;
    out->first = demo.results[0];
    out->first.host_seconds = 0;
    out->first.threads = 0;
    out->first.config_hash = 0;
    demo_run_free(&demo);
    session_end(&session);
}

static const struct limit none = {"until-cycles", 0, false, NULL};

static void compare(const char *name, const struct limit *limit, struct outcome *first)
{
    static const struct {
        unsigned threads;
        bool skip;
    } variants[] = {{8, true}, {3, false}, {2, true}};
    const size_t count = unit_full() ? 3 : 2;
    struct outcome other;
    run(name, limit, 1, true, first);
    for (size_t v = 0; v < count; v++) {
        run(name, limit, variants[v].threads, variants[v].skip, &other);
        if (memcmp(first, &other, sizeof other) != 0)
            fail_msg("%s differs with %u threads, skipping %s: stopped at %llu and %llu", name, variants[v].threads,
                     variants[v].skip ? "on" : "off", (unsigned long long)first->first.cycles,
                     (unsigned long long)other.first.cycles);
    }
}

static const char *const examples[] = {"hgemm", "histogram-global", "reduce-shuffle", "nbody"};
enum { EXAMPLES = sizeof examples / sizeof examples[0] };

static void a_limit_of_cycles_ends_before_that_cycle_and_counts_all_before_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < EXAMPLES; i++) {
        struct outcome whole, stopped, next;
        run(examples[i], &none, 1, true, &whole);
        assert_true(whole.first.complete && whole.first.stop == STOP_NONE);
        uint64_t at = whole.first.cycles * 2 / 3 + i;
        compare(examples[i], &(struct limit){"until-cycles", at, false, NULL}, &stopped);
        assert_int_equal(stopped.first.stop, STOP_CYCLES);
        assert_false(stopped.first.complete || stopped.first.rest_executed);
        assert_int_equal(stopped.first.cycles, at);
        run(examples[i], &(struct limit){"until-cycles", at + 1, false, NULL}, 1, true, &next);
        assert_int_equal(next.first.cycles, at + 1);
        assert_true(next.first.sm.cycles_active >= stopped.first.sm.cycles_active);
        assert_true(next.first.sm.cycles_active <= stopped.first.sm.cycles_active + stopped.first.sms);
        run(examples[i], &(struct limit){"until-cycles", whole.first.cycles + 100000, false, NULL}, 1, true, &next);
        assert_int_equal(next.digest, whole.digest);
        assert_memory_equal(&next.first, &whole.first, sizeof whole.first);
    }
}

static void a_limit_of_instructions_ends_behind_the_cycle_in_which_the_last_issues(void **state)
{
    (void)state;
    for (size_t i = 0; i < EXAMPLES; i++) {
        struct outcome whole, stopped, same, before;
        run(examples[i], &none, 1, true, &whole);
        uint64_t limit = whole.first.warp_instructions / 2 + i;
        compare(examples[i], &(struct limit){"until-insts", limit, false, NULL}, &stopped);
        assert_int_equal(stopped.first.stop, STOP_INSTRUCTIONS);
        assert_true(stopped.first.warp_instructions >= limit);
        run(examples[i], &(struct limit){"until-cycles", stopped.first.cycles - 1, false, NULL}, 1, true, &before);
        assert_true(before.first.warp_instructions < limit);
        run(examples[i], &(struct limit){"until-cycles", stopped.first.cycles, false, NULL}, 1, true, &same);
        assert_int_equal(same.first.stop, STOP_CYCLES);
        same.first.stop = STOP_INSTRUCTIONS;
        assert_memory_equal(&same.first, &stopped.first, sizeof same.first);
    }
}

/* run() checks the example's results. */
static void what_a_limit_leaves_can_be_executed_from_any_cycle(void **state)
{
    static const char *const names[] = {"hgemm", "histogram-shared", "reduce-shared",
                                        "scan",  "sgemm-register",   "spmv-scalar"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct outcome whole, stopped;
        run(names[i], &none, 1, true, &whole);
        for (unsigned part = 1; part < 12; part += unit_full() ? 2 : 4) {
            const struct limit limit = {"until-cycles", whole.first.cycles * part / 12 + 7 * part, true, NULL};
            run(names[i], &limit, 1, true, &stopped);
            if (stopped.first.complete)
                continue;
            assert_true(stopped.first.rest_executed);
            assert_int_equal(stopped.first.warp_instructions + stopped.first.rest_instructions,
                             whole.first.warp_instructions);
            assert_int_equal(stopped.digest, whole.digest);
        }
    }
}

static void only_the_first_ctas_are_timed_and_all_are_executed(void **state)
{
    struct outcome whole, some;
    (void)state;
    run("sgemm-tiled", &none, 1, true, &whole);
    compare("sgemm-tiled", &(struct limit){"first-ctas", 11, false, NULL}, &some);
    assert_int_equal(some.first.stop, STOP_CTAS);
    assert_int_equal(some.first.ctas_done, 11);
    assert_int_equal(some.first.sms_used, 11);
    assert_true(some.first.rest_executed && !some.first.complete);
    assert_int_equal(some.first.warp_instructions * whole.first.ctas, whole.first.warp_instructions * 11);
    assert_int_equal(some.first.warp_instructions + some.first.rest_instructions, whole.first.warp_instructions);
    assert_int_equal(some.digest, whole.digest);
    run("sgemm-tiled", &(struct limit){"first-ctas", whole.first.ctas, false, NULL}, 1, true, &some);
    assert_memory_equal(&some.first, &whole.first, sizeof whole.first);
}

/* run() checks the example's results. */
static void memory_after_windows_is_that_of_a_whole_run(void **state)
{
    static const char *const names[] = {"sgemm-tiled", "histogram-global", "scan", "reduce-shuffle"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct outcome whole, some;
        run(names[i], &none, 1, true, &whole);
        compare(names[i], &(struct limit){"window", 0, false, "3-9,12,20-30"}, &some);
        assert_int_equal(some.digest, whole.digest);
        assert_int_equal(some.first.warp_instructions + some.first.rest_instructions, whole.first.warp_instructions);
        assert_true(some.first.rest_executed && some.first.ctas_done <= 19);
    }
}

UNIT_TESTS(UNIT(a_limit_of_cycles_ends_before_that_cycle_and_counts_all_before_it),
           UNIT(a_limit_of_instructions_ends_behind_the_cycle_in_which_the_last_issues),
           UNIT(what_a_limit_leaves_can_be_executed_from_any_cycle),
           UNIT(only_the_first_ctas_are_timed_and_all_are_executed), UNIT(memory_after_windows_is_that_of_a_whole_run))
