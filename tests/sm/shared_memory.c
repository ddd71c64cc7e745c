/* Shared memory by instruction and GPU: conflicts, atomics, matrices, broadcasts, copies that share the banks. */
#include "tests/sm/harness.h"

static struct config configuration(const char *gpu)
{
    struct config config;
    struct status status = {0};
    assert_true(config_load(&config, gpu, &status));
    config.icache.perfect = true;
    return config;
}

/* Cycles to a consumer. */
static uint64_t latency_with(const struct config *config, struct inst i)
{
    struct harness *h = harness_new();
    h->config = *config;
    add(h, stall(writes_sb(i, 0), 2));
    add(h, waits(nop(), 1));
    harness_start(h, 1);
    harness_run(h);
    uint64_t cycles = distance(h, 0, 0, 1);
    harness_free(h);
    return cycles;
}

static uint64_t latency(const char *gpu, struct inst i)
{
    struct config config = configuration(gpu);
    return latency_with(&config, i);
}

/* Cycles an instruction takes when four sub-cores stream it. */
static uint64_t interval(const char *gpu, struct inst i)
{
    struct harness *h = harness_new();
    h->config = configuration(gpu);
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

/* Cycles that two instructions take together when four sub-cores stream them in turn. */
static uint64_t pair_interval(const char *gpu, struct inst i, struct inst j)
{
    struct harness *h = harness_new();
    h->config = configuration(gpu);
    for (unsigned k = 0; k < 20; k++) {
        add(h, i);
        add(h, j);
    }
    add(h, exit_warp());
    harness_begin(h);
    for (unsigned k = 0; k < 4; k++)
        harness_warp(h, k, 0);
    harness_run(h);
    uint64_t cycles = distance(h, 0, 20, 36) / 8;
    assert_int_equal(distance(h, 0, 20, 36) % 8, 0);
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

/* Measured on an H200: 23, 25, 29, 37, 53, 85 cycles to the data, and a pass a cycle over four warps. Atomics take
 * 26 + 2 (lanes - 1), compare-and-swaps 29.7 + 4 (lanes - 1). */
static void hopper_s_further_ways_delay_the_data_by_two_cycles_and_others_by_one(void **state)
{
    (void)state;
    const char *gpu = "h200";
    for (unsigned ways = 1; ways <= 32; ways *= 2) {
        assert_int_equal(latency(gpu, strided(lds(4, true, 4, 0), 4 * ways, 0)), 23 + 2 * (ways - 1));
        assert_int_equal(interval(gpu, strided(lds(4, true, 4, 0), 4 * ways, 0)), ways);
    }
    assert_int_equal(latency(gpu, broadcast(atoms(4, 0))), 26 + 2 * 31);
    assert_int_equal(latency(gpu, broadcast(atoms_cas(4, 0))), latency(gpu, atoms_cas(4, 0)) + 4 * 31);
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

/* 2 cycles for an instruction, a cycle for a pass: max(2, ways). A GA102 takes 1.9 cycles for two ways. */
static void ga102_takes_a_cycle_for_each_pass_and_two_at_least(void **state)
{
    (void)state;
    for (unsigned ways = 1; ways <= 32; ways *= 2)
        assert_int_equal(interval("rtx-3090", strided(lds(4, true, 4, 0), 4 * ways, 0)), ways < 2 ? 2 : ways);
}

static void a_broadcast_of_128_bits_holds_the_banks_for_two_passes_but_moves_all_its_data(void **state)
{
    (void)state;
    assert_int_equal(interval("rtx-a6000", broadcast(lds(4, true, 16, 0))), 2);
    assert_int_equal(interval("a100", broadcast(lds(4, true, 16, 0))), 2);
    assert_int_equal(interval("a100", broadcast(lds(4, true, 8, 0))), 1);
    assert_int_equal(latency("rtx-a6000", broadcast(lds(4, true, 16, 0))), 26);
    assert_int_equal(latency("rtx-a6000", broadcast(lds(4, true, 8, 0))), 24);
}

static void a_shuffle_waits_for_the_banks_and_holds_them_for_a_pass(void **state)
{
    (void)state;
    struct inst conflict = strided(lds(4, true, 4, 0), 32, 0);
    assert_int_equal(interval("a100", conflict), 8);
    assert_int_equal(pair_interval("a100", conflict, shfl(8, 10)), 9);
    assert_int_equal(pair_interval("rtx-2080-ti", conflict, shfl(8, 10)), 16 + 2);
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

/* Measured on TU102: a chain of LDSM and LOP3 takes 30 cycles. An address can use the result of the LOP3 after 5. */
static void turing_takes_three_cycles_more_for_a_matrix_than_for_a_load(void **state)
{
    (void)state;
    assert_int_equal(latency("rtx-2080-ti", strided(ldsm(4, 1), 16, 0)) + 5, 30);
    assert_int_equal(latency("rtx-2080-ti", strided(lds(4, true, 4, 0), 4, 0)), 22);
}

static void rows_of_matrices_in_one_bank_conflict_within_their_matrix(void **state)
{
    (void)state;
    /* Rows of 128 bytes: the eight rows of a matrix all begin in bank 0. */
    assert_int_equal(interval("a100", strided(ldsm(4, 1), 128, 0)), 8);
    assert_int_equal(interval("a100", strided(ldsm(4, 4), 128, 0)), 32);
    assert_int_equal(interval("a100", strided(ldsm(4, 4), 144, 0)), 4); /* padded by 16 bytes */
}

/* ---- atomics ---------------------------------------------------------------------------------------------------- */

static struct inst sts_matrix(uint8_t matrices)
{
    struct inst i = sts(true, 16, 0);
    i.code.matrices = matrices;
    i.code.data_words = matrices;
    return strided(i, 16, 0);
}

/* Measured on a B300: LDSM and STSM one a cycle for one matrix, 0.5 for two, 0.25 for four. */
static void stores_of_matrices_take_a_pass_each(void **state)
{
    (void)state;
    for (uint8_t m = 1; m <= 4; m *= 2)
        assert_int_equal(interval("h100-sxm", sts_matrix(m)), m);
}

/* Measured: 0.5 a cycle on TU102, 1.0 on a B300 and there 0.5 of compare-and-swap; chains of 25 and 37 cycles on TU102,
 * 47 on an RTX 5090. */
static void atomics_without_contention_take_the_cycles_measured(void **state)
{
    (void)state;
    assert_int_equal(interval("rtx-2080-ti", atoms(4, 0)), 2);
    assert_int_equal(interval("b200", atoms(4, 0)), 1);
    assert_int_equal(interval("b200", atoms_cas(4, 0)), 2);
    assert_int_equal(latency("rtx-5090", atoms(4, 0)), 47);
}

static void lanes_that_change_one_word_take_a_pass_each(void **state)
{
    (void)state;
    for (unsigned lane = 1; lane <= 32; lane++) {
        struct inst contended = lanes(broadcast(atoms(4, 0)), (uint32_t)((UINT64_C(1) << lane) - 1));
        assert_int_equal(latency("rtx-2080-ti", contended), 25 + 2 * (lane - 1));
    }
    struct inst counted = broadcast(atoms(4, 0));
    counted.code.flags |= CODE_ONE_PASS;
    assert_int_equal(latency("rtx-2080-ti", counted), 25);
}

/* ---- Pascal ----------------------------------------------------------------------------------------------------- */

/* PasTiS: 22 + base + 2 * (conflicts of the pools), base 1, 8 and 16 for 32, 64 and 128 bits a lane. */
static void pascal_takes_22_cycles_its_base_and_two_for_each_conflict_of_each_pool(void **state)
{
    (void)state;
    static const struct {
        uint8_t bytes;
        unsigned base, pools;
    } width[] = {{4, 1, 1}, {8, 8, 2}, {16, 16, 4}};
    struct config config = configuration("rtx-a6000");
    config.shared.model = CONFIG_SHARED_MODEL_PASCAL;
    config.shared.pass_interval = 2;
    for (unsigned w = 0; w < 3; w++) {
        unsigned most = 32 / width[w].pools;
        for (unsigned ways = 1; ways <= most; ways *= 2) {
            struct inst load = strided(lds(4, false, width[w].bytes, 0), width[w].bytes * ways, 0);
            unsigned conflicts = width[w].pools * (ways - 1);
            assert_int_equal(latency_with(&config, load), 22 + width[w].base + 2 * conflicts);
        }
        assert_int_equal(latency_with(&config, broadcast(lds(4, false, width[w].bytes, 0))), 22 + width[w].base);
    }
}

/* ---- counters --------------------------------------------------------------------------------------------------- */

static void passes_and_conflicts_are_counted_by_kind(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    add(h, strided(lds(4, true, 4, 0), 8, 0)); /* two ways */
    add(h, strided(sts(true, 8, 0), 8, 0));    /* two halves */
    add(h, broadcast(atoms(5, 0)));            /* 32 lanes */
    add(h, lanes(lds(6, true, 4, 0), 0));      /* nobody: neither request nor pass */
    struct inst copy = ldgsts(16, 0);
    copy.shared_stride = 32; /* two ways in each quarter */
    add(h, copy);
    add(h, exit_warp());
    harness_begin(h);
    harness_warp(h, 0, 0);
    harness_run(h);
    const struct sm_counters *n = &h->sm->n;
    assert_int_equal(n->shared_requests, 3);
    assert_int_equal(n->shared_wavefronts_load, 2);
    assert_int_equal(n->shared_conflicts_load, 1);
    assert_int_equal(n->shared_wavefronts_store, 2);
    assert_int_equal(n->shared_conflicts_store, 0);
    assert_int_equal(n->shared_wavefronts_atomic, 32);
    assert_int_equal(n->shared_conflicts_atomic, 31);
    assert_int_equal(n->shared_wavefronts_copy, 8);
    assert_int_equal(n->shared_conflicts_copy, 4);
    assert_int_equal(n->shared_wavefronts, 2 + 2 + 32 + 8);
    assert_int_equal(n->shared_conflicts, 1 + 31 + 4);
    harness_free(h);
}

/* ---- copies ----------------------------------------------------------------------------------------------------- */

/* The data of a copy are written when they come. All lanes to one bank hold it for 32 passes. */
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
    /* The data come at 11 + 19 and hold the banks for 32 cycles. The load is there one cycle later. */
    assert_int_equal(distance(h, 0, load, load + 1), 24 + 31);
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
    assert_int_equal(distance(h, 0, 0, written), 30 + 32);
    harness_free(h);
}

UNIT_TESTS(UNIT(ga102_takes_a_cycle_for_each_pass_and_two_at_least),
           UNIT(turing_takes_22_cycles_and_two_for_each_further_way),
           UNIT(hopper_s_further_ways_delay_the_data_by_two_cycles_and_others_by_one),
           UNIT(turing_moves_64_bytes_a_cycle_whatever_the_width),
           UNIT(ampere_is_bound_by_instructions_at_32_bits_and_by_128_bytes_above),
           UNIT(a_shuffle_waits_for_the_banks_and_holds_them_for_a_pass),
           UNIT(a_broadcast_of_128_bits_holds_the_banks_for_two_passes_but_moves_all_its_data),
           UNIT(matrices_take_a_pass_each_and_two_cycles_more_from_two_on),
           UNIT(turing_takes_three_cycles_more_for_a_matrix_than_for_a_load),
           UNIT(rows_of_matrices_in_one_bank_conflict_within_their_matrix), UNIT(stores_of_matrices_take_a_pass_each),
           UNIT(atomics_without_contention_take_the_cycles_measured), UNIT(lanes_that_change_one_word_take_a_pass_each),
           UNIT(pascal_takes_22_cycles_its_base_and_two_for_each_conflict_of_each_pool),
           UNIT(passes_and_conflicts_are_counted_by_kind), UNIT(a_copy_holds_the_banks_when_its_data_come),
           UNIT(a_copy_s_counter_falls_when_its_data_are_read_and_its_group_lands_when_they_are_written))
