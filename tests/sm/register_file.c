/* Read ports, register-file cache, write ports: the paper's listings 1 and 4, the operand sweep measured on GA106. */
#include "tests/sm/harness.h"

/* Cycles between two clock reads around `NOP; FFMA R11,R10,R12,R14; FFMA R13,R16,RX,RY; NOP` (listing 1). */
static uint64_t listing_1(uint8_t x, uint8_t y, bool last_nop, uint32_t ports, bool ideal)
{
    struct harness *h = harness_new();
    h->config.core.read_ports = ports;
    h->config.core.ideal_ports = ideal;
    add(h, clock_read(2));
    add(h, nop());
    add(h, ffma(11, 10, 12, 14));
    add(h, ffma(13, 16, x, y));
    if (last_nop)
        add(h, nop());
    uint32_t second = add(h, clock_read(4));
    add(h, exit_warp());
    harness_begin(h);
    harness_warp(h, 0, 0);
    harness_hold(h, 10);
    harness_run(h);
    uint64_t window = distance(h, 0, 0, second);
    harness_free(h);
    return window;
}

static void port_conflicts_give_the_windows_of_listing_1(void **state)
{
    (void)state;
    assert_int_equal(listing_1(19, 21, true, 1, false), 5);
    assert_int_equal(listing_1(18, 21, true, 1, false), 6);
    assert_int_equal(listing_1(18, 20, true, 1, false), 7);
}

static void a_bubble_does_not_reach_a_clock_read_that_follows_at_once(void **state)
{
    (void)state;
    /* The clock is read in the second FP32 group, which the second FFMA holds for two cycles. */
    assert_int_equal(listing_1(19, 21, false, 1, false), 5);
    assert_int_equal(listing_1(18, 21, false, 1, false), 5);
    assert_int_equal(listing_1(18, 20, false, 1, false), 5);
}

static void two_ports_a_bank_and_ideal_ports_have_no_conflict_there(void **state)
{
    (void)state;
    assert_int_equal(listing_1(18, 20, true, 2, false), 5);
    assert_int_equal(listing_1(18, 20, true, 1, true), 5);
}

/* Cycles between two clock reads around `NOP; first; second; third`, with the integer lanes of a GA100. */
static uint64_t three(struct inst first, struct inst second, struct inst third, bool backfill)
{
    struct harness *h = harness_new();
    h->config.core.fp32_lite = false;
    h->config.core.int_lanes = CONFIG_INT_LANES_OWN;
    h->config.core.read_backfill = backfill;
    add(h, clock_read(20));
    add(h, nop());
    add(h, first);
    add(h, second);
    add(h, third);
    add(h, clock_read(21));
    add(h, exit_warp());
    harness_begin(h);
    harness_warp(h, 0, 0);
    harness_hold(h, 10);
    harness_run(h);
    uint64_t window = distance(h, 0, 0, 5);
    harness_free(h);
    return window;
}

static void on_an_a100_each_instruction_pays_for_its_own_reads(void **state)
{
    (void)state;
    struct inst first = iadd(9, 10, 5, 7), even = ffma(12, 10, 6, 8);
    assert_int_equal(three(first, even, nop(), false), 7);
    assert_int_equal(three(first, even, nop(), true), 5);
    assert_int_equal(three(reuse(first, 1), even, nop(), false), 6);
    assert_int_equal(three(first, ffma(12, 5, 6, 8), nop(), false), 6);
    /* A bank that the first does not read is all free. */
    assert_int_equal(three(iadd(9, 4, 6, 8), ffma(12, 10, 5, 7), nop(), false), 5);
    assert_int_equal(three(iadd(9, 4, 6, 8), ffma(12, 10, 6, 7), nop(), false), 6);
}

static void an_instruction_that_waits_in_allocate_keeps_its_units_latch_for_as_much_longer(void **state)
{
    (void)state;
    struct inst first = reuse(iadd(9, 10, 5, 7), 1), third = iadd(9, 10, 6, 8);
    assert_int_equal(three(first, ffma(12, 10, 6, 8), third, false), 9);
    assert_int_equal(three(first, reuse(ffma(12, 10, 6, 8), 1), third, false), 8);
    assert_int_equal(three(first, ffma(12, 4, 6, 8), third, false), 10);
    /* The clock is read by the integer lanes: with FFMA in third place it does not wait for them. */
    assert_int_equal(three(first, nop(), ffma(9, 6, 8, 10), false), 5);
}

/* ---- register-file cache ---------------------------------------------------------------------------------------- */

static struct sm_counters run_program(const struct inst *program, unsigned count, bool rfc)
{
    struct harness *h = harness_new();
    h->config.core.rfc = rfc;
    for (unsigned i = 0; i < count; i++)
        add(h, program[i]);
    add(h, exit_warp());
    harness_begin(h);
    harness_warp(h, 0, 0);
    harness_run(h);
    struct sm_counters n = h->sm->n;
    harness_free(h);
    return n;
}

/* Hits of the last instruction among three. */
static uint64_t third_hits(const struct inst sequence[3])
{
    return run_program(sequence, 3, true).rfc_hits - run_program(sequence, 2, true).rfc_hits;
}

static void the_four_sequences_of_listing_4_hit_as_the_paper_says(void **state)
{
    (void)state;
    struct inst first = reuse(iadd(1, 2, 3, 4), 1), third = iadd(10, 2, 12, 13);
    struct inst dropped[3] = {first, ffma(5, 2, 7, 8), third};
    struct inst kept[3] = {first, reuse(ffma(5, 2, 7, 8), 1), third};
    struct inst other_place[3] = {first, ffma(5, 7, 2, 8), third};
    struct inst evicted[3] = {first, ffma(5, 4, 7, 8), third};
    assert_int_equal(third_hits(dropped), 0);
    assert_int_equal(run_program(dropped, 2, true).rfc_hits, 1);
    assert_int_equal(third_hits(kept), 1);
    assert_int_equal(run_program(kept, 2, true).rfc_hits, 1);
    assert_int_equal(third_hits(other_place), 1);
    assert_int_equal(run_program(other_place, 2, true).rfc_hits, 0);
    assert_int_equal(third_hits(evicted), 0);
    assert_int_equal(run_program(evicted, 2, true).rfc_hits, 0);
}

static void without_the_cache_nothing_hits_and_every_operand_is_read(void **state)
{
    (void)state;
    struct inst kept[3] = {reuse(iadd(1, 2, 3, 4), 1), reuse(ffma(5, 2, 7, 8), 1), iadd(10, 2, 12, 13)};
    struct sm_counters n = run_program(kept, 3, false);
    assert_int_equal(n.rfc_hits, 0);
    assert_int_equal(n.register_reads, 9);
    n = run_program(kept, 3, true);
    assert_int_equal(n.register_reads, 7);
}

static void another_warp_that_reads_in_the_same_place_takes_the_slot(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    add(h, stall(reuse(iadd(1, 2, RZ, RZ), 1), 10)); /* warp 0 at 10, 20; warp 1 between */
    add(h, iadd(1, 2, RZ, RZ));
    add(h, exit_warp());
    harness_begin(h);
    harness_warp(h, 0, 0);
    harness_run(h);
    assert_int_equal(h->sm->n.rfc_hits, 1);
    harness_begin(h);
    harness_warp(h, 0, 0);
    harness_warp(h, 4, 0);
    harness_run(h);
    assert_int_equal(h->sm->n.rfc_hits, 0);
    harness_free(h);
}

static void one_register_in_several_operands_is_read_once(void **state)
{
    (void)state;
    struct inst same = ffma(5, 2, 2, 2);
    assert_int_equal(run_program(&same, 1, true).register_reads, 1);
}

static void a_pair_with_reuse_is_kept_in_the_slots_of_both_banks(void **state)
{
    (void)state;
    struct inst pair = iadd(10, 2, RZ, RZ);
    pair.code.read[0].words = 2;
    struct inst sequence[3] = {reuse(pair, 1), reuse(iadd(11, 2, RZ, RZ), 1), iadd(12, 3, RZ, RZ)};
    assert_int_equal(run_program(sequence, 3, true).rfc_hits, 2);
}

/* ---- steady state ----------------------------------------------------------------------------------------------- */

enum { LOOPS = 100, WARM_UP = 10 };

/* Cycles that `program` takes in steady state, times the loops between the warm-up and the end. */
static uint64_t steady(const struct inst *program, unsigned count, bool ideal, uint32_t ports)
{
    struct harness *h = harness_new();
    h->config.core.ideal_ports = ideal;
    h->config.core.read_ports = ports;
    for (unsigned loop = 0; loop <= LOOPS; loop++) {
        for (unsigned i = 0; i < count; i++)
            add(h, program[i]);
    }
    add(h, exit_warp());
    harness_begin(h);
    harness_warp(h, 0, 0);
    harness_run(h);
    uint64_t cycles = distance(h, 0, WARM_UP * count, LOOPS * count);
    harness_free(h);
    return cycles;
}

struct reads {
    unsigned bank[2];
};

/* Port reads of the fourth time round, by the paper's rules and nothing else: a slot for each bank and position. */
static struct reads reads_in_steady_state(const uint8_t operand[4][3], unsigned reuse_mask)
{
    int slot[2][3] = {{-1, -1, -1}, {-1, -1, -1}};
    struct reads reads;
    for (unsigned loop = 0; loop < 4; loop++) {
        reads = (struct reads){{0, 0}};
        for (unsigned i = 0; i < 4; i++) {
            int read_now[3];
            for (unsigned p = 0; p < 3; p++) {
                int reg = operand[i][p];
                int *kept = &slot[reg % 2][p];
                bool hit = *kept == reg;
                *kept = reuse_mask >> p & 1 ? reg : -1;
                read_now[p] = hit ? -1 : reg;
                bool again = hit;
                for (unsigned q = 0; q < p; q++)
                    again |= read_now[q] == reg;
                reads.bank[reg % 2] += !again;
            }
        }
    }
    return reads;
}

/* GA106: `FFMA R5,a,b,R5` and three `FFMA Rx,a,b,R16`, eight registers for each of a and b and all reuse flags. */
static void the_256_operand_combinations_run_at_the_rate_of_the_busier_bank(void **state)
{
    (void)state;
    unsigned seen[12] = {0};
    for (unsigned k = 0; k < 256; k++) {
        uint8_t a = (uint8_t)(20 + k % 8), b = (uint8_t)(20 + k / 8 % 8);
        unsigned mask = k / 64;
        const uint8_t operand[4][3] = {{a, b, 5}, {a, b, 16}, {a, b, 16}, {a, b, 16}};
        struct inst program[4];
        for (unsigned i = 0; i < 4; i++)
            program[i] = reuse(ffma((uint8_t)(i ? 30 + i : 5), operand[i][0], operand[i][1], operand[i][2]), mask);
        struct reads reads = reads_in_steady_state(operand, mask);
        uint64_t bound = latest(4, latest(reads.bank[0], reads.bank[1]));
        assert_int_equal(steady(program, 4, false, 1), bound * (LOOPS - WARM_UP));
        assert_true(bound < 12);
        seen[bound]++;
    }
    assert_true(seen[4] && seen[5] && seen[7] && seen[9] && seen[11]);
}

static void ideal_ports_issue_every_combination_each_cycle(void **state)
{
    (void)state;
    struct inst worst = ffma(5, 20, 22, 24);
    assert_int_equal(steady(&worst, 1, true, 1), LOOPS - WARM_UP);
}

/* GA106: 0.592, 1.17 and 1.74 ms in the same loop. */
static void registers_in_one_bank_cost_one_cycle_each(void **state)
{
    (void)state;
    struct inst both = ffma(5, 20, 21, RZ), two = ffma(5, 20, 21, 22), three = ffma(5, 20, 22, 24);
    assert_int_equal(steady(&both, 1, false, 1), LOOPS - WARM_UP);
    assert_int_equal(steady(&two, 1, false, 1), 2 * (LOOPS - WARM_UP));
    assert_int_equal(steady(&three, 1, false, 1), 3 * (LOOPS - WARM_UP));
}

static void two_ports_a_bank_double_the_rate(void **state)
{
    (void)state;
    struct inst two = ffma(5, 20, 21, 22), three = ffma(5, 20, 22, 24);
    assert_int_equal(steady(&two, 1, false, 2), LOOPS - WARM_UP);
    assert_int_equal(steady(&three, 1, false, 2), (LOOPS - WARM_UP) * 3 / 2);
}

static void an_operand_of_four_registers_is_read_in_a_window_twice_as_long(void **state)
{
    (void)state;
    struct register_file rf;
    struct config config;
    struct sm_counters n = {0};
    config_defaults(&config);
    memset(&rf, 0, sizeof rf);
    struct code code = {
        .class = CLASS_TENSOR, .reads = 3, .read = {{8, 4, 0, false}, {16, 2, 1, false}, {24, 4, 2, false}}};
    code_derive(&code, &config.core);
    uint64_t entered;
    assert_int_equal(register_file_allocate(&rf, &config.core, &code, 0, 100, &entered, &n), 102);
    struct code one = {.reads = 1, .read = {{2, 1, 0, false}}};
    code_derive(&one, &config.core);
    /* Five reads of bank 0 took 103..107: the next window that has a free cycle is 106..108. */
    assert_int_equal(register_file_allocate(&rf, &config.core, &one, 0, 101, &entered, &n), 105);
    assert_int_equal(entered, 103);
    assert_int_equal(n.port_conflict_cycles, 2);
}

UNIT_TESTS(UNIT(port_conflicts_give_the_windows_of_listing_1),
           UNIT(a_bubble_does_not_reach_a_clock_read_that_follows_at_once),
           UNIT(two_ports_a_bank_and_ideal_ports_have_no_conflict_there),
           UNIT(on_an_a100_each_instruction_pays_for_its_own_reads),
           UNIT(an_instruction_that_waits_in_allocate_keeps_its_units_latch_for_as_much_longer),
           UNIT(the_four_sequences_of_listing_4_hit_as_the_paper_says),
           UNIT(without_the_cache_nothing_hits_and_every_operand_is_read),
           UNIT(another_warp_that_reads_in_the_same_place_takes_the_slot),
           UNIT(one_register_in_several_operands_is_read_once),
           UNIT(a_pair_with_reuse_is_kept_in_the_slots_of_both_banks),
           UNIT(the_256_operand_combinations_run_at_the_rate_of_the_busier_bank),
           UNIT(ideal_ports_issue_every_combination_each_cycle), UNIT(registers_in_one_bank_cost_one_cycle_each),
           UNIT(two_ports_a_bank_double_the_rate), UNIT(an_operand_of_four_registers_is_read_in_a_window_twice_as_long))
