/* Whole pieces of code and the instruction caches: a second launch, idle cycles, the cost of a size. */
#include "tests/sm/harness.h"

enum { LINE = 8, KIB = 1024 / 16 }; /* instructions */

static uint64_t misses_of_a_second_launch(bool keep, uint64_t address, bool *constant_again)
{
    struct harness *h = harness_cold();
    h->config.icache.perfect = false;
    h->config.icache.keep = keep;
    add_many(h, nop(), 20 * LINE);
    add(h, ffma_constant(4, 2, 0, 0x160, RZ));
    add(h, exit_warp());
    add_many(h, exit_warp(), 20 * LINE); /* prefetched: some of it is under way when the kernel ends */
    for (unsigned launch = 0; launch < 2; launch++) {
        harness_begin(h);
        h->table.window[0].address = launch ? address : 0;
        sm_begin_kernel(h->sm, &h->table, h->sm->source);
        harness_warp(h, 0, 0);
        harness_run(h);
    }
    *constant_again = false;
    for (uint32_t i = 0; i < h->requests; i++)
        *constant_again |= h->request[i].line == address + L15_CONSTANTS + 0x100;
    uint64_t misses = h->sm->n.l15_misses;
    harness_free(h);
    return misses;
}

static void code_stays_from_launch_to_launch_if_configured_and_constants_do_not(void **state)
{
    (void)state;
    bool constant;
    uint64_t cold = misses_of_a_second_launch(false, 0, &constant);
    assert_true(cold > 21 && constant);
    /* The constant, and lines that were under way at the end of the first launch. */
    assert_in_range(misses_of_a_second_launch(true, 0, &constant), 1, 8 + 2);
    assert_true(constant);
    assert_int_equal(misses_of_a_second_launch(true, UINT64_C(1) << 30, &constant), cold);
}

/* ---- idle cycles ------------------------------------------------------------------------------------------------ */

static uint64_t draw(uint64_t *seed, uint64_t below)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*seed >> 33) % below;
}

/* Loops over lines that are far from one another, constants, warps that begin at different places. */
static struct harness *jumping_code(uint64_t seed, bool skip)
{
    struct harness *h = harness_cold();
    struct config_icache *c = &h->config.icache;
    h->config.run.skip_idle = skip;
    c->perfect = false;
    c->stream_buffer = (uint32_t)draw(&seed, 10);
    c->l0_ways = 1 + (uint32_t)draw(&seed, 3);
    c->l1_ways = 1 + (uint32_t)draw(&seed, 3);
    c->l1_sets = 1 << draw(&seed, 5);
    c->l1_interval = 1 + (uint32_t)draw(&seed, 3);
    h->config.l15.sets = 1 + (uint32_t)draw(&seed, 40);
    for (uint32_t i = 1; i < 600; i++) {
        uint64_t kind = draw(&seed, 10);
        uint32_t target = i < 100 || kind == 0 ? i + 2 + (uint32_t)draw(&seed, 40) : i - (uint32_t)draw(&seed, 90);
        add(h, kind < 2   ? branch(target < 600 ? target : 600, 1)
               : kind < 4 ? ffma_constant(4, 2, 0, (uint32_t)draw(&seed, 64) * 32, RZ)
                          : stall(nop(), (uint8_t)(1 + draw(&seed, 8))));
    }
    add_many(h, exit_warp(), 50);
    harness_begin(h);
    for (uint32_t w = 0; w < 12; w++)
        harness_warp(h, w, (uint32_t)draw(&seed, 500));
    harness_run(h);
    return h;
}

static void jumping_over_idle_cycles_changes_no_issue(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        struct harness *jumped = jumping_code(seed, true), *stepped = jumping_code(seed, false);
        assert_int_equal(jumped->logged, stepped->logged);
        for (uint32_t i = 0; i < jumped->logged; i++) {
            assert_int_equal(jumped->log[i].cycle, stepped->log[i].cycle);
            assert_int_equal(jumped->log[i].slot, stepped->log[i].slot);
        }
        assert_int_equal(jumped->sm->n.l1i_requests, stepped->sm->n.l1i_requests);
        assert_int_equal(jumped->sm->n.l15_misses, stepped->sm->n.l15_misses);
        harness_free(jumped);
        harness_free(stepped);
    }
}

/* ---- sizes ------------------------------------------------------------------------------------------------------ */

/* Cycles for an instruction when straight-line code of so many KiB runs a second time. */
static double second_pass(const struct config *config, uint32_t kib, struct inst i)
{
    struct harness *h = harness_cold();
    h->config = *config;
    h->config.icache.perfect = false;
    uint32_t count = kib * KIB;
    add_many(h, i, count - 2);
    uint32_t end = add(h, branch(0, 1));
    add(h, exit_warp());
    harness_begin(h);
    harness_warp(h, 0, 0);
    harness_run(h);
    double cycles = (double)(issued_nth(h, 0, end, 1) - issued_nth(h, 0, end, 0));
    harness_free(h);
    return cycles / (count - 1);
}

struct measured {
    uint32_t kib;
    double cycles;
};

static void check_sizes(const struct config *config, const struct measured *measured, unsigned count)
{
    for (unsigned k = 0; k < count; k++) {
        double cycles = second_pass(config, measured[k].kib, ffma(5, 2, RZ, 3));
        if (cycles < 0.95 * measured[k].cycles || cycles > 1.05 * measured[k].cycles)
            fail_msg("%u KiB: %.3f cycles an instruction, measured %.2f", measured[k].kib, cycles, measured[k].cycles);
    }
}

/* Measured on a GA106: one warp, straight-line FFMA, after a launch that warms the caches. */
static void straight_line_code_takes_the_cycles_that_a_ga106_takes(void **state)
{
    (void)state;
    const struct measured measured[] = {{16, 1.00}, {32, 1.00}, {33, 1.00}, {34, 1.00},  {48, 1.00},
                                        {64, 1.00}, {80, 2.08}, {96, 2.08}, {126, 2.08}, {163, 4.45}};
    struct config config;
    config_defaults(&config);
    check_sizes(&config, measured, sizeof measured / sizeof measured[0]);
}

/* Measured on a TU102: one warp, FFMA in a loop. */
static void loops_take_the_cycles_that_a_tu102_takes(void **state)
{
    (void)state;
    const struct measured measured[] = {{4, 2.06}, {8, 2.06}, {16, 2.06}, {32, 2.35}, {64, 3.88}, {128, 4.80}};
    struct config config;
    struct status status = {0};
    char path[4096];
    assert_true(config_load(&config, unit_path(path, "configs/arch/sm_75.toml"), &status));
    check_sizes(&config, measured, sizeof measured / sizeof measured[0]);
}

UNIT_TESTS(UNIT(code_stays_from_launch_to_launch_if_configured_and_constants_do_not),
           UNIT(jumping_over_idle_cycles_changes_no_issue),
           UNIT(straight_line_code_takes_the_cycles_that_a_ga106_takes), UNIT(loops_take_the_cycles_that_a_tu102_takes))
