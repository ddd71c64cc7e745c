/* Branches, loops and convergence barriers, by the instructions that execute and their lanes. */
#include "machine.h"

enum { LOW_HALF = 0xffff, B0 = 0, B1 = 1, P0 = 0, P1 = 1 };
#define HIGH_HALF UINT32_C(0xffff0000)

static uint32_t lanes_below(unsigned n) { return n >= 32 ? ALL : (1u << n) - 1; }

static void both_sides_of_a_branch_execute_and_meet_again(void **state)
{
    (void)state;
    struct machine *m = machine_create(true, 32);
    add(m, special(0, MACHINE_LANE));
    add(m, compare(P0, MACHINE_LT, 0, 16));
    add(m, plain(ISA_OP_BSSY, B0));
    add(m, when(P0, jump(6)));
    add(m, move(1, 7)); /* 4: high lanes */
    add(m, jump(7));
    add(m, move(1, 9)); /* 6: low lanes */
    add(m, plain(ISA_OP_BSYNC, B0));
    add(m, add_to(1, 1, 100)); /* 8: all */
    add(m, plain(ISA_OP_EXIT, 0));
    machine_begin(m);
    machine_run(m, 0);
    assert_path(m, 3, 3, ALL);
    assert_int_equal(m->step[3].active, LOW_HALF);
    assert_path(m, 4, 4, HIGH_HALF);
    assert_path(m, 5, 5, HIGH_HALF);
    assert_path(m, 6, 7, HIGH_HALF);
    assert_path(m, 7, 6, LOW_HALF);
    assert_path(m, 8, 7, LOW_HALF);
    assert_path(m, 9, 8, ALL);
    assert_int_equal(m->steps, 11);
    for (unsigned lane = 0; lane < 32; lane++)
        assert_int_equal(row(m, 1)[lane], lane < 16 ? 109 : 107);
    machine_destroy(m);
}

static void a_branch_of_all_lanes_does_not_split_the_warp(void **state)
{
    (void)state;
    struct machine *m = machine_create(true, 32);
    add(m, jump(2));
    add(m, move(1, 1));
    add(m, unless(PT, jump(1)));
    add(m, jump(4)); /* to the next instruction */
    add(m, plain(ISA_OP_EXIT, 0));
    machine_begin(m);
    machine_run(m, 0);
    assert_path(m, 0, 0, ALL);
    assert_path(m, 1, 2, ALL);
    assert_path(m, 2, 3, ALL);
    assert_path(m, 3, 4, ALL);
    assert_int_equal(m->steps, 4);
    assert_int_equal(row(m, 1)[0], 0);
    machine_destroy(m);
}

static void a_loop_turns_as_often_as_its_longest_lane(void **state)
{
    (void)state;
    struct machine *m = machine_create(true, 32);
    add(m, special(0, MACHINE_LANE));
    add(m, plain(ISA_OP_BSSY, B0));
    add(m, add_to(1, 1, 1)); /* 2: top */
    add(m, add_to(0, 0, UINT32_MAX));
    add(m, compare(P0, MACHINE_LT, 0, 31)); /* still not below 0 */
    add(m, when(P0, jump(2)));
    add(m, plain(ISA_OP_BSYNC, B0));
    add(m, plain(ISA_OP_EXIT, 0));
    machine_begin(m);
    machine_run(m, 0);
    for (unsigned lane = 0; lane < 32; lane++)
        assert_int_equal(row(m, 1)[lane], lane + 1);
    uint32_t turns = 0;
    for (uint32_t i = 0; i < m->steps; i++)
        if (m->step[i].pc == 2 * 16)
            assert_int_equal(m->step[i].path, ~lanes_below(turns++));
    assert_int_equal(turns, 32);
    assert_path(m, m->steps - 1, 7, ALL);
    machine_destroy(m);
}

static void who_breaks_out_is_not_waited_for(void **state)
{
    (void)state;
    struct machine *m = machine_create(true, 32);
    add(m, special(0, MACHINE_LANE));
    add(m, compare(P0, MACHINE_LT, 0, 8));
    add(m, compare(P1, MACHINE_LT, 0, 16));
    add(m, plain(ISA_OP_BSSY, B0));
    add(m, when(P0, plain(ISA_OP_BREAK, B0)));
    add(m, when(P0, jump(9)));
    add(m, when(P1, jump(7)));
    add(m, plain(ISA_OP_BSYNC, B0)); /* 7: lanes 8..31 */
    add(m, add_to(1, 1, 1));         /* 8 */
    add(m, add_to(2, 1, 10));        /* 9 */
    add(m, plain(ISA_OP_EXIT, 0));
    machine_begin(m);
    machine_run(m, 0);
    bool together = false;
    for (uint32_t i = 0; i < m->steps; i++)
        together |= m->step[i].pc == 8 * 16 && m->step[i].path == ~lanes_below(8);
    assert_true(together);
    for (unsigned lane = 0; lane < 32; lane++)
        assert_int_equal(row(m, 2)[lane], lane < 8 ? 10 : 11);
    machine_destroy(m);
}

static void an_exit_in_a_branch_releases_the_waiting(void **state)
{
    (void)state;
    struct machine *m = machine_create(true, 32);
    add(m, special(0, MACHINE_LANE));
    add(m, compare(P0, MACHINE_LT, 0, 16));
    add(m, plain(ISA_OP_BSSY, B0));
    add(m, when(P0, jump(5)));
    add(m, plain(ISA_OP_BSYNC, B0));         /* 4: the high lanes wait first */
    add(m, when(P0, plain(ISA_OP_EXIT, 0))); /* 5 */
    add(m, move(1, 3));
    add(m, plain(ISA_OP_EXIT, 0));
    machine_begin(m);
    machine_run(m, 0);
    assert_path(m, 4, 4, HIGH_HALF);
    assert_path(m, 5, 5, LOW_HALF);
    assert_path(m, 6, 5, HIGH_HALF);
    assert_int_equal(m->step[6].active, 0);
    assert_path(m, 7, 6, HIGH_HALF);
    assert_int_equal(m->steps, 9);
    assert_int_equal(row(m, 1)[0], 0);
    assert_int_equal(row(m, 1)[31], 3);
    machine_destroy(m);
}

static void a_warp_that_is_not_full_has_only_its_own_lanes(void **state)
{
    (void)state;
    struct machine *m = machine_create(true, 40);
    add(m, special(0, MACHINE_LANE));
    add(m, special(1, MACHINE_TID_X));
    add(m, plain(ISA_OP_EXIT, 0));
    machine_begin(m);
    machine_run(m, 1);
    assert_path(m, 0, 0, 0xff);
    for (unsigned lane = 0; lane < 32; lane++)
        assert_int_equal(m->cta->warps[1].reg[1][lane], lane < 8 ? 32 + lane : 0);
    machine_destroy(m);
}

static void threads_return_to_where_each_of_them_wants(void **state)
{
    (void)state;
    struct machine *m = machine_create(true, 32);
    struct isa_inst call = jump(10), back = jump(0);
    call.op = ISA_OP_CALL;
    back.op = ISA_OP_RET;
    back.a = wide(4, 2);
    add(m, special(0, MACHINE_LANE));
    add(m, compare(P0, MACHINE_LT, 0, 16));
    add(m, move(4, 6 * 16));
    add(m, when(P0, move(4, 8 * 16)));
    add(m, call); /* 4 */
    add(m, plain(ISA_OP_EXIT, 0));
    add(m, add_to(2, 1, 1)); /* 6 */
    add(m, jump(12));
    add(m, add_to(2, 1, 2)); /* 8 */
    add(m, jump(12));
    add(m, move(1, 5)); /* 10: the function */
    add(m, back);
    add(m, plain(ISA_OP_EXIT, 0)); /* 12 */
    machine_begin(m);
    machine_run(m, 0);
    assert_path(m, 5, 10, ALL);
    assert_path(m, 6, 11, ALL);
    assert_path(m, 7, 6, HIGH_HALF);
    for (unsigned lane = 0; lane < 32; lane++)
        assert_int_equal(row(m, 2)[lane], lane < 16 ? 7 : 6);
    machine_destroy(m);
}

static void uniform_and_divergence_branches_look_at_uniform_state(void **state)
{
    (void)state;
    enum { UNIFORM = 1, DIVERGENT = 2, CONVERGENT = 3 };
    for (unsigned trial = 0; trial < 8; trial++) {
        bool taken = trial & 1, same = trial & 2, inverted = trial & 4;
        struct machine *m = machine_create(true, 32);
        struct isa_inst uniform = jump(2), divergent = jump(4), convergent = jump(6);
        uniform.mod[ISA_MOD_BRANCH_KIND] = UNIFORM;
        uniform.pq = (struct isa_predicate){3, inverted, true, true};
        divergent.mod[ISA_MOD_BRANCH_KIND] = DIVERGENT;
        convergent.mod[ISA_MOD_BRANCH_KIND] = CONVERGENT;
        divergent.a = convergent.a = (struct isa_operand){.kind = ISA_UREG, .index = 5, .words = 1};
        divergent.a.flags = convergent.a.flags = inverted ? ISA_INV : 0;
        add(m, uniform);
        add(m, add_to(1, 1, 1));
        add(m, divergent);
        add(m, add_to(1, 1, 2));
        add(m, convergent);
        add(m, add_to(1, 1, 4));
        add(m, plain(ISA_OP_EXIT, 0));
        machine_begin(m);
        m->cta->warps[0].upred |= (uint8_t)((taken != inverted) << 3);
        m->cta->warps[0].ureg[5] = (same ? ALL : 0x7fffffff) ^ (inverted ? ALL : 0);
        machine_run(m, 0);
        assert_int_equal(row(m, 1)[0], (taken ? 0 : 1) + (same ? 2 : 0) + (same ? 0 : 4));
        machine_destroy(m);
    }
}

static void a_saved_barrier_lets_its_owner_converge_after_an_inner_use(void **state)
{
    (void)state;
    struct machine *m = machine_create(true, 32);
    struct isa_inst save = plain(ISA_OP_BMOV, B0), restore = save;
    save.d = reg(9);
    save.mod[ISA_MOD_CLEAR] = 1;
    restore.b = reg(9);
    restore.mod[ISA_MOD_REGISTER_BARRIER] = 1;
    add(m, special(0, MACHINE_LANE));
    add(m, compare(P0, MACHINE_LT, 0, 16));
    add(m, compare(P1, MACHINE_LT, 0, 8));
    add(m, plain(ISA_OP_BSSY, B0));
    add(m, when(P0, jump(6)));
    add(m, jump(12)); /* 5: the high half waits */
    add(m, save);     /* 6 */
    add(m, plain(ISA_OP_BSSY, B0));
    add(m, when(P1, jump(10)));
    add(m, add_to(1, 1, 1)); /* 9 */
    add(m, plain(ISA_OP_BSYNC, B0));
    add(m, restore);                 /* 11 */
    add(m, plain(ISA_OP_BSYNC, B0)); /* 12 */
    add(m, move(2, 1));
    add(m, plain(ISA_OP_EXIT, 0));
    machine_begin(m);
    machine_run(m, 0);
    assert_path(m, m->steps - 2, 13, ALL);
    assert_int_equal(row(m, 9)[3], ALL);
    for (uint32_t i = 0; i < m->steps; i++)
        if (m->step[i].pc == 11 * 16)
            assert_int_equal(m->step[i].path, LOW_HALF);
    machine_destroy(m);
}

static void a_barrier_that_is_cleared_holds_nobody(void **state)
{
    (void)state;
    struct machine *m = machine_create(true, 24);
    struct isa_inst read = plain(ISA_OP_BMOV, B1), clear = read;
    read.d = reg(9);
    clear.d = reg(10);
    clear.mod[ISA_MOD_CLEAR] = 1;
    add(m, plain(ISA_OP_BSSY, B1));
    add(m, read);
    add(m, clear);
    read.d = reg(11);
    add(m, read);
    add(m, plain(ISA_OP_EXIT, 0));
    machine_begin(m);
    machine_run(m, 0);
    for (unsigned lane = 0; lane < 24; lane++) {
        assert_int_equal(row(m, 9)[lane], 0xffffff);
        assert_int_equal(row(m, 10)[lane], 0xffffff);
        assert_int_equal(row(m, 11)[lane], 0);
    }
    machine_destroy(m);
}

static void a_path_that_yields_lets_another_one_go(void **state)
{
    (void)state;
    struct machine *m = machine_create(true, 32);
    add(m, special(0, MACHINE_LANE));
    add(m, compare(P0, MACHINE_LT, 0, 16));
    add(m, when(P0, jump(6)));
    add(m, move(1, 1)); /* 3: high */
    add(m, plain(ISA_OP_YIELD, 0));
    add(m, plain(ISA_OP_EXIT, 0));
    add(m, move(1, 2)); /* 6: low */
    add(m, plain(ISA_OP_YIELD, 0));
    add(m, plain(ISA_OP_EXIT, 0));
    machine_begin(m);
    machine_run(m, 0);
    static const uint8_t order[] = {0, 1, 2, 3, 4, 6, 7, 5, 8};
    assert_int_equal(m->steps, sizeof order);
    for (unsigned i = 0; i < sizeof order; i++)
        assert_int_equal(m->step[i].pc, 16 * order[i]);
    machine_destroy(m);
}

UNIT_TESTS(UNIT(both_sides_of_a_branch_execute_and_meet_again), UNIT(a_branch_of_all_lanes_does_not_split_the_warp),
           UNIT(a_loop_turns_as_often_as_its_longest_lane), UNIT(who_breaks_out_is_not_waited_for),
           UNIT(an_exit_in_a_branch_releases_the_waiting), UNIT(a_warp_that_is_not_full_has_only_its_own_lanes),
           UNIT(threads_return_to_where_each_of_them_wants),
           UNIT(uniform_and_divergence_branches_look_at_uniform_state),
           UNIT(a_saved_barrier_lets_its_owner_converge_after_an_inner_use),
           UNIT(a_barrier_that_is_cleared_holds_nobody), UNIT(a_path_that_yields_lets_another_one_go))
