/* Threads that wait for named threads of their warp, collective sections, CTA barriers. */
#include "exec/exec.h"
#include "machine.h"

enum { P0 = 0, LOW_HALF = 0xffff };
#define HIGH_HALF UINT32_C(0xffff0000)

static struct isa_inst warpsync(uint32_t mask)
{
    struct isa_inst i = inst(ISA_OP_WARPSYNC);
    i.b = value(mask);
    return i;
}

static struct isa_inst barrier(unsigned number, unsigned threads)
{
    struct isa_inst i = inst(ISA_OP_BAR);
    i.a = value(number);
    if (threads)
        i.b = value(threads);
    return i;
}

/* R0 = lane, P0 = lane < n */
static void add_head(struct machine *m, uint32_t n)
{
    add(m, special(0, MACHINE_LANE));
    add(m, compare(P0, MACHINE_LT, 0, n));
}

static void warpsync_waits_for_all_named_threads_wherever_they_arrive(void **state)
{
    (void)state;
    struct machine *m = machine_create(true, 32);
    add_head(m, 16);
    add(m, when(P0, jump(6)));
    add(m, warpsync(ALL)); /* 3: high */
    add(m, move(1, 1));
    add(m, jump(9));
    add(m, move(1, 2)); /* 6: low */
    add(m, warpsync(ALL));
    add(m, move(2, 2));
    add(m, plain(ISA_OP_EXIT, 0)); /* 9 */
    machine_begin(m);
    machine_run(m, 0);
    static const struct {
        uint32_t index, path;
    } order[] = {
        {0, ALL}, {1, ALL}, {2, ALL}, {3, HIGH_HALF}, {6, LOW_HALF}, {7, LOW_HALF}, {4, HIGH_HALF}, {5, HIGH_HALF},
    };
    for (unsigned i = 0; i < sizeof order / sizeof order[0]; i++)
        assert_path(m, i, order[i].index, order[i].path);
    machine_destroy(m);
}

static void threads_that_arrive_together_go_on_together(void **state)
{
    (void)state;
    for (unsigned all = 0; all < 2; all++) {
        struct machine *m = machine_create(true, 20);
        add_head(m, 16);
        add(m, when(P0, jump(4)));
        add(m, move(1, 1));
        add(m, warpsync(ALL)); /* 4 */
        m->code[4].isa.mod[ISA_MOD_MASK] = (uint8_t)all;
        add(m, move(2, 1));
        add(m, plain(ISA_OP_EXIT, 0));
        machine_begin(m);
        machine_run(m, 0);
        assert_path(m, m->steps - 2, 5, 0xfffff);
        machine_destroy(m);
    }
}

static void threads_that_are_not_named_are_not_waited_for(void **state)
{
    (void)state;
    struct machine *m = machine_create(true, 32);
    add_head(m, 16);
    add(m, when(P0, jump(5)));
    add(m, warpsync(HIGH_HALF));
    add(m, plain(ISA_OP_EXIT, 0));
    add(m, move(1, 1)); /* 5 */
    add(m, plain(ISA_OP_EXIT, 0));
    machine_begin(m);
    machine_run(m, 0);
    assert_path(m, 3, 3, HIGH_HALF);
    assert_path(m, 4, 4, HIGH_HALF);
    machine_destroy(m);
}

static void threads_that_have_exited_are_not_waited_for(void **state)
{
    (void)state;
    struct machine *m = machine_create(true, 32);
    add_head(m, 16);
    add(m, when(P0, jump(5)));
    add(m, warpsync(ALL)); /* high waits */
    add(m, plain(ISA_OP_EXIT, 0));
    add(m, move(1, 1)); /* 5 */
    add(m, plain(ISA_OP_EXIT, 0));
    machine_begin(m);
    machine_run(m, 0);
    assert_int_equal(m->steps, 7);
    assert_path(m, 5, 6, LOW_HALF);
    assert_path(m, 6, 4, HIGH_HALF);
    machine_destroy(m);
}

/* Arrivals from two places execute the section once, behind the later arrival, and part again. */
static void a_collective_section_executes_once_for_all_its_threads(void **state)
{
    (void)state;
    struct machine *m = machine_create(true, 32);
    struct isa_inst collective = inst(ISA_OP_WARPSYNC);
    collective.a = reg(3);
    collective.mod[ISA_MOD_MODE] = 2;
    add_head(m, 16);
    add(m, move(3, ALL));
    add(m, when(P0, jump(8)));
    collective.target = 16 * 13;
    add(m, collective); /* 4: high */
    add(m, add_to(1, 1, 1));
    add(m, inst(ISA_OP_ENDCOLLECTIVE));
    add(m, plain(ISA_OP_EXIT, 0));
    collective.target = 16 * 12;
    add(m, collective); /* 8: low */
    add(m, add_to(1, 1, 2));
    add(m, inst(ISA_OP_ENDCOLLECTIVE));
    add(m, plain(ISA_OP_EXIT, 0));
    add(m, add_to(1, 1, 10));  /* 12: low */
    add(m, add_to(1, 1, 100)); /* 13: high */
    add(m, plain(ISA_OP_EXIT, 0));
    machine_begin(m);
    machine_run(m, 0);
    assert_path(m, 4, 4, HIGH_HALF);
    assert_path(m, 5, 8, LOW_HALF);
    assert_path(m, 6, 9, ALL);
    assert_path(m, 7, 10, ALL);
    assert_path(m, 8, 12, LOW_HALF);
    for (unsigned lane = 0; lane < 32; lane++)
        assert_int_equal(row(m, 1)[lane], lane < 16 ? 112 : 102);
    machine_destroy(m);
}

/* Threads of another mask at the same section have it for themselves. */
static void a_collective_section_has_the_threads_of_one_mask_only(void **state)
{
    (void)state;
    struct machine *m = machine_create(true, 32);
    struct isa_inst collective = inst(ISA_OP_WARPSYNC);
    collective.a = reg(3);
    collective.mod[ISA_MOD_MODE] = 2;
    collective.target = 16 * 8;
    add_head(m, 16);
    add(m, move(3, LOW_HALF));
    struct isa_inst other = move(3, HIGH_HALF);
    other.guard.index = 0;
    other.guard.inverted = true;
    add(m, other);
    add(m, collective); /* 4 */
    add(m, add_to(1, 1, 1));
    add(m, inst(ISA_OP_ENDCOLLECTIVE));
    add(m, plain(ISA_OP_EXIT, 0));
    add(m, plain(ISA_OP_EXIT, 0)); /* 8 */
    machine_begin(m);
    machine_run(m, 0);
    assert_path(m, 5, 5, LOW_HALF);
    assert_path(m, 6, 6, LOW_HALF);
    assert_path(m, 7, 8, LOW_HALF);
    assert_path(m, 8, 5, HIGH_HALF);
    assert_path(m, 9, 6, HIGH_HALF);
    machine_destroy(m);
}

static void equal_targets_of_a_collective_section_stay_one_path(void **state)
{
    (void)state;
    struct machine *m = machine_create(true, 8);
    struct isa_inst collective = inst(ISA_OP_WARPSYNC);
    collective.a = reg(3);
    collective.mod[ISA_MOD_MODE] = 2;
    collective.target = 16 * 6;
    add_head(m, 4);
    add(m, move(3, ALL));
    add(m, when(P0, jump(4)));
    add(m, collective); /* 4 */
    add(m, inst(ISA_OP_ENDCOLLECTIVE));
    add(m, plain(ISA_OP_EXIT, 0)); /* 6 */
    machine_begin(m);
    machine_run(m, 0);
    assert_path(m, m->steps - 2, 5, 0xff);
    assert_path(m, m->steps - 1, 6, 0xff);
    machine_destroy(m);
}

/* ---- CTA barriers ---------------------------------------------------------------------------------------------- */

static void a_warp_is_at_a_barrier_when_its_last_thread_is(void **state)
{
    (void)state;
    struct machine *m = machine_create(true, 32);
    add_head(m, 16);
    add(m, when(P0, jump(4)));
    add(m, move(1, 1));
    add(m, barrier(3, 64)); /* 4 */
    add(m, move(2, 1));
    add(m, plain(ISA_OP_EXIT, 0));
    machine_begin(m);
    machine_run(m, 0);
    assert_path(m, 4, 4, HIGH_HALF);
    assert_int_equal(m->step[4].flow, ISSUED_JUMP); /* to the low lanes, which are still at 4 */
    assert_path(m, 5, 4, LOW_HALF);
    assert_int_equal(m->out.flow, ISSUED_AT_BARRIER);
    assert_int_equal(m->out.barrier, 3);
    assert_int_equal(m->out.barrier_warps, 2);
    assert_int_equal(m->out.next_pc, 16 * 5);
    uint32_t pc;
    exec_release_barrier(&m->cta->warps[0], &pc);
    assert_int_equal(pc, 16 * 5);
    machine_run(m, 0);
    assert_path(m, 6, 5, ALL);
    machine_destroy(m);
}

static void the_exit_of_the_others_can_bring_a_warp_to_a_barrier(void **state)
{
    (void)state;
    struct machine *m = machine_create(true, 32);
    add_head(m, 16);
    add(m, when(P0, jump(5)));
    add(m, barrier(0, 0)); /* high */
    add(m, plain(ISA_OP_EXIT, 0));
    add(m, plain(ISA_OP_EXIT, 0)); /* 5 */
    machine_begin(m);
    machine_run(m, 0);
    assert_path(m, 4, 5, LOW_HALF);
    assert_int_equal(m->out.flow, ISSUED_AT_BARRIER);
    assert_int_equal(m->out.barrier_warps, 0);
    machine_destroy(m);
}

static void an_arrival_does_not_wait(void **state)
{
    (void)state;
    struct machine *m = machine_create(true, 32);
    struct isa_inst arrive = barrier(5, 96);
    arrive.mod[ISA_MOD_MODE] = 1;
    add(m, arrive);
    add(m, plain(ISA_OP_EXIT, 0));
    machine_begin(m);
    machine_step(m, 0);
    assert_int_equal(m->out.flow, ISSUED_NEXT);
    assert_true(m->out.barrier_arrive);
    assert_int_equal(m->out.barrier, 5);
    assert_int_equal(m->out.barrier_warps, 3);
    machine_step(m, 0);
    assert_false(m->out.barrier_arrive);
    machine_destroy(m);
}

static void a_warp_that_can_never_go_on_is_reported_with_its_paths(void **state)
{
    (void)state;
    struct machine *m = machine_create(true, 32);
    add_head(m, 16);
    add(m, when(P0, jump(5)));
    add(m, warpsync(ALL));
    add(m, plain(ISA_OP_EXIT, 0));
    add(m, barrier(2, 0)); /* 5 */
    add(m, plain(ISA_OP_EXIT, 0));
    machine_begin(m);
    for (unsigned i = 0; i < 5; i++)
        machine_step(m, 0);
    assert_int_equal(m->core.fault.code, STATUS_DEADLOCK);
    assert_non_null(strstr(m->core.fault.text, "no thread of the warp can ever move again"));
    assert_non_null(strstr(m->core.fault.text, "lanes 0xffff0000 pc 0x30 waits at WARPSYNC (0xffffffff)"));
    assert_non_null(strstr(m->core.fault.text, "lanes 0x0000ffff pc 0x50 waits at a CTA barrier (0x2)"));
    assert_int_equal(m->out.flow, ISSUED_EXITED);
    machine_destroy(m);
}

static struct isa_inst save_barrier(unsigned d, unsigned number)
{
    struct isa_inst i = inst(ISA_OP_BMOV);
    i.barrier = (uint8_t)number;
    i.d = reg(d);
    i.mod[ISA_MOD_CLEAR] = 1;
    return i;
}

static struct isa_inst restore_barrier(unsigned number, unsigned b)
{
    struct isa_inst i = inst(ISA_OP_BMOV);
    i.barrier = (uint8_t)number;
    i.b = reg(b);
    i.mod[ISA_MOD_REGISTER_BARRIER] = 1;
    return i;
}

static void paths_that_meet_by_chance_stay_apart_until_they_have_waited_for_each_other(void **state)
{
    (void)state;
    struct machine *m = machine_create(true, 32);
    add_head(m, 16);
    add(m, plain(ISA_OP_BSSY, 6));
    add(m, when(P0, jump(5)));
    add(m, move(1, 1)); /* 4: high */
    add(m, move(2, 2)); /* 5: where the other path stands */
    add(m, plain(ISA_OP_BSYNC, 6));
    add(m, plain(ISA_OP_EXIT, 0));
    machine_begin(m);
    machine_run(m, 0);
    static const struct {
        uint32_t index, path;
    } order[] = {
        {3, ALL}, {4, HIGH_HALF}, {5, HIGH_HALF}, {6, HIGH_HALF}, {5, LOW_HALF}, {6, LOW_HALF}, {7, ALL},
    };
    for (unsigned i = 0; i < sizeof order / sizeof order[0]; i++)
        assert_path(m, 3 + i, order[i].index, order[i].path);
    assert_int_equal(m->steps, 10);
    machine_destroy(m);
}

/* Recursive functions: the barrier is used again further down, and both uses end at the same BSYNC. */
static void threads_that_meet_at_a_bsync_for_different_barriers_do_not_wait_for_each_other(void **state)
{
    (void)state;
    struct machine *m = machine_create(true, 32);
    add_head(m, 16);
    add(m, plain(ISA_OP_BSSY, 6));
    add(m, when(P0, jump(7)));
    add(m, save_barrier(2, 6)); /* 4: high */
    add(m, plain(ISA_OP_BSSY, 6));
    add(m, jump(7));
    add(m, plain(ISA_OP_BSYNC, 6)); /* 7: each half */
    add(m, restore_barrier(6, 2));
    add(m, plain(ISA_OP_BSYNC, 6)); /* 9 */
    add(m, plain(ISA_OP_EXIT, 0));
    machine_begin(m);
    machine_run(m, 0);
    static const struct {
        uint32_t index, path;
    } order[] = {
        {0, ALL},       {1, ALL},       {2, ALL},       {3, ALL},        {4, HIGH_HALF},
        {5, HIGH_HALF}, {6, HIGH_HALF}, {7, HIGH_HALF}, {7, LOW_HALF},   {8, HIGH_HALF},
        {9, HIGH_HALF}, {8, LOW_HALF},  {9, LOW_HALF},  {10, HIGH_HALF}, {10, LOW_HALF},
    };
    for (unsigned i = 0; i < sizeof order / sizeof order[0]; i++)
        assert_path(m, i, order[i].index, order[i].path);
    machine_destroy(m);
}

UNIT_TESTS(UNIT(paths_that_meet_by_chance_stay_apart_until_they_have_waited_for_each_other),
           UNIT(threads_that_meet_at_a_bsync_for_different_barriers_do_not_wait_for_each_other),
           UNIT(warpsync_waits_for_all_named_threads_wherever_they_arrive),
           UNIT(threads_that_arrive_together_go_on_together), UNIT(threads_that_are_not_named_are_not_waited_for),
           UNIT(threads_that_have_exited_are_not_waited_for),
           UNIT(a_collective_section_executes_once_for_all_its_threads),
           UNIT(a_collective_section_has_the_threads_of_one_mask_only),
           UNIT(equal_targets_of_a_collective_section_stay_one_path),
           UNIT(a_warp_is_at_a_barrier_when_its_last_thread_is),
           UNIT(the_exit_of_the_others_can_bring_a_warp_to_a_barrier), UNIT(an_arrival_does_not_wait),
           UNIT(a_warp_that_can_never_go_on_is_reported_with_its_paths))
