/* CTAs an SM holds: the rules of NVIDIA's occupancy calculator on the GPUs of configs/. */
#include "gpu/occupancy.h"

#include "gpu/gpu.h"
#include "tests/unit.h"

static struct occupancy occupancy_of(const char *gpu, uint32_t registers, uint32_t threads, uint32_t shared)
{
    struct config config;
    struct status status = {0};
    struct occupancy out;
    if (!config_load(&config, gpu, &status))
        fail_msg("%s", status.text);
    occupancy_compute(&config, registers, threads, shared, &out);
    return out;
}

static void a6000_holds_six_ctas_of_256_threads_with_30_registers_by_warps(void **state)
{
    (void)state;
    struct occupancy o = occupancy_of("rtx-a6000", 30, 256, 0);
    assert_int_equal(o.ctas_per_sm, 6);
    assert_int_equal(o.limit, LIMIT_WARPS);
    assert_int_equal(o.warps_per_cta, 8);
    assert_int_equal(o.warps_per_sm, 48);
    assert_int_equal(o.max_warps_per_sm, 48);
    assert_int_equal(o.registers_per_warp, 1024); /* 960 in units of 256 */
    assert_int_equal(o.ctas[LIMIT_CTAS], 16);
    assert_int_equal(o.ctas[LIMIT_WARPS], 6);
    assert_int_equal(o.ctas[LIMIT_REGISTERS], 8);
    assert_int_equal(o.ctas[LIMIT_SHARED], 100); /* 1 KiB of reserve each */
}

static void registers_limit_by_what_each_sub_core_holds(void **state)
{
    (void)state;
    const struct {
        uint32_t registers, threads, ctas;
    } rows[] = {
        {32, 256, 8},  {40, 256, 6},  {41, 256, 5}, {64, 256, 4},
        {128, 256, 2}, {255, 256, 1}, {168, 96, 4}, {32, 1024, 2},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct occupancy o = occupancy_of("h200", rows[i].registers, rows[i].threads, 0);
        assert_int_equal(o.ctas[LIMIT_REGISTERS], rows[i].ctas);
        assert_int_equal(o.ctas_per_sm, rows[i].ctas);
    }
}

static void small_ctas_are_limited_by_their_number_and_large_ones_by_threads(void **state)
{
    (void)state;
    struct occupancy o = occupancy_of("rtx-a6000", 16, 32, 0);
    assert_int_equal(o.ctas_per_sm, 16);
    assert_int_equal(o.limit, LIMIT_CTAS);
    o = occupancy_of("h200", 16, 32, 0);
    assert_int_equal(o.ctas_per_sm, 32);
    o = occupancy_of("rtx-a6000", 16, 1024, 0);
    assert_int_equal(o.ctas_per_sm, 1);
    assert_int_equal(o.limit, LIMIT_WARPS);
    o = occupancy_of("h200", 16, 1024, 0);
    assert_int_equal(o.ctas_per_sm, 2);
    o = occupancy_of("rtx-a6000", 16, 33, 0);
    assert_int_equal(o.warps_per_cta, 2);
    o = occupancy_of("rtx-a6000", 16, 160, 0); /* 5 warps: 9 CTAs */
    assert_int_equal(o.ctas_per_sm, 9);
}

/* Profiler output of an RTX 5070 Ti: 1088 bytes static, 2176 allocated. */
static void shared_memory_takes_a_reserve_of_1024_bytes_and_comes_in_units_of_128(void **state)
{
    (void)state;
    assert_int_equal(occupancy_of("rtx-a6000", 32, 256, 1088).shared_per_cta, 2176);
    assert_int_equal(occupancy_of("h200", 32, 256, 1088).shared_per_cta, 2176);
    assert_int_equal(occupancy_of("rtx-a6000", 32, 256, 0).shared_per_cta, 1024);
    assert_int_equal(occupancy_of("rtx-a6000", 32, 256, 1).shared_per_cta, 1152);
    assert_int_equal(occupancy_of("rtx-a6000", 32, 256, 128).shared_per_cta, 1152);
    assert_int_equal(occupancy_of("rtx-a6000", 32, 256, 129).shared_per_cta, 1280);
}

static void shared_memory_limits_by_the_bytes_of_all_ctas(void **state)
{
    (void)state;
    struct occupancy o = occupancy_of("rtx-a6000", 32, 128, 48 * 1024);
    assert_int_equal(o.ctas_per_sm, 2); /* 2 of 49 KiB in 100 KiB */
    assert_int_equal(o.limit, LIMIT_SHARED);
    assert_int_equal(occupancy_of("rtx-a6000", 32, 128, 49 * 1024).ctas_per_sm, 2);
    assert_int_equal(occupancy_of("rtx-a6000", 32, 128, 49 * 1024 + 1).ctas_per_sm, 1);
    assert_int_equal(occupancy_of("rtx-a6000", 32, 128, 99 * 1024).ctas_per_sm, 1);
    assert_int_equal(occupancy_of("h200", 32, 128, 48 * 1024).ctas_per_sm, 4);
    assert_int_equal(occupancy_of("h200", 32, 128, 227 * 1024).ctas_per_sm, 1);
    assert_int_equal(occupancy_of("a100", 32, 128, 163 * 1024).ctas_per_sm, 1);
}

static void the_carve_out_is_the_smallest_that_holds_the_resident_ctas(void **state)
{
    (void)state;
    assert_int_equal(occupancy_of("rtx-a6000", 30, 256, 0).carveout, 8 * 1024); /* 6 reserves */
    assert_int_equal(occupancy_of("rtx-a6000", 30, 256, 1024).carveout, 16 * 1024);
    assert_int_equal(occupancy_of("rtx-a6000", 32, 128, 48 * 1024).carveout, 100 * 1024);
    assert_int_equal(occupancy_of("h200", 32, 1024, 64 * 1024).carveout, 132 * 1024);
    assert_int_equal(occupancy_of("h200", 32, 128, 227 * 1024).carveout, 228 * 1024);
}

static void the_carve_outs_are_those_of_the_architecture(void **state)
{
    (void)state;
    static const struct {
        const char *gpu;
        unsigned count, kib[CONFIG_CARVEOUTS];
    } rows[] = {{"rtx-2080-ti", 2, {32, 64}},
                {"a100", 8, {0, 8, 16, 32, 64, 100, 132, 164}},
                {"rtx-3090", 6, {0, 8, 16, 32, 64, 100}},
                {"rtx-4090", 6, {0, 8, 16, 32, 64, 100}},
                {"h100-sxm", 10, {0, 8, 16, 32, 64, 100, 132, 164, 196, 228}},
                {"b200", 10, {0, 8, 16, 32, 64, 100, 132, 164, 196, 228}},
                {"rtx-5090", 6, {0, 8, 16, 32, 64, 100}}};
    for (unsigned r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct config config;
        struct status status = {0};
        uint32_t bytes[CONFIG_CARVEOUTS];
        assert_true(config_load(&config, rows[r].gpu, &status));
        assert_int_equal(config_carveouts(&config.sm, bytes), rows[r].count);
        for (unsigned i = 0; i < rows[r].count; i++)
            assert_int_equal(bytes[i], rows[r].kib[i] * 1024);
    }
}

static void a_preferred_carve_out_is_a_least_one_and_the_rest_is_the_l1(void **state)
{
    (void)state;
    struct config config;
    struct status status = {0};
    struct occupancy o;
    assert_true(config_load(&config, "rtx-a6000", &status));
    config.sm.carveout_least = 40 * 1024;
    occupancy_compute(&config, 30, 256, 0, &o);
    assert_int_equal(o.carveout, 64 * 1024);
    occupancy_compute(&config, 30, 64, 90 * 1024, &o);
    assert_int_equal(o.carveout, 100 * 1024);
    config.l1.usable = 0.5;
    assert_int_equal(config_l1_bytes(&config, 64 * 1024), 32 * 1024);
    assert_int_equal(config_l1_bytes(&config, 0), 64 * 1024);
}

static void a_list_of_carve_outs_ascends_to_the_largest_shared_memory(void **state)
{
    (void)state;
    static const char *const wrong[] = {"", "0 8 x", "8 8 100", "16 8 100", "0 8 64", "0  8 100", "2000"};
    for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct config config;
        struct status status = {0};
        assert_true(config_load(&config, "rtx-a6000", &status));
        snprintf(config.sm.carveouts, sizeof config.sm.carveouts, "%s", wrong[i]);
        assert_false(config_check(&config, &status));
        assert_non_null(strstr(status.text, "sm.carveouts"));
    }
}

static void a_cta_that_does_not_fit_is_refused_with_the_reason(void **state)
{
    (void)state;
    struct config config;
    struct status status = {0};
    struct occupancy o;
    assert_true(config_load(&config, "rtx-a6000", &status));
    assert_true(gpu_occupancy(&config, 32, 256, 99 * 1024, &o, &status));
    assert_false(gpu_occupancy(&config, 32, 256, 99 * 1024 + 1, &o, &status));
    assert_non_null(strstr(status.text, "shared memory"));
    status = (struct status){0};
    assert_false(gpu_occupancy(&config, 255, 1024, 0, &o, &status));
    assert_non_null(strstr(status.text, "registers"));
}

static void turing_reserves_nothing_and_always_keeps_32_kib_of_shared_memory(void **state)
{
    (void)state;
    struct occupancy o = occupancy_of("t4", 32, 128, 0);
    assert_int_equal(o.ctas_per_sm, 8); /* 32 warps */
    assert_int_equal(o.shared_per_cta, 0);
    assert_int_equal(o.carveout, 32 * 1024);
    assert_int_equal(occupancy_of("t4", 32, 32, 0).ctas_per_sm, 16);
    assert_int_equal(occupancy_of("t4", 32, 128, 1).shared_per_cta, 256);
    assert_int_equal(occupancy_of("t4", 32, 128, 64 * 1024).ctas_per_sm, 1);
    assert_int_equal(occupancy_of("t4", 32, 128, 33 * 1024).carveout, 64 * 1024);
}

static void limits_follow_the_architecture(void **state)
{
    (void)state;
    static const struct {
        const char *gpu;
        unsigned ctas, warps;
    } rows[] = {{"t4", 16, 32},       {"a100", 32, 64}, {"rtx-3080", 16, 48}, {"rtx-4090", 24, 48},
                {"h100-sxm", 32, 64}, {"b200", 32, 64}, {"rtx-5080", 24, 48}};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(occupancy_of(rows[i].gpu, 16, 32, 0).ctas_per_sm, rows[i].ctas);
        assert_int_equal(occupancy_of(rows[i].gpu, 16, 128, 0).warps_per_sm, rows[i].warps);
    }
}

/* GA102 has carve-outs of 0, 8, 16, 32, 64 and 100 KiB. */
static void a_carveout_is_the_smallest_that_holds_what_is_asked_for(void **state)
{
    (void)state;
    struct config config;
    struct status status = {0};
    assert_true(config_load(&config, "rtx-a6000", &status));
    config.sm.carveout_least = 0;
    assert_int_equal(occupancy_carveout(&config, 8 << 10), 8 << 10);
    assert_int_equal(occupancy_carveout(&config, (8 << 10) + 1), 16 << 10);
    assert_int_equal(occupancy_carveout(&config, 100 << 10), 100 << 10);
    assert_int_equal(occupancy_carveout(&config, 101 << 10), 100 << 10);
}

UNIT_TESTS(UNIT(a_carveout_is_the_smallest_that_holds_what_is_asked_for),
           UNIT(a6000_holds_six_ctas_of_256_threads_with_30_registers_by_warps),
           UNIT(registers_limit_by_what_each_sub_core_holds),
           UNIT(small_ctas_are_limited_by_their_number_and_large_ones_by_threads),
           UNIT(shared_memory_takes_a_reserve_of_1024_bytes_and_comes_in_units_of_128),
           UNIT(shared_memory_limits_by_the_bytes_of_all_ctas),
           UNIT(the_carve_out_is_the_smallest_that_holds_the_resident_ctas),
           UNIT(the_carve_outs_are_those_of_the_architecture),
           UNIT(a_preferred_carve_out_is_a_least_one_and_the_rest_is_the_l1),
           UNIT(a_list_of_carve_outs_ascends_to_the_largest_shared_memory),
           UNIT(a_cta_that_does_not_fit_is_refused_with_the_reason),
           UNIT(turing_reserves_nothing_and_always_keeps_32_kib_of_shared_memory), UNIT(limits_follow_the_architecture))
