/* Pascal's stack of branches, loops and calls, by the instructions that execute and their lanes. */
#include "machine.h"

#include "exec/pascal/stack.h"
#include "isa/pascal.h"

enum { LOW_HALF = 0xffff, P0 = 0, P1 = 1 };
#define HIGH_HALF UINT32_C(0xffff0000)

static struct machine *create(void)
{
    struct machine *m = machine_create(true, 32);
    m->module.sm = 60;
    return m;
}

/* An instruction of the stack, to instruction `target`. */
static struct isa_inst to(enum isa_op op, uint32_t target)
{
    struct isa_inst i = inst(op);
    i.target = 16 * target;
    i.mod[ISA_MOD_TEST] = PASCAL_TEST_TRUE;
    return i;
}

static struct isa_inst only(enum isa_op op) { return to(op, 0); }

static void run(struct machine *m)
{
    machine_begin(m);
    machine_run(m, 0);
}

static void a_branch_goes_on_with_those_that_stay_and_all_meet_at_sync(void **state)
{
    (void)state;
    struct machine *m = create();
    add(m, special(0, MACHINE_LANE));
    add(m, compare(P0, MACHINE_LT, 0, 16));
    add(m, to(ISA_OP_SSY, 8));
    add(m, when(P0, to(ISA_OP_BRA_60, 6)));
    add(m, move(1, 7)); /* 4: high lanes */
    add(m, only(ISA_OP_SYNC));
    add(m, move(1, 9)); /* 6: low lanes */
    add(m, only(ISA_OP_SYNC));
    add(m, add_to(1, 1, 100)); /* 8: all */
    add(m, only(ISA_OP_EXIT_60));
    run(m);
    assert_path(m, 4, 4, HIGH_HALF);
    assert_path(m, 5, 5, HIGH_HALF);
    assert_path(m, 6, 6, LOW_HALF);
    assert_path(m, 7, 7, LOW_HALF);
    assert_path(m, 8, 8, ALL);
    assert_int_equal(m->steps, 10);
    for (unsigned lane = 0; lane < 32; lane++)
        assert_int_equal(row(m, 1)[lane], lane < 16 ? 109 : 107);
    machine_destroy(m);
}

static void lanes_that_sync_early_wait_for_the_others(void **state)
{
    (void)state;
    struct machine *m = create();
    add(m, special(0, MACHINE_LANE));
    add(m, compare(P0, MACHINE_LT, 0, 16));
    add(m, to(ISA_OP_SSY, 6));
    add(m, when(P0, only(ISA_OP_SYNC)));
    add(m, move(1, 7)); /* 4: high lanes */
    add(m, only(ISA_OP_SYNC));
    add(m, only(ISA_OP_EXIT_60)); /* 6: all */
    run(m);
    assert_path(m, 4, 4, HIGH_HALF);
    assert_path(m, 6, 6, ALL);
    assert_int_equal(m->steps, 7);
    machine_destroy(m);
}

static void regions_nest(void **state)
{
    (void)state;
    struct machine *m = create();
    add(m, special(0, MACHINE_LANE));
    add(m, compare(P0, MACHINE_LT, 0, 16));
    add(m, compare(P1, MACHINE_LT, 0, 8));
    add(m, to(ISA_OP_SSY, 10));
    add(m, unless(P0, only(ISA_OP_SYNC)));
    add(m, to(ISA_OP_SSY, 9)); /* 5: lanes 0 to 15 */
    add(m, when(P1, only(ISA_OP_SYNC)));
    add(m, move(1, 3)); /* 7: 8 to 15 */
    add(m, only(ISA_OP_SYNC));
    add(m, only(ISA_OP_SYNC)); /* 9: 0 to 15 */
    add(m, only(ISA_OP_EXIT_60));
    run(m);
    assert_path(m, 5, 5, LOW_HALF);
    assert_path(m, 7, 7, 0xff00);
    assert_path(m, 9, 9, LOW_HALF);
    assert_path(m, 10, 10, ALL);
    machine_destroy(m);
}

/* for (n = 0;; n++) { if (n == lane) break; } */
static void a_loop_turns_as_often_as_its_longest_lane_and_all_leave_it_together(void **state)
{
    (void)state;
    struct machine *m = create();
    add(m, special(0, MACHINE_LANE));
    add(m, move(1, 0));
    add(m, to(ISA_OP_PBK, 8));
    add(m, add_registers(2, 1, RZ)); /* 3 */
    struct isa_inst equal = compare(P0, MACHINE_EQ, 1, 0);
    equal.b = reg(0);
    add(m, equal);
    add(m, when(P0, only(ISA_OP_BRK)));
    add(m, add_to(1, 1, 1));
    add(m, to(ISA_OP_BRA_60, 3));
    add(m, only(ISA_OP_EXIT_60)); /* 8 */
    run(m);
    assert_path(m, m->steps - 1, 8, ALL);
    assert_int_equal(m->steps, 3 + 31 * 5 + 3 + 1);
    for (unsigned lane = 0; lane < 32; lane++)
        assert_int_equal(row(m, 1)[lane], lane);
    machine_destroy(m);
}

/* A break from a region inside of the loop: the region ends with those that are left of it. */
static void a_break_leaves_the_regions_inside_of_the_loop(void **state)
{
    (void)state;
    struct machine *m = create();
    add(m, special(0, MACHINE_LANE));
    add(m, compare(P0, MACHINE_LT, 0, 16));
    add(m, to(ISA_OP_PBK, 8));
    add(m, to(ISA_OP_SSY, 6));
    add(m, when(P0, only(ISA_OP_BRK)));
    add(m, only(ISA_OP_SYNC));
    add(m, move(1, 5)); /* 6: high lanes */
    add(m, only(ISA_OP_BRK));
    add(m, only(ISA_OP_EXIT_60)); /* 8: all */
    run(m);
    assert_path(m, 5, 5, HIGH_HALF);
    assert_path(m, 6, 6, HIGH_HALF);
    assert_path(m, 8, 8, ALL);
    machine_destroy(m);
}

static void continue_goes_to_the_next_round_together(void **state)
{
    (void)state;
    struct machine *m = create();
    add(m, special(0, MACHINE_LANE));
    add(m, compare(P0, MACHINE_LT, 0, 16));
    add(m, to(ISA_OP_PCNT, 6));
    add(m, when(P0, only(ISA_OP_CONT)));
    add(m, move(1, 5)); /* 4: high lanes */
    add(m, only(ISA_OP_CONT));
    add(m, only(ISA_OP_EXIT_60)); /* 6: all */
    run(m);
    assert_path(m, 4, 4, HIGH_HALF);
    assert_path(m, 6, 6, ALL);
    machine_destroy(m);
}

static void a_call_inside_of_a_branch_returns_to_its_lanes(void **state)
{
    (void)state;
    struct machine *m = create();
    add(m, special(0, MACHINE_LANE));
    add(m, compare(P0, MACHINE_LT, 0, 16));
    add(m, to(ISA_OP_SSY, 6));
    add(m, when(P0, only(ISA_OP_SYNC)));
    add(m, to(ISA_OP_CAL, 7)); /* 4: high lanes */
    add(m, only(ISA_OP_SYNC));
    add(m, only(ISA_OP_EXIT_60));           /* 6: all */
    add(m, compare(P1, MACHINE_LT, 0, 24)); /* 7: the function */
    add(m, when(P1, only(ISA_OP_RET_60)));
    add(m, move(1, 5)); /* 9: lanes 24 to 31 */
    add(m, only(ISA_OP_RET_60));
    run(m);
    assert_path(m, 5, 7, HIGH_HALF);
    assert_path(m, 7, 9, UINT32_C(0xff000000));
    assert_path(m, 9, 5, HIGH_HALF);
    assert_path(m, 10, 6, ALL);
    machine_destroy(m);
}

static void a_return_address_can_be_pushed_before_a_jump(void **state)
{
    (void)state;
    struct machine *m = create();
    add(m, to(ISA_OP_PRET, 2));
    add(m, to(ISA_OP_BRA_60, 3));
    add(m, only(ISA_OP_EXIT_60));
    add(m, only(ISA_OP_RET_60)); /* 3 */
    run(m);
    assert_path(m, 2, 3, ALL);
    assert_path(m, 3, 2, ALL);
    machine_destroy(m);
}

static void threads_that_exit_in_a_branch_are_not_waited_for(void **state)
{
    (void)state;
    struct machine *m = create();
    add(m, special(0, MACHINE_LANE));
    add(m, compare(P0, MACHINE_LT, 0, 16));
    add(m, to(ISA_OP_SSY, 6));
    add(m, when(P0, to(ISA_OP_BRA_60, 5)));
    add(m, only(ISA_OP_SYNC));    /* 4: high lanes */
    add(m, only(ISA_OP_EXIT_60)); /* 5: low lanes */
    add(m, only(ISA_OP_EXIT_60)); /* 6: high lanes */
    run(m);
    assert_path(m, 5, 5, LOW_HALF);
    assert_path(m, 6, 6, HIGH_HALF);
    assert_int_equal(m->steps, 7);
    machine_destroy(m);
}

/* Lane n jumps to the one of four places that its register names: the lowest first. */
static void lanes_of_an_indexed_branch_go_in_the_order_of_their_targets(void **state)
{
    (void)state;
    struct machine *m = create();
    add(m, special(0, MACHINE_LANE));
    struct isa_inst half = compare(P0, MACHINE_LT, 0, 16);
    add(m, half);
    add(m, move(1, pascal_address(16 * 8)));
    add(m, when(P0, move(1, pascal_address(16 * 6))));
    add(m, to(ISA_OP_SSY, 10));
    struct isa_inst branch = only(ISA_OP_BRX_60);
    branch.a = reg(1);
    branch.offset = -(int32_t)(pascal_address(16 * 5) + 8);
    add(m, branch);
    add(m, move(2, 1)); /* 6: low lanes */
    add(m, only(ISA_OP_SYNC));
    add(m, move(2, 2)); /* 8: high lanes */
    add(m, only(ISA_OP_SYNC));
    add(m, only(ISA_OP_EXIT_60)); /* 10: all */
    run(m);
    assert_path(m, 6, 6, LOW_HALF);
    assert_path(m, 8, 8, HIGH_HALF);
    assert_path(m, 10, 10, ALL);
    machine_destroy(m);
}

/* A function that calls itself until its counter is 0. */
static void deploy_recursion(struct machine *m, uint32_t depth)
{
    add(m, move(1, depth));
    add(m, to(ISA_OP_CAL, 3));
    add(m, only(ISA_OP_EXIT_60));
    add(m, compare(P0, MACHINE_EQ, 1, 1)); /* 3 */
    add(m, when(P0, only(ISA_OP_RET_60)));
    add(m, add_to(1, 1, UINT32_MAX));
    add(m, to(ISA_OP_CAL, 3));
    add(m, only(ISA_OP_RET_60));
}

static void calls_fill_the_stack_to_its_last_entry(void **state)
{
    (void)state;
    struct machine *m = create();
    deploy_recursion(m, SIMT_ENTRIES);
    run(m);
    assert_path(m, m->steps - 1, 2, ALL);
    machine_destroy(m);
}

static void one_call_more_is_a_fault(void **state)
{
    (void)state;
    struct machine *m = create();
    deploy_recursion(m, SIMT_ENTRIES + 1);
    machine_begin(m);
    while (!m->core.fault.code && m->steps < MACHINE_STEPS - 1)
        machine_step(m, 0);
    assert_int_equal(m->core.report.kind, EXEC_FAULT_STACK);
    assert_non_null(strstr(m->core.fault.text, "no room for more than"));
    machine_destroy(m);
}

static void addresses_count_control_words_and_pcs_do_not(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 100; i++) {
        uint32_t address = pascal_address(16 * i);
        assert_int_equal(pascal_pc(address), 16 * i);
        assert_true(address % 32 != 0);
    }
    assert_int_equal(pascal_address(0), 8);
    assert_int_equal(pascal_address(16 * 3), 40);
    assert_int_equal(pascal_pc(32), pascal_pc(40)); /* a control word stands for the instruction behind it */
    assert_int_equal(pascal_count(64), 6);
}

UNIT_TESTS(UNIT(a_branch_goes_on_with_those_that_stay_and_all_meet_at_sync),
           UNIT(lanes_that_sync_early_wait_for_the_others), UNIT(regions_nest),
           UNIT(a_loop_turns_as_often_as_its_longest_lane_and_all_leave_it_together),
           UNIT(a_break_leaves_the_regions_inside_of_the_loop), UNIT(continue_goes_to_the_next_round_together),
           UNIT(a_call_inside_of_a_branch_returns_to_its_lanes), UNIT(a_return_address_can_be_pushed_before_a_jump),
           UNIT(threads_that_exit_in_a_branch_are_not_waited_for),
           UNIT(lanes_of_an_indexed_branch_go_in_the_order_of_their_targets),
           UNIT(calls_fill_the_stack_to_its_last_entry), UNIT(one_call_more_is_a_fault),
           UNIT(addresses_count_control_words_and_pcs_do_not))
