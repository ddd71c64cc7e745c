/* Stall and yield, all 32 encodings. */
#include "sm/issue/control_bits.h"

#include "tests/unit.h"

static uint8_t stall_of(uint8_t stall, bool yield)
{
    struct config config;
    config_defaults(&config);
    return control_bits_stall((struct isa_control){.stall = stall, .yield = yield}, &config.core);
}

static void a_stall_from_1_to_11_is_the_distance_of_two_issues(void **state)
{
    (void)state;
    for (uint8_t n = 1; n <= 11; n++)
        assert_int_equal(stall_of(n, false), n);
}

static void yield_adds_a_cycle_to_stall_1_and_nothing_to_longer_ones(void **state)
{
    (void)state;
    assert_int_equal(stall_of(1, true), 2);
    for (uint8_t n = 2; n <= 15; n++)
        assert_int_equal(stall_of(n, true), n);
}

static void a_stall_from_12_on_collapses_without_yield(void **state)
{
    (void)state;
    for (uint8_t n = 12; n <= 15; n++)
        assert_in_range(stall_of(n, false), 1, 2);
}

static void stall_0_is_stall_1_and_with_yield_the_configured_sleep(void **state)
{
    (void)state;
    assert_int_equal(stall_of(0, false), 1);
    assert_int_equal(stall_of(0, true), 45);
}

static void the_sleep_of_stall_0_is_that_of_the_gpu(void **state)
{
    (void)state;
    const struct {
        const char *gpu;
        uint8_t cycles;
    } rows[] = {{"rtx-a6000", 45}, {"a100", 54}};
    for (unsigned i = 0; i < 2; i++) {
        struct status status = {0};
        struct config config;
        assert_true(config_load(&config, rows[i].gpu, &status));
        assert_int_equal(control_bits_stall((struct isa_control){.yield = true}, &config.core), rows[i].cycles);
    }
}

UNIT_TESTS(UNIT(a_stall_from_1_to_11_is_the_distance_of_two_issues),
           UNIT(yield_adds_a_cycle_to_stall_1_and_nothing_to_longer_ones),
           UNIT(a_stall_from_12_on_collapses_without_yield),
           UNIT(stall_0_is_stall_1_and_with_yield_the_configured_sleep), UNIT(the_sleep_of_stall_0_is_that_of_the_gpu))
