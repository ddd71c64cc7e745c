/* Shared memory by instruction and GPU: conflicts, atomics, matrices, broadcasts, copies that share the banks. */
#include "tests/sm/harness.h"

enum { START = 40 };

/* Cycles to a consumer on this GPU. */
static uint64_t latency(const char *gpu, struct inst i)
{
    struct harness *h = harness_new();
    struct status status = {0};
    assert_true(config_load(&h->config, gpu, &status));
    h->config.icache.perfect = true;
    add(h, stall(writes_sb(i, 0), 2));
    add(h, waits(nop(), 1));
    add(h, exit_warp());
    harness_begin(h);
    harness_warp(h, 0, 0);
    harness_hold(h, START);
    harness_run(h);
    uint64_t cycles = distance(h, 0, 0, 1);
    harness_free(h);
    return cycles;
}

/* Cycles an instruction takes when four sub-cores stream it. */
static uint64_t interval(const char *gpu, struct inst i)
{
    struct harness *h = harness_new();
    struct status status = {0};
    assert_true(config_load(&h->config, gpu, &status));
    h->config.icache.perfect = true;
    add_many(h, i, 40);
    add(h, exit_warp());
    harness_begin(h);
    for (unsigned k = 0; k < 4; k++)
        harness_warp(h, k, 0);
    harness_run(h);
    uint64_t cycles = distance(h, 0, 20, 36) / 16;
    assert_int_equal(distance(h, 0, 20, 36) % 16, 0);
    assert_int_equal(cycles % 4, 0);
    harness_free(h);
    return cycles / 4;
}

static struct inst broadcast(struct inst i) { return strided(i, 0, 0); }

/* Measured on TU102: 22, 24, 28, 36, 52, 84 cycles; 25 for an atomic add, 37 for a compare-and-swap. */
static void turing_takes_22_cycles_and_two_for_each_further_way(void **state)
{
    (void)state;
    const char *gpu = "rtx-2080-ti";
    for (unsigned ways = 1; ways <= 32; ways *= 2)
        assert_int_equal(latency(gpu, strided(lds(4, true, 4, 0), 4 * ways, 0)), 22 + 2 * (ways - 1));
    assert_int_equal(latency(gpu, atoms(4, 0)), 25);
    assert_int_equal(latency(gpu, atoms_cas(4, 0)), 37);
}

/* Measured on TU102: 64 bytes a cycle at any width, 0.125 LDSM.x4 a cycle. */
static void turing_moves_64_bytes_a_cycle_whatever_the_width(void **state)
{
    (void)state;
    const char *gpu = "rtx-2080-ti";
    for (unsigned bytes = 4; bytes <= 16; bytes *= 2)
        assert_int_equal(interval(gpu, lds(4, true, (uint8_t)bytes, 0)), bytes / 2);
    assert_int_equal(interval(gpu, strided(ldsm(4, 4), 16, 0)), 8);
}

/* Measured: 64 bytes a cycle with 32 bits a lane, 126 to 128 with 64 and 128 (GA106, RTX 4090). */
static void ampere_is_bound_by_instructions_at_32_bits_and_by_128_bytes_above(void **state)
{
    (void)state;
    assert_int_equal(interval("rtx-a6000", lds(4, true, 4, 0)), 2);
    assert_int_equal(interval("rtx-a6000", lds(4, true, 8, 0)), 2);
    assert_int_equal(interval("rtx-a6000", lds(4, true, 16, 0)), 4);
    assert_int_equal(interval("a100", lds(4, true, 4, 0)), 1);
    assert_int_equal(interval("a100", lds(4, true, 8, 0)), 2);
    assert_int_equal(interval("a100", lds(4, true, 16, 0)), 4);
}

static void a_wide_broadcast_holds_the_banks_for_one_pass_but_moves_all_its_data(void **state)
{
    (void)state;
    assert_int_equal(interval("rtx-a6000", broadcast(lds(4, true, 16, 0))), 2);
    assert_int_equal(interval("a100", broadcast(lds(4, true, 16, 0))), 1);
    assert_int_equal(latency("rtx-a6000", broadcast(lds(4, true, 16, 0))), 26);
    assert_int_equal(latency("rtx-a6000", broadcast(lds(4, true, 8, 0))), 24);
}

static void matrices_take_a_pass_each_and_two_cycles_more_from_two_on(void **state)
{
    (void)state;
    const uint64_t cycles[] = {[1] = 24, [2] = 26, [4] = 28};
    for (unsigned m = 1; m <= 4; m *= 2) {
        assert_int_equal(latency("rtx-a6000", strided(ldsm(4, (uint8_t)m), 16, 0)), cycles[m]);
        assert_int_equal(interval("a100", strided(ldsm(4, (uint8_t)m), 16, 0)), m);
    }
}

/* ---- copies ----------------------------------------------------------------------------------------------------- */

/* The data of a copy are written when they come; all lanes to one bank hold it for 32 passes. */
static void a_copy_holds_the_banks_when_its_data_come(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    struct inst copy = ldgsts(4, 0);
    copy.shared_stride = 128; /* one bank */
    add(h, copy);
    add_many(h, nop(), 21);
    uint32_t load = add(h, stall(writes_sb(lds(4, true, 4, 0), 0), 2));
    add(h, waits(nop(), 1));
    add(h, exit_warp());
    harness_begin(h);
    harness_warm_l1(h, 0, 8192);
    harness_warp(h, 0, 0);
    harness_hold(h, START);
    harness_run(h);
    /* The data come at 11 + 19 and hold the banks for 1 + 31 * 2 cycles; the load is there one cycle later. */
    assert_int_equal(distance(h, 0, load, load + 1), 24 + 62);
    harness_free(h);
}

static void a_copy_s_counter_falls_when_its_data_are_read_and_its_group_lands_when_they_are_written(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    struct inst copy = ldgsts(4, 0);
    copy.shared_stride = 128;
    add(h, writes_sb(copy, 0));
    add(h, stall(writes_sb(ldgdepbar(), 1), 2));
    uint32_t read = add(h, waits(nop(), 1));
    uint32_t written = add(h, waits(nop(), 2));
    add(h, exit_warp());
    harness_begin(h);
    harness_warm_l1(h, 0, 8192);
    harness_warp(h, 0, 0);
    harness_hold(h, START);
    harness_run(h);
    assert_int_equal(distance(h, 0, 0, read), 39);
    assert_int_equal(distance(h, 0, 0, written), 30 + 63);
    harness_free(h);
}

UNIT_TESTS(UNIT(turing_takes_22_cycles_and_two_for_each_further_way),
           UNIT(turing_moves_64_bytes_a_cycle_whatever_the_width),
           UNIT(ampere_is_bound_by_instructions_at_32_bits_and_by_128_bytes_above),
           UNIT(a_wide_broadcast_holds_the_banks_for_one_pass_but_moves_all_its_data),
           UNIT(matrices_take_a_pass_each_and_two_cycles_more_from_two_on),
           UNIT(a_copy_holds_the_banks_when_its_data_come),
           UNIT(a_copy_s_counter_falls_when_its_data_are_read_and_its_group_lands_when_they_are_written))
