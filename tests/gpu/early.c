#include "gpu/early.h"

#include "tests/unit.h"

static void a_stable_ipc_is_a_percentage_and_perhaps_a_window(void **state)
{
    struct gpu_limits limits = {0};
    struct status status = {0};
    (void)state;
    assert_true(early_parse_stable(&limits, "x", "2.5", &status));
    assert_true(limits.stable_percent == 2.5);
    assert_int_equal(limits.stable_window, EARLY_WINDOW);
    assert_true(early_parse_stable(&limits, "x", "100:1", &status));
    assert_int_equal(limits.stable_window, 1);
    static const char *const wrong[] = {"", "0", "-1", "101", "2:", "2:0", "2:x", "2:5x", "x", "nan", "2:-5"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct status own = {0};
        assert_false(early_parse_stable(&limits, "x", wrong[i], &own));
        assert_int_equal(own.code, STATUS_USAGE);
    }
}

/* Windows of 100 cycles, looked at every 50, with so many instructions each; the number after which the launch ends. */
static unsigned windows_until_stable(double percent, const unsigned *instructions, unsigned count, uint64_t ctas)
{
    struct early early;
    uint64_t sum = 0, now = 1000;
    early_begin(&early, &(struct gpu_limits){.stable_percent = percent, .stable_window = 100}, 20, 10, now);
    for (unsigned i = 0; i < count; i++) {
        assert_false(early_check(&early, now += 50, sum + instructions[i] / 2, ctas));
        if (early_check(&early, now += 50, sum += instructions[i], ctas)) {
            assert_int_equal(early.stop, STOP_STABLE_IPC);
            return i + 1;
        }
    }
    return 0;
}

static void ipc_is_stable_when_eight_windows_are_near_their_mean(void **state)
{
    unsigned equal[20], one_off[20];
    (void)state;
    for (unsigned i = 0; i < 20; i++)
        equal[i] = one_off[i] = 800;
    one_off[5] = 1000;
    assert_int_equal(windows_until_stable(1, equal, 20, 10), EARLY_WINDOWS);
    assert_int_equal(windows_until_stable(1, one_off, 20, 10), 6 + EARLY_WINDOWS);
    /* 1000 against the mean 825: 21.2 % */
    assert_int_equal(windows_until_stable(21, one_off, 20, 10), 6 + EARLY_WINDOWS);
    assert_int_equal(windows_until_stable(22, one_off, 20, 10), EARLY_WINDOWS);
}

static void ipc_is_not_stable_before_a_first_wave_of_ctas_has_ended(void **state)
{
    unsigned equal[20];
    (void)state;
    for (unsigned i = 0; i < 20; i++)
        equal[i] = 800;
    assert_int_equal(windows_until_stable(1, equal, 20, 9), 0);
    assert_int_equal(windows_until_stable(1, equal, 20, 10), EARLY_WINDOWS);
}

static void a_quantum_ends_at_a_limit_of_cycles(void **state)
{
    struct early early;
    (void)state;
    early_begin(&early, &(struct gpu_limits){.cycles = 130}, 1, 1, 0);
    assert_int_equal(early_end(&early, 0, 64), 64);
    assert_int_equal(early_end(&early, 64, 128), 128);
    assert_int_equal(early_end(&early, 128, 192), 130);
    assert_false(early_check(&early, 129, 5, 0));
    assert_true(early_check(&early, 130, 5, 0));
    assert_int_equal(early.stop, STOP_CYCLES);
}

static void the_rest_is_estimated_at_the_stable_ipc(void **state)
{
    struct kernel_result r = {.stop = STOP_STABLE_IPC, .stable_ipc = 2.5, .cycles = 1000, .rest_instructions = 5001};
    (void)state;
    early_estimate(&r);
    assert_int_equal(r.estimated_cycles, 1000 + 2000);
    r = (struct kernel_result){.stop = STOP_CYCLES, .stable_ipc = 2.5, .cycles = 1000, .rest_instructions = 5001};
    early_estimate(&r);
    assert_int_equal(r.estimated_cycles, 0);
}

UNIT_TESTS(UNIT(a_stable_ipc_is_a_percentage_and_perhaps_a_window),
           UNIT(ipc_is_stable_when_eight_windows_are_near_their_mean),
           UNIT(ipc_is_not_stable_before_a_first_wave_of_ctas_has_ended), UNIT(a_quantum_ends_at_a_limit_of_cycles),
           UNIT(the_rest_is_estimated_at_the_stable_ipc))
