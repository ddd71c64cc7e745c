/* Each warp state and each event of the scheduler, made by a program of its own, with the cycles that it must have;
 * which event takes a cycle in which warps differ; and the same by instruction. */
#include "tests/sm/harness.h"

enum { SECOND = 4 }; /* slot of a second warp on the first sub-core */

static struct harness *begin(void)
{
    struct harness *h = harness_new();
    h->config.core.fp32_lite = false;
    return h;
}

/* Buffers are full at START. Before it all wait. */
static void run(struct harness *h, uint32_t warps)
{
    add(h, exit_warp());
    harness_begin(h);
    harness_warm_l1(h, 0, 4096);
    for (uint32_t w = 0; w < warps; w++)
        harness_warp(h, w * SECOND, 0);
    harness_hold(h, START);
    harness_run(h);
    assert_int_equal(stall_sum(&h->sm->n), h->sm->n.warp_cycles);
    assert_int_equal(cycle_sum(&h->sm->n), SM_SUBCORES * h->sm->n.cycles_active);
}

static void expect(const struct harness *h, enum stall_reason reason, uint64_t warp_cycles, enum cycle_event event,
                   uint64_t cycles)
{
    if (h->sm->n.stall[reason] != warp_cycles || h->sm->n.cycle[event] != cycles)
        fail_msg("%s: %llu warp-cycles, not %llu; %s: %llu cycles, not %llu", stall_name(reason),
                 (unsigned long long)h->sm->n.stall[reason], (unsigned long long)warp_cycles, cycle_event_name(event),
                 (unsigned long long)h->sm->n.cycle[event], (unsigned long long)cycles);
}

/* ---- one warp: its state is the scheduler's -------------------------------------------------------------------- */

static void selected_is_an_issue_and_wait_a_stall_count(void **state)
{
    (void)state;
    struct harness *h = begin();
    add_many(h, stall(nop(), 7), 5);
    run(h, 1);
    expect(h, STALL_SELECTED, 6, CYCLE_ISSUE, 6);
    expect(h, STALL_WAIT, START - 2 + 5 * 6, CYCLE_FIXED_RESULT, START - 2 + 5 * 6);
    expect(h, STALL_NO_INSTRUCTION, 2, CYCLE_FETCH, 2);
    harness_free(h);
}

static void a_branch_is_first_resolved_and_then_fetched(void **state)
{
    (void)state;
    struct harness *h = begin();
    add(h, nop());
    add(h, branch(0, 10));
    run(h, 1);
    uint64_t resolve = h->config.core.branch_resolve - 1, taken = 10;
    uint64_t bubble = issued_nth(h, 0, 0, 1) - issued_nth(h, 0, 1, 0) - 1;
    assert_true(resolve > 0 && bubble > resolve);
    expect(h, STALL_BRANCH_RESOLVING, taken * resolve, CYCLE_BRANCH, taken * resolve);
    expect(h, STALL_NO_INSTRUCTION, 2 + taken * (bubble - resolve), CYCLE_BRANCH_FETCH, taken * (bubble - resolve));
    expect(h, STALL_NO_INSTRUCTION, 2 + taken * (bubble - resolve), CYCLE_FETCH, 2);
    harness_free(h);
}

static void a_missing_line_is_no_instruction(void **state)
{
    (void)state;
    struct harness *h = begin();
    h->config.icache.perfect = false;
    add_many(h, nop(), 3);
    add(h, exit_warp());
    harness_begin(h);
    harness_warp(h, 0, 0);
    harness_run(h);
    uint64_t first = issued_at(h, 0, 0);
    assert_true(first > 30);
    expect(h, STALL_NO_INSTRUCTION, first, CYCLE_FETCH, first);
    harness_free(h);
}

static void nanosleep_is_sleeping(void **state)
{
    (void)state;
    struct harness *h = begin();
    add(h, nanosleep_for(100));
    run(h, 1);
    expect(h, STALL_SLEEPING, 99, CYCLE_SLEEP, 99);
    harness_free(h);
}

static void a_fence_is_membar(void **state)
{
    (void)state;
    struct harness *h = begin();
    add(h, membar(FENCE_GPU));
    run(h, 1);
    uint64_t cycles = distance(h, 0, 0, 1) - 1;
    expect(h, STALL_MEMBAR, cycles, CYCLE_FENCE, cycles);
    harness_free(h);
}

static void a_constant_that_misses_is_imc_miss(void **state)
{
    (void)state;
    struct harness *h = begin();
    add(h, nop());
    add(h, ffma_constant(4, 2, 0, 0x160, RZ));
    run(h, 1);
    uint64_t cycles = distance(h, 0, 0, 1) - 1;
    assert_true(cycles > 79);
    expect(h, STALL_IMC_MISS, cycles, CYCLE_CONSTANT_MISS, cycles);
    harness_free(h);
}

static void an_exited_warp_drains_until_its_stores_are_sent(void **state)
{
    (void)state;
    struct harness *h = begin();
    add(h, stall(stg(true, 4, 0), 2));
    run(h, 1);
    uint64_t cycles = h->end - issued_at(h, 0, 1) - 1;
    assert_in_range(cycles, 4, 20);
    expect(h, STALL_DRAIN, cycles, CYCLE_DRAINING, cycles);
    harness_free(h);
}

/* ---- dependence counters ----------------------------------------------------------------------------------------- */

/* The producer has a stall count of 2, its consumer waits: all cycles between but one. */
static void expect_wait(struct inst producer, enum stall_reason reason, enum cycle_event event)
{
    struct harness *h = begin();
    add(h, stall(producer, 2));
    add(h, waits(nop(), 1));
    run(h, 1);
    uint64_t cycles = distance(h, 0, 0, 1) - 2;
    assert_true(cycles > 0);
    expect(h, reason, cycles, event, cycles);
    assert_int_equal(h->sm->n.stall[STALL_LONG_SCOREBOARD] + h->sm->n.stall[STALL_SHORT_SCOREBOARD], cycles);
    harness_free(h);
}

static void results_of_global_memory_are_long_scoreboard(void **state)
{
    (void)state;
    expect_wait(writes_sb(ldg(4, true, 4, 0), 0), STALL_LONG_SCOREBOARD, CYCLE_L1TEX_DATA);
    expect_wait(writes_sb(atomg(4, 0), 0), STALL_LONG_SCOREBOARD, CYCLE_L1TEX_DATA);
    expect_wait(writes_sb(ldgsts(4, 0), 0), STALL_LONG_SCOREBOARD, CYCLE_L1TEX_DATA);
}

static void sources_of_stores_to_global_memory_are_long_scoreboard(void **state)
{
    (void)state;
    expect_wait(reads_sb(stg(true, 16, 0), 0), STALL_LONG_SCOREBOARD, CYCLE_L1TEX_DATA);
}

static void a_group_of_asynchronous_copies_is_long_scoreboard(void **state)
{
    (void)state;
    struct harness *h = begin();
    add(h, stall(ldgsts(4, 0), 2));
    add(h, stall(writes_sb(ldgdepbar(), 0), 2));
    add(h, depbar(0, 0, 0));
    add(h, nop());
    run(h, 1);
    uint64_t cycles = distance(h, 0, 2, 3) - 4;
    assert_true(cycles > 10);
    expect(h, STALL_LONG_SCOREBOARD, cycles, CYCLE_L1TEX_DATA, cycles);
    harness_free(h);
}

static void shared_memory_and_constants_by_ldc_are_short_scoreboard_and_data(void **state)
{
    (void)state;
    expect_wait(writes_sb(lds(4, true, 4, 0), 0), STALL_SHORT_SCOREBOARD, CYCLE_MIO_DATA);
    expect_wait(reads_sb(sts(true, 16, 0), 0), STALL_SHORT_SCOREBOARD, CYCLE_MIO_DATA);
    expect_wait(writes_sb(atoms(4, 0), 0), STALL_SHORT_SCOREBOARD, CYCLE_MIO_DATA);
    expect_wait(writes_sb(ldc(4, false, 4, 0, 0), 0), STALL_SHORT_SCOREBOARD, CYCLE_MIO_DATA);
}

static void special_functions_and_shuffles_are_short_scoreboard_and_computation(void **state)
{
    (void)state;
    expect_wait(writes_sb(mufu(4, 2), 0), STALL_SHORT_SCOREBOARD, CYCLE_VARIABLE_RESULT);
    expect_wait(writes_sb(shfl(4, 2), 0), STALL_SHORT_SCOREBOARD, CYCLE_VARIABLE_RESULT);
}

static void a_warp_that_waits_for_both_is_in_long_scoreboard_first(void **state)
{
    (void)state;
    struct harness *h = begin();
    add(h, stall(writes_sb(lds(5, true, 4, 0), 1), 1));
    add(h, stall(writes_sb(ldg(4, true, 4, 0), 0), 2));
    add(h, waits(nop(), 3));
    run(h, 1);
    expect(h, STALL_SHORT_SCOREBOARD, 0, CYCLE_MIO_DATA, 0);
    expect(h, STALL_LONG_SCOREBOARD, distance(h, 0, 1, 2) - 2, CYCLE_L1TEX_DATA, distance(h, 0, 1, 2) - 2);
    harness_free(h);
}

/* ---- units and queues -------------------------------------------------------------------------------------------- */

static void a_full_memory_queue_throttles_by_what_waits(void **state)
{
    (void)state;
    const struct {
        struct inst inst;
        enum stall_reason reason;
        enum cycle_event event;
    } cases[] = {
        {ldg(4, true, 4, 0), STALL_LG_THROTTLE, CYCLE_LG_QUEUE},
        {lds(4, true, 4, 0), STALL_MIO_THROTTLE, CYCLE_MIO_QUEUE},
        {shfl(4, 2), STALL_MIO_THROTTLE, CYCLE_MIO_QUEUE},
        {texture(ISA_OP_TEX, 4, 0, (struct issued_texture){.texels = 4}), STALL_TEX_THROTTLE, CYCLE_TEX_QUEUE}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct harness *h = begin();
        add_many(h, cases[i].inst, 12);
        run(h, 1);
        uint64_t cycles = distance(h, 0, 0, 11) - 11;
        assert_true(cycles > 5);
        expect(h, cases[i].reason, cycles, cases[i].event, cycles);
        harness_free(h);
    }
}

static void a_taken_unit_is_math_pipe_throttle(void **state)
{
    (void)state;
    struct harness *h = begin();
    add_many(h, ffma(RZ, 2, 3, RZ), 8);
    run(h, 1);
    expect(h, STALL_MATH_PIPE_THROTTLE, 7, CYCLE_UNIT_TAKEN, 7);
    harness_free(h);
}

static void a_full_queue_of_special_functions_is_mio_throttle(void **state)
{
    (void)state;
    struct harness *h = begin();
    add_many(h, mufu(4, 2), h->config.core.xu_queue + 1); /* the first of them leaves the queue, then there is room */
    run(h, 1);
    uint64_t cycles = h->config.core.queue_war - h->config.core.xu_queue;
    expect(h, STALL_MIO_THROTTLE, cycles, CYCLE_UNIT_QUEUE, cycles);
    harness_free(h);
}

static void register_ports_hold_dispatch(void **state)
{
    (void)state;
    struct harness *h = begin();
    h->config.core.fma_interval = 1;
    add(h, ffma(11, 10, 12, 14));
    add(h, ffma(13, 16, 18, 20)); /* two more cycles for ports: listing 1 */
    add(h, nop());
    add(h, nop());
    run(h, 1);
    assert_int_equal(distance(h, 0, 0, 4) - 4, h->sm->n.stall[STALL_DISPATCH_STALL]);
    assert_true(h->sm->n.stall[STALL_DISPATCH_STALL] >= 2);
    expect(h, STALL_DISPATCH_STALL, distance(h, 0, 0, 4) - 4, CYCLE_REGISTER_PORTS, distance(h, 0, 0, 4) - 4);
    harness_free(h);
}

static void a_full_result_queue_holds_dispatch(void **state)
{
    (void)state;
    struct harness *h = begin();
    h->config.core.result_queue = 4;
    h->config.core.fma_interval = 1;
    for (unsigned i = 0; i < 8; i++) /* all results in the same cycle */
        h->code[add(h, ffma((uint8_t)(4 + 2 * i), RZ, RZ, RZ))].result_latency = (uint16_t)(60 - i);
    run(h, 1);
    uint64_t cycles = distance(h, 0, 0, 8) - 8;
    assert_true(cycles >= 3);
    expect(h, STALL_DISPATCH_STALL, cycles, CYCLE_RESULT_QUEUE, cycles);
    harness_free(h);
}

static void a_wide_multiply_add_leaves_a_bubble(void **state)
{
    (void)state;
    struct harness *h = begin();
    h->config.core.wide_imad_bubble = 3;
    add(h, imad_wide(4, RZ, RZ, RZ));
    add(h, nop());
    run(h, 1);
    expect(h, STALL_DISPATCH_STALL, 3, CYCLE_ISSUE_BUBBLE, 3);
    harness_free(h);
}

/* ---- several warps ----------------------------------------------------------------------------------------------- */

static void who_could_issue_while_another_does_is_not_selected(void **state)
{
    (void)state;
    struct harness *h = begin();
    add_many(h, nop(), 2);
    run(h, 2);
    expect(h, STALL_NOT_SELECTED, 3, CYCLE_ISSUE, 6); /* the second warp waits until the first has exited */
    harness_free(h);
}

static void who_waits_at_a_barrier_is_there_until_the_last_has_come(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    h->warps_per_cta = 2;
    add(h, barrier_sync(0, 0));
    add(h, exit_warp());
    add(h, stall(nop(), 12));
    add(h, stall(nop(), 12));
    add(h, barrier_sync(0, 0));
    add(h, exit_warp());
    harness_begin(h);
    harness_cta(h, 0);
    harness_enter(h, 1, 2);
    harness_run(h);
    uint64_t first = distance(h, 0, 0, 1) - 1, second = distance(h, 1, 4, 5) - 1;
    assert_true(first > 20);
    expect(h, STALL_BARRIER, first + second, CYCLE_CTA_BARRIER, first + second); /* two sub-cores */
    harness_free(h);
}

static void a_scheduler_that_waits_for_a_constant_holds_the_other_warps(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    add(h, ffma_constant(4, 2, 0, 0x160, RZ));
    add(h, exit_warp());
    add(h, nop());
    add(h, exit_warp());
    harness_begin(h);
    harness_warp(h, 0, 2);
    harness_warp(h, SECOND, 0); /* the youngest is chosen, and misses */
    harness_hold(h, START);
    harness_run(h);
    uint64_t hold = h->config.core.constant_miss_hold;
    assert_int_equal(issued_at(h, 0, 2), START + hold);
    expect(h, STALL_DISPATCH_STALL, hold - 1, CYCLE_ISSUE, 4);
    expect(h, STALL_NOT_SELECTED, 1, CYCLE_CONSTANT_MISS, issued_at(h, SECOND, 0) - START - 2);
    harness_free(h);
}

static void a_sub_core_without_a_warp_is_idle_while_its_sm_works(void **state)
{
    (void)state;
    struct harness *h = begin();
    add_many(h, stall(nop(), 9), 4);
    run(h, 1);
    assert_int_equal(h->sm->n.cycle[CYCLE_NO_WARP], 3 * h->sm->n.cycles_active);
    assert_int_equal(h->sm->n.cycles_active, h->end + 1);
    harness_free(h);
}

/* The second warp waits for its stall count, the first for something else. The scheduler's cycle is that one's. */
static void the_first_event_in_order_takes_the_cycle(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    add(h, stall(writes_sb(ldg(4, true, 4, 0), 0), 2));
    add(h, waits(nop(), 1));
    add(h, exit_warp());
    add_many(h, stall(nop(), 12), 6);
    add(h, exit_warp());
    harness_begin(h);
    harness_warm_l1(h, 0, 4096);
    harness_warp(h, 0, 0);
    harness_warp(h, SECOND, 3);
    harness_hold(h, START);
    harness_run(h);
    uint64_t from = issued_at(h, 0, 0) + 2, to = issued_at(h, 0, 1), issues = 0;
    for (uint32_t i = 0; i < h->logged; i++)
        issues += h->log[i].cycle >= from && h->log[i].cycle < to;
    assert_in_range(issues, 1, 6);
    expect(h, STALL_LONG_SCOREBOARD, to - from, CYCLE_L1TEX_DATA, to - from - issues);
    assert_int_equal(cycle_class_sum(h->sm->n.cycle, CYCLE_CLASS_MEM_DATA), to - from - issues);
    harness_free(h);
}

static void classes_stand_in_the_published_order(void **state)
{
    (void)state;
    enum cycle_class last = CYCLE_CLASS_NO_STALL;
    for (unsigned e = 0; e < CYCLE_EVENT_COUNT; e++) {
        assert_true(cycle_event_class((enum cycle_event)e) >= last);
        last = cycle_event_class((enum cycle_event)e);
    }
    assert_true(CYCLE_CLASS_MEM_STRUCT < CYCLE_CLASS_MEM_DATA && CYCLE_CLASS_COM_STRUCT < CYCLE_CLASS_COM_DATA);
    assert_true(CYCLE_CLASS_MEM_DATA < CYCLE_CLASS_SYNC && CYCLE_CLASS_SYNC < CYCLE_CLASS_COM_STRUCT);
    assert_true(CYCLE_CLASS_COM_DATA < CYCLE_CLASS_CONTROL && CYCLE_CLASS_CONTROL < CYCLE_CLASS_IDLE);
}

/* ---- by instruction ---------------------------------------------------------------------------------------------- */

static void cycles_belong_to_the_instruction_that_comes_next(void **state)
{
    (void)state;
    struct harness *h = harness_new();
    struct line_counters lines[8] = {0};
    add(h, stall(writes_sb(ldg(4, true, 4, 0), 0), 2));
    add(h, waits(lanes(nop(), 0xff), 1));
    add(h, stall(stg(true, 4, 0), 2));
    add(h, exit_warp());
    harness_begin(h);
    h->sm->lines = lines;
    harness_warm_l1(h, 0, 4096);
    harness_warp(h, 0, 0);
    harness_hold(h, START);
    harness_run(h);
    assert_int_equal(lines[0].stall[STALL_NO_INSTRUCTION] + lines[0].stall[STALL_WAIT], START);
    assert_int_equal(lines[1].stall[STALL_WAIT], 1);
    assert_int_equal(lines[1].stall[STALL_LONG_SCOREBOARD], distance(h, 0, 0, 1) - 2);
    assert_int_equal(lines[1].cycle[CYCLE_L1TEX_DATA], distance(h, 0, 0, 1) - 2);
    assert_int_equal(lines[1].inst_issued, 1);
    assert_int_equal(lines[1].thread_inst_executed, 32);
    assert_int_equal(lines[1].thread_inst_executed_pred_on, 8);
    assert_int_equal(lines[3].stall[STALL_DRAIN], h->end - issued_at(h, 0, 3) - 1);
    assert_int_equal(lines[3].cycle[CYCLE_DRAINING], lines[3].stall[STALL_DRAIN]);
    assert_int_equal(lines[4].cycle[CYCLE_NO_WARP], h->sm->n.cycle[CYCLE_NO_WARP]);
    h->sm->lines = NULL;
    harness_free(h);
}

UNIT_TESTS(UNIT(selected_is_an_issue_and_wait_a_stall_count), UNIT(a_branch_is_first_resolved_and_then_fetched),
           UNIT(a_missing_line_is_no_instruction), UNIT(nanosleep_is_sleeping), UNIT(a_fence_is_membar),
           UNIT(a_constant_that_misses_is_imc_miss), UNIT(an_exited_warp_drains_until_its_stores_are_sent),
           UNIT(results_of_global_memory_are_long_scoreboard),
           UNIT(sources_of_stores_to_global_memory_are_long_scoreboard),
           UNIT(a_group_of_asynchronous_copies_is_long_scoreboard),
           UNIT(shared_memory_and_constants_by_ldc_are_short_scoreboard_and_data),
           UNIT(special_functions_and_shuffles_are_short_scoreboard_and_computation),
           UNIT(a_warp_that_waits_for_both_is_in_long_scoreboard_first),
           UNIT(a_full_memory_queue_throttles_by_what_waits), UNIT(a_taken_unit_is_math_pipe_throttle),
           UNIT(a_full_queue_of_special_functions_is_mio_throttle), UNIT(register_ports_hold_dispatch),
           UNIT(a_full_result_queue_holds_dispatch), UNIT(a_wide_multiply_add_leaves_a_bubble),
           UNIT(who_could_issue_while_another_does_is_not_selected),
           UNIT(who_waits_at_a_barrier_is_there_until_the_last_has_come),
           UNIT(a_scheduler_that_waits_for_a_constant_holds_the_other_warps),
           UNIT(a_sub_core_without_a_warp_is_idle_while_its_sm_works), UNIT(the_first_event_in_order_takes_the_cycle),
           UNIT(classes_stand_in_the_published_order), UNIT(cycles_belong_to_the_instruction_that_comes_next))
