/* Every example, on every architecture that it is compiled for; and on cores whose accesses take effect late. */
#include "../unit.h"
#include "example_run.h"

static void run_list(const struct example *examples, size_t count, unsigned sm, uint64_t seed)
{
    size_t failed = 0;
    for (size_t i = 0; i < count; i++) {
        struct example_run run = example_run(&examples[i], sm, seed);
        printf("# sm_%u %-20s %9llu warp instructions, %6.1f million a second: %s\n", sm, examples[i].name,
               (unsigned long long)run.totals.warp_instructions,
               (double)run.totals.warp_instructions / (run.seconds > 0 ? run.seconds : 1) * 1e-6, run.result.text);
        if (!run.result.ok)
            printf("#   %s\n", run.status.text);
        failed += !run.result.ok;
    }
    assert_int_equal(failed, 0);
    assert_true(count > 0);
}

static void run_all(unsigned sm, uint64_t seed)
{
    size_t count;
    const struct example *examples = example_list(&count);
    run_list(examples, count, sm, seed);
}

static void examples_of_hopper_functional(void **state)
{
    (void)state;
    size_t count;
    const struct example *examples = example_list_hopper(&count);
    run_list(examples, count, 90, 0);
}

static void examples_of_blackwell_functional(void **state)
{
    (void)state;
    size_t count;
    const struct example *examples = example_list_blackwell(&count);
    run_list(examples, count, 100, 0);
}

static void examples_functional_sm_80(void **state)
{
    (void)state;
    run_all(80, 0);
}

static void examples_functional_sm_86(void **state)
{
    (void)state;
    run_all(86, 0);
}

static void examples_functional_sm_90(void **state)
{
    (void)state;
    run_all(90, 0);
}

static void examples_give_the_same_results_when_memory_is_slow(void **state)
{
    (void)state;
    run_all(80, 1);
    run_all(90, 2);
}

UNIT_TESTS(UNIT(examples_of_hopper_functional), UNIT(examples_of_blackwell_functional), UNIT(examples_functional_sm_80),
           UNIT(examples_functional_sm_86), UNIT(examples_functional_sm_90),
           UNIT(examples_give_the_same_results_when_memory_is_slow))
