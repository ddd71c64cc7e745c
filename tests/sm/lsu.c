/* The memory unit without misses: the paper's tables 1 and 2 on the default configuration, bank conflicts, returns. */
#include "tests/sm/harness.h"

/* ---- table 2: latencies without contention ---------------------------------------------------------------------- */

/* Cycles from a memory instruction to one that waits for its sources (`read`) or its result. */
static uint64_t latency(struct inst i, bool read)
{
    struct harness *h = harness_new();
    add(h,
        stall(reads_sb(writes_sb(i, i.code.write_words || i.code.memory == ISA_MEM_ASYNC_COPY ? 0 : ISA_NO_SB), 1), 2));
    add(h, waits(nop(), read ? 2 : 1));
    add(h, exit_warp());
    harness_begin(h);
    harness_warm_l1(h, 0, 16384);
    harness_warm_constant(h, 0, 0, false, true);
    harness_warp(h, 0, 0);
    harness_hold(h, START);
    harness_run(h);
    uint64_t cycles = distance(h, 0, 0, 1);
    harness_free(h);
    return cycles;
}

static void loads_of_global_memory_take_the_cycles_of_table_2(void **state)
{
    (void)state;
    const uint64_t war[2] = {9, 11}, raw[2][3] = {{29, 31, 35}, {32, 34, 38}};
    for (unsigned vector = 0; vector < 2; vector++) {
        for (unsigned size = 0; size < 3; size++) {
            struct inst i = ldg(4, vector, (uint8_t)(4u << size), 0);
            assert_int_equal(latency(i, true), war[vector]);
            assert_int_equal(latency(i, false), raw[vector][size]);
        }
    }
}

static void stores_to_global_memory_take_the_cycles_of_table_2(void **state)
{
    (void)state;
    const uint64_t war[2][3] = {{10, 12, 16}, {14, 16, 20}};
    for (unsigned vector = 0; vector < 2; vector++) {
        for (unsigned size = 0; size < 3; size++)
            assert_int_equal(latency(stg(vector, (uint8_t)(4u << size), 0), true), war[vector][size]);
    }
}

static void loads_of_shared_memory_take_the_cycles_of_table_2(void **state)
{
    (void)state;
    const uint64_t raw[2][3] = {{23, 23, 25}, {24, 24, 26}};
    for (unsigned vector = 0; vector < 2; vector++) {
        for (unsigned size = 0; size < 3; size++) {
            struct inst i = lds(4, vector, (uint8_t)(4u << size), 0);
            assert_int_equal(latency(i, true), 9);
            assert_int_equal(latency(i, false), raw[vector][size]);
        }
    }
}

static void stores_to_shared_memory_take_the_cycles_of_table_2(void **state)
{
    (void)state;
    const uint64_t war[2][3] = {{10, 12, 16}, {12, 14, 18}};
    for (unsigned vector = 0; vector < 2; vector++) {
        for (unsigned size = 0; size < 3; size++)
            assert_int_equal(latency(sts(vector, (uint8_t)(4u << size), 0), true), war[vector][size]);
    }
}

static void constant_loads_take_the_cycles_of_table_2(void **state)
{
    (void)state;
    assert_int_equal(latency(ldc(4, false, 4, 0, 0), true), 10);
    assert_int_equal(latency(ldc(4, false, 4, 0, 0), false), 26);
    for (uint8_t bytes = 4; bytes <= 8; bytes = (uint8_t)(bytes + 4)) {
        assert_int_equal(latency(ldc(4, true, bytes, 0, 0), true), 29);
        assert_int_equal(latency(ldc(4, true, bytes, 0, 0), false), 29);
    }
}

static void copies_to_shared_memory_take_the_cycles_of_table_2(void **state)
{
    (void)state;
    for (unsigned size = 0; size < 3; size++) {
        assert_int_equal(latency(ldgsts((uint8_t)(4u << size), 0), true), 13);
        assert_int_equal(latency(ldgsts((uint8_t)(4u << size), 0), false), 39);
    }
}

static void a_shuffle_takes_25_cycles(void **state)
{
    (void)state;
    assert_int_equal(latency(shfl(4, 2), false), 25);
}

/* Cycles from the first of eight matches to an instruction that waits for the last one. */
static uint64_t eight_matches(uint8_t values, uint32_t interval, uint32_t cycles)
{
    struct harness *h = harness_new();
    h->config.lsu.match_interval = interval;
    h->config.lsu.match_latency = cycles;
    for (unsigned i = 0; i < 8; i++)
        add(h, stall(writes_sb(match((uint8_t)(4 + i), 2, values), 0), 2));
    add(h, waits(nop(), 1));
    add(h, exit_warp());
    harness_begin(h);
    harness_warp(h, 0, 0);
    harness_hold(h, START);
    harness_run(h);
    uint64_t sum = distance(h, 0, 0, 8);
    harness_free(h);
    return sum;
}

static void a_match_takes_as_long_as_its_lanes_have_different_values(void **state)
{
    (void)state;
    const uint64_t all = eight_matches(32, 64, 320);
    assert_int_equal(eight_matches(0, 64, 320), all); /* as many as lanes, if nothing is known */
    assert_int_equal(eight_matches(16, 64, 320), all - 7 * 32 - 160);
    assert_int_equal(eight_matches(17, 64, 320), all - 7 * 30 - 150);
    assert_int_equal(eight_matches(8, 64, 320), all - 7 * 48 - 240);
}

static void a_shared_atomic_takes_three_cycles_more_than_a_load(void **state)
{
    (void)state;
    assert_int_equal(latency(atoms(4, 0), false), 24 + 3);
}

/* ---- table 1: a run of independent instructions from one to four sub-cores -------------------------------------- */

enum { RUN = 16 };

/* Cycle of the paper's table (the first instruction issues at 2) of the n-th instruction, from 1, of sub-core k. */
static uint64_t table_1(unsigned sub_cores, unsigned n, unsigned k)
{
    const uint64_t step[] = {0, 4, 4, 6, 8};
    return n <= 5 ? n + 1 : 13 + (n - 6) * step[sub_cores] + 2 * k;
}

static void check_table_1(struct inst i)
{
    for (unsigned sub_cores = 1; sub_cores <= 4; sub_cores++) {
        struct harness *h = harness_new();
        add_many(h, i, RUN);
        add(h, exit_warp());
        harness_begin(h);
        harness_warm_l1(h, 0, 4096);
        for (unsigned k = 0; k < sub_cores; k++)
            harness_warp(h, k, 0);
        harness_hold(h, START);
        harness_run(h);
        for (unsigned k = 0; k < sub_cores; k++) {
            for (unsigned n = 1; n <= RUN; n++)
                assert_int_equal(issued_at(h, k, n - 1) - START + 2, table_1(sub_cores, n, k));
        }
        harness_free(h);
    }
}

static void runs_of_loads_issue_at_the_cycles_of_table_1(void **state)
{
    (void)state;
    check_table_1(ldg(4, true, 4, 0));
}

static void runs_of_stores_issue_at_the_cycles_of_table_1(void **state)
{
    (void)state;
    check_table_1(lanes(stg(true, 4, 0), 0x10001)); /* both halves of the warp, and few sectors: the port keeps up */
}

/* A100 streams LDS at 2 cycles an instruction from one sub-core; this part accepts one every 2 cycles from all. */
static void shared_memory_streams_at_two_cycles_an_instruction_from_any_number_of_sub_cores(void **state)
{
    (void)state;
    for (unsigned sub_cores = 1; sub_cores <= 4; sub_cores++) {
        struct harness *h = harness_new();
        add_many(h, lds(4, true, 4, 0), 40);
        add(h, exit_warp());
        harness_begin(h);
        for (unsigned k = 0; k < sub_cores; k++)
            harness_warp(h, k, 0);
        harness_run(h);
        for (unsigned k = 0; k < sub_cores; k++)
            assert_int_equal(distance(h, k, 20, 39), 19 * 2 * sub_cores);
        harness_free(h);
    }
}

static uint64_t four_sub_cores(uint32_t active, bool half_warps)
{
    struct harness *h = harness_new();
    h->config.lsu.half_warps = half_warps;
    add_many(h, lanes(lds(4, true, 4, 0), active), 40);
    add(h, exit_warp());
    harness_begin(h);
    for (unsigned k = 0; k < SM_SUBCORES; k++)
        harness_warp(h, k, 0);
    harness_run(h);
    uint64_t cycles = distance(h, 0, 20, 39);
    harness_free(h);
    return cycles;
}

static void accesses_of_half_a_warp_pass_the_shared_part_in_half_the_time(void **state)
{
    (void)state;
    assert_int_equal(four_sub_cores(0xffff, true), 19 * 4);
    assert_int_equal(four_sub_cores(0x1ffff, true), 19 * 8);
    assert_int_equal(four_sub_cores(0xffff, false), 19 * 8);
}

static void a_part_that_accepts_every_cycle_streams_as_measured_on_a100(void **state)
{
    (void)state;
    const uint64_t cycles[] = {0, 2, 2, 3, 4};
    for (unsigned sub_cores = 1; sub_cores <= 4; sub_cores++) {
        struct harness *h = harness_new();
        h->config.lsu.accept_interval = 1;
        add_many(h, lds(4, true, 4, 0), 40);
        add(h, exit_warp());
        harness_begin(h);
        for (unsigned k = 0; k < sub_cores; k++)
            harness_warp(h, k, 0);
        harness_run(h);
        for (unsigned k = 0; k < sub_cores; k++)
            assert_int_equal(distance(h, k, 20, 32), 12 * cycles[sub_cores]);
        harness_free(h);
    }
}

static void a_full_queue_stalls_only_memory_instructions(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    add_many(h, ldg(4, true, 4, 0), 6);
    add(h, exit_warp());
    add(h, stall(nop(), 8));
    add(h, nop());
    add(h, exit_warp());
    harness_begin(h);
    harness_warm_l1(h, 0, 4096);
    harness_warp(h, 0, 7);
    harness_warp(h, 4, 0);
    harness_hold(h, START);
    harness_run(h);
    assert_int_equal(issued_at(h, 4, 5), START + 11);
    assert_int_equal(issued_at(h, 0, 7), START + 5);
    assert_int_equal(h->sm->n.stall[STALL_LG_THROTTLE], 6);
    harness_free(h);
}

/* ---- shared memory ---------------------------------------------------------------------------------------------- */

/* A wavefront a cycle (RTX 5090, H800, B200). */
static void each_further_way_of_a_bank_conflict_costs_a_cycle(void **state)
{
    (void)state;
    for (unsigned ways = 1; ways <= 32; ways *= 2)
        assert_int_equal(latency(strided(lds(4, true, 4, 0), 4 * ways, 0), false), 24 + ways - 1);
}

static void a_broadcast_has_no_conflict_and_atomics_to_one_word_have_32_passes(void **state)
{
    (void)state;
    assert_int_equal(latency(strided(lds(4, true, 4, 0), 0, 0), false), 24);
    assert_int_equal(latency(strided(atoms(4, 0), 0, 0), false), 27 + 31);
}

static void a_conflict_holds_the_banks_against_other_sub_cores(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    add(h, stall(writes_sb(strided(lds(4, true, 4, 0), 128, 0), 0), 2));
    add(h, waits(nop(), 1));
    add(h, exit_warp());
    add(h, stall(writes_sb(lds(4, true, 4, 0), 0), 2));
    add(h, waits(nop(), 1));
    add(h, exit_warp());
    harness_begin(h);
    harness_warp(h, 0, 0);
    harness_warp(h, 1, 3);
    harness_hold(h, START);
    harness_run(h);
    assert_int_equal(distance(h, 0, 0, 1), 24 + 31);
    assert_int_equal(distance(h, 1, 3, 4), 24 + 32); /* one cycle for each pass */
    assert_int_equal(h->sm->n.shared_requests, 2);
    assert_int_equal(h->sm->n.shared_wavefronts, 33);
    assert_int_equal(h->sm->n.shared_conflicts, 31);
    harness_free(h);
}

/* 128 bytes a cycle: an SM reads 64 bits a lane in 2 cycles and 128 bits in 4. */
static void wide_loads_of_shared_memory_move_128_bytes_a_cycle(void **state)
{
    (void)state;
    for (unsigned bytes = 8; bytes <= 16; bytes *= 2) {
        struct harness *h = harness_new();
        add_many(h, lds(4, true, (uint8_t)bytes, 0), 40);
        add(h, exit_warp());
        harness_begin(h);
        for (unsigned k = 0; k < 4; k++)
            harness_warp(h, k, 0);
        harness_run(h);
        for (unsigned k = 0; k < 4; k++)
            assert_int_equal(distance(h, k, 20, 32), 12 * 4 * bytes / 4);
        assert_int_equal(h->sm->n.shared_conflicts, 0);
        harness_free(h);
    }
}

/* ---- return ----------------------------------------------------------------------------------------------------- */

/* A load that meets the write of a fixed-latency result in its bank waits for one cycle (MICRO 2025 paper). */
static void a_returning_load_waits_a_cycle_for_a_fixed_latency_write_of_its_bank(void **state)
{
    (void)state;
    for (uint8_t bank = 0; bank < 2; bank++) {
        unsigned late = 0;
        for (unsigned nops = 4; nops < 20; nops++) {
            struct harness *h = harness_new();
            add(h, writes_sb(lds(4, true, 4, 0), 0));
            add_many(h, nop(), nops);
            add(h, iadd((uint8_t)(6 + bank), 8, 11, 12));
            uint32_t consumer = add(h, waits(nop(), 1));
            add(h, exit_warp());
            harness_begin(h);
            harness_warp(h, 0, 0);
            harness_hold(h, START);
            harness_run(h);
            assert_in_range(distance(h, 0, 0, consumer), 24, 25);
            late += distance(h, 0, 0, consumer) == 25;
            harness_free(h);
        }
        assert_int_equal(late, bank == 0);
    }
}

static void the_return_bus_of_a_sub_core_moves_64_bytes_a_cycle(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    for (unsigned i = 0; i < 4; i++)
        add(h, writes_sb(ldg((uint8_t)(4 + 4 * i), false, 16, 0), (uint8_t)i));
    for (unsigned i = 0; i < 4; i++)
        add(h, waits(nop(), (uint8_t)(1u << i)));
    add(h, exit_warp());
    harness_begin(h);
    harness_warm_l1(h, 0, 8192);
    harness_warp(h, 0, 0);
    harness_hold(h, START);
    harness_run(h);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(issued_at(h, 0, 4 + i), START + 35 + 8 * i);
    harness_free(h);
}

UNIT_TESTS(UNIT(loads_of_global_memory_take_the_cycles_of_table_2),
           UNIT(stores_to_global_memory_take_the_cycles_of_table_2),
           UNIT(loads_of_shared_memory_take_the_cycles_of_table_2),
           UNIT(stores_to_shared_memory_take_the_cycles_of_table_2), UNIT(constant_loads_take_the_cycles_of_table_2),
           UNIT(copies_to_shared_memory_take_the_cycles_of_table_2), UNIT(a_shuffle_takes_25_cycles),
           UNIT(a_match_takes_as_long_as_its_lanes_have_different_values),
           UNIT(a_shared_atomic_takes_three_cycles_more_than_a_load),
           UNIT(runs_of_loads_issue_at_the_cycles_of_table_1), UNIT(runs_of_stores_issue_at_the_cycles_of_table_1),
           UNIT(shared_memory_streams_at_two_cycles_an_instruction_from_any_number_of_sub_cores),
           UNIT(accesses_of_half_a_warp_pass_the_shared_part_in_half_the_time),
           UNIT(a_part_that_accepts_every_cycle_streams_as_measured_on_a100),
           UNIT(a_full_queue_stalls_only_memory_instructions), UNIT(each_further_way_of_a_bank_conflict_costs_a_cycle),
           UNIT(a_broadcast_has_no_conflict_and_atomics_to_one_word_have_32_passes),
           UNIT(a_conflict_holds_the_banks_against_other_sub_cores),
           UNIT(wide_loads_of_shared_memory_move_128_bytes_a_cycle),
           UNIT(a_returning_load_waits_a_cycle_for_a_fixed_latency_write_of_its_bank),
           UNIT(the_return_bus_of_a_sub_core_moves_64_bytes_a_cycle))
