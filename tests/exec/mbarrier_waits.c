/* Waits for phases of barrier objects: tests of a phase, their end, and the paths of a warp that wait. */
#include "exec/exec.h"
#include "exec/memory/mbarrier.h"
#include "mbarrier_model.h"

/* Bit 31 of the operand is the parity, or that of a token's high word: the other bits do not count. */
static void a_test_is_true_where_the_phase_has_ended(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 2000; n++) {
        struct trial t = model_trial(A1T0);
        bool tries = n % 2, immediate = n / 2 % 2;
        uint32_t ended = 0, unfinished;
        for (unsigned lane = 0; lane < EXEC_LANES; lane++) {
            t.operand[lane] = model_draw(2) << 31 | model_draw(1u << 30);
            ended |= (uint32_t)(t.object[t.which[lane]].phase % 2 != t.operand[lane] >> 31) << lane;
        }
        ended &= t.active;
        unfinished = t.active & ~ended;
        struct machine *m = model_machine(model_test(tries), immediate);
        model_begin(m, &t);
        uint32_t old = m->cta->warps[0].pred[1] = model_draw(UINT32_MAX);
        machine_step(m, 0);
        assert_string_equal(m->core.fault.text, "");
        assert_int_equal(m->out.deferred, tries && !immediate && unfinished != 0);
        if (m->out.deferred) {
            assert_int_equal(m->cta->warps[0].pred[1], old);
            assert_false(exec_ready(&m->core, m->token));
            exec_complete(&m->core, m->token);
        }
        assert_int_equal(m->cta->warps[0].pred[1], (old & ~t.active) | ended);
        assert_int_equal(m->cta->warps[0].wait.lanes, unfinished);
        assert_int_equal(exec_awake(&m->cta->warps[0]), unfinished == 0);
        model_assert(m, &t);
        machine_destroy(m);
    }
}

static void a_wait_is_over_when_all_its_objects_have_ended_their_phase_and_stays_so(void **state)
{
    (void)state;
    struct machine *m = model_machine(model_test(true), false);
    struct trial t = {.active = 7, .which = {0, 1, 1}};
    for (unsigned i = 0; i < OBJECTS; i++)
        t.object[i] = (struct model){.pending = 1, .expected = 1};
    model_begin(m, &t);
    machine_step(m, 0);
    assert_true(m->out.deferred);
    uint64_t word[2] = {get(m, 0), get(m, 1)};
    const struct mbarrier_arrival one = {.count = 1};
    for (unsigned i = 0; i < 2; i++) {
        assert_false(exec_ready(&m->core, m->token));
        assert_int_equal(exec_awake(&m->cta->warps[0]), i);
        assert_int_equal(mbarrier_operate(&word[i], one), MBARRIER_OK);
        put(m, i, word[i]);
    }
    assert_true(exec_ready(&m->core, m->token));
    assert_int_equal(mbarrier_operate(&word[1], one), MBARRIER_OK); /* one phase further: the parity is the old one */
    put(m, 1, word[1]);
    assert_true(exec_ready(&m->core, m->token));
    exec_complete(&m->core, m->token);
    assert_int_equal(m->cta->warps[0].pred[1] & 7, 7);
    machine_destroy(m);
}

/* ---- paths of a warp --------------------------------------------------------------------------------------------- */

/* Lanes other than 0 wait, at the lower pc; lane 0 arrives. */
static void the_path_that_is_waited_for_has_its_turn_at_once(void **state)
{
    (void)state;
    enum { WAIT = 2, ARRIVE = 5 };
    for (unsigned immediate = 0; immediate < 2; immediate++) {
        struct machine *m = machine_create(immediate, 32);
        m->module.sm = 90;
        add(m, compare(0, MACHINE_EQ, 10, 0));
        add(m, when(0, jump(ARRIVE)));
        add(m, model_test(true));
        add(m, unless(1, jump(WAIT)));
        add(m, plain(ISA_OP_EXIT, 0));
        add(m, model_arrival(A1T0, RED, false));
        add(m, plain(ISA_OP_EXIT, 0));
        machine_begin(m);
        for (unsigned lane = 0; lane < EXEC_LANES; lane++) {
            row(m, ADDRESS)[lane] = AT;
            row(m, 10)[lane] = lane;
        }
        put(m, 0, mbarrier_object(1));
        machine_run(m, 0);
        assert_false(m->out.deferred);
        assert_true(m->steps < 12);
        machine_destroy(m);
    }
}

/* Lane 0 waits for another warp, the others at a convergence barrier for lane 0. */
static void threads_at_a_convergence_barrier_stay_while_one_of_them_asks_other_warps(void **state)
{
    (void)state;
    enum { WAIT = 3, JOIN = 5 };
    struct machine *m = machine_create(true, 32);
    m->module.sm = 90;
    add(m, compare(0, MACHINE_NE, 10, 0));
    struct isa_inst open = plain(ISA_OP_BSSY, 0);
    open.target = 16 * JOIN;
    add(m, open);
    add(m, when(0, jump(JOIN)));
    add(m, model_test(true));
    add(m, unless(1, jump(WAIT)));
    add(m, plain(ISA_OP_BSYNC, 0));
    add(m, plain(ISA_OP_EXIT, 0));
    machine_begin(m);
    for (unsigned lane = 0; lane < EXEC_LANES; lane++) {
        row(m, ADDRESS)[lane] = AT;
        row(m, 10)[lane] = lane;
    }
    put(m, 0, mbarrier_object(1));
    for (unsigned i = 0; i < 4000; i++)
        machine_step(m, 0);
    uint64_t word = get(m, 0);
    assert_int_equal(mbarrier_operate(&word, (struct mbarrier_arrival){.count = 1}), MBARRIER_OK);
    put(m, 0, word);
    machine_run(m, 0);
    assert_path(m, m->steps - 1, JOIN + 1, ALL);
    machine_destroy(m);
}

UNIT_TESTS(UNIT(a_test_is_true_where_the_phase_has_ended),
           UNIT(a_wait_is_over_when_all_its_objects_have_ended_their_phase_and_stays_so),
           UNIT(the_path_that_is_waited_for_has_its_turn_at_once),
           UNIT(threads_at_a_convergence_barrier_stay_while_one_of_them_asks_other_warps))
