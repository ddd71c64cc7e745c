/* Barrier objects against a plain state machine: every form of arrival by SYNCS and ARRIVES, on random lanes and
 * objects, in a core whose effects are immediate and in one where they are not. Their words, and their faults. */
#include "exec/memory/mbarrier.h"

#include "base/bits.h"
#include "exec/exec.h"
#include "mbarrier_model.h"

static void run_model(struct trial *t, unsigned mode, bool drop, uint64_t before[EXEC_LANES],
                      uint32_t together[EXEC_LANES], uint64_t first[EXEC_LANES])
{
    uint64_t start[OBJECTS];
    for (unsigned i = 0; i < OBJECTS; i++)
        start[i] = model_encode(&t->object[i]);
    for (unsigned lane = 0; lane < EXEC_LANES; lane++) {
        struct model *o = &t->object[t->which[lane]];
        int64_t n = t->operand[lane];
        together[lane] = 0;
        for (unsigned other = 0; other < EXEC_LANES; other++)
            together[lane] |= (t->active >> other & 1 && t->which[other] == t->which[lane]) ? 1u << other : 0;
        if (!(t->active >> lane & 1))
            continue;
        before[lane] = model_encode(o);
        first[lane] = start[t->which[lane]];
        switch (mode) {
        case A1TR: model_arrive(o, 1, n, 0, drop); break;
        case A1T0: model_arrive(o, 1, 0, 0, drop); break;
        case A0T1: model_arrive(o, 0, 1, 0, drop); break;
        case A0TR: model_arrive(o, 0, n, 0, drop); break;
        case A0TX: model_arrive(o, 0, 0, n, drop); break;
        default: model_arrive(o, n, 0, 0, drop); break;
        }
    }
}

static void check_arrival(unsigned mode, unsigned result, bool drop, bool immediate)
{
    struct trial t = model_trial(mode);
    uint64_t before[EXEC_LANES], first[EXEC_LANES];
    uint32_t together[EXEC_LANES];
    struct machine *m = model_machine(model_arrival(mode, result, drop), immediate);
    model_begin(m, &t);
    machine_step(m, 0);
    assert_string_equal(m->core.fault.text, "");
    assert_false(m->out.deferred);
    run_model(&t, mode, drop, before, together, first);
    model_assert(m, &t);
    for (unsigned lane = 0; lane < EXEC_LANES; lane++) {
        bool written = result != RED && t.active >> lane & 1;
        uint32_t low = result == TMASK ? together[lane] : (uint32_t)before[lane];
        uint32_t high = (uint32_t)((result == TMASK ? first[lane] : before[lane]) >> 32);
        assert_int_equal(row(m, RESULT)[lane], written ? low : 77);
        assert_int_equal(row(m, RESULT + 1)[lane], written ? high : 77);
    }
    machine_destroy(m);
}

static void every_arrival_does_what_the_model_does(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 6000; n++)
        check_arrival(n % MODES, n / MODES % 3, n / 18 % 2, n / 36 % 2);
}

/* Thousands of operations in a row on one object. */
static void an_object_stays_with_the_model_over_many_phases(void **state)
{
    (void)state;
    struct model o = {.pending = 3, .expected = 3};
    uint64_t word = mbarrier_object(3);
    assert_int_equal(word, model_encode(&o));
    for (unsigned n = 0; n < 100000; n++) {
        int64_t count = o.pending && model_draw(3) == 0 ? 1 + model_draw((uint32_t)o.pending) : 0;
        int64_t expect = model_draw(3) == 0 ? model_draw(5000) : 0, complete = model_draw(2) ? 0 : model_draw(5000);
        bool drop = count > 0 && count < o.expected && model_draw(50) == 0;
        if (model_draw(3) == 0) { /* the missing part */
            count = o.pending;
            expect = o.transactions < 0 ? -o.transactions : 0;
            complete = o.transactions > 0 ? o.transactions : 0;
            drop = false;
        }
        int64_t sum = o.transactions + expect - complete;
        if (sum > MBARRIER_MOST || sum < -MBARRIER_MOST || (o.pending == 0 && count))
            continue;
        if (o.expected == 1 && o.pending == 1 && model_draw(10) == 0) { /* a new object */
            o = (struct model){.pending = 1 + model_draw(40)};
            o.expected = o.pending;
            word = mbarrier_object((uint32_t)o.pending);
        }
        struct mbarrier_arrival by = {(uint32_t)count, drop ? (uint32_t)count : 0, expect - complete};
        assert_int_equal(mbarrier_operate(&word, by), MBARRIER_OK);
        model_arrive(&o, count, expect, complete, drop);
        assert_int_equal(word, model_encode(&o));
    }
    assert_true(o.phase > 100);
}

/* ---- copies ------------------------------------------------------------------------------------------------------ */

static void copies_arrive_when_they_have_landed(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 4; n++) {
        bool immediate = n % 2, counts = n / 2;
        struct isa_inst i = inst(ISA_OP_ARRIVES);
        i.a = reg(ADDRESS);
        i.mod[ISA_MOD_FUNCTION] = counts ? ISA_ARRIVES_ARVCNT : ISA_ARRIVES_TRANSCNT;
        struct machine *m = model_machine(i, immediate);
        struct trial t = {.active = 0xff};
        for (unsigned o = 0; o < OBJECTS; o++)
            t.object[o] = (struct model){.pending = 9, .expected = 9, .transactions = 8};
        model_begin(m, &t);
        machine_step(m, 0);
        assert_int_equal(m->out.deferred, !immediate);
        if (!immediate) {
            model_assert(m, &t);
            exec_complete(&m->core, m->token);
        }
        for (unsigned lane = 0; lane < 8; lane++)
            model_arrive(&t.object[0], counts, 0, !counts, false);
        model_assert(m, &t);
        machine_destroy(m);
    }
}

/* ---- words of compiled code -------------------------------------------------------------------------------------- */

static void an_object_begins_with_the_words_that_compiled_code_writes(void **state)
{
    (void)state;
    assert_int_equal(mbarrier_object(1), UINT64_C(0x7ffff800001ffffe));
    assert_int_equal(mbarrier_object(32), UINT64_C(0x7fff0000001fffc0));
}

static void thirty_two_lanes_end_the_phase_of_thirty_two_arrivals(void **state)
{
    (void)state;
    struct machine *m = model_machine(model_arrival(A1T0, STATE, false), true);
    struct trial t = {.active = UINT32_MAX, .object[0] = {.pending = 32, .expected = 32}};
    t.object[1] = t.object[2] = t.object[0];
    model_begin(m, &t);
    machine_step(m, 0);
    assert_int_equal(get(m, 0) >> 32, 0xffff0000);
    for (unsigned lane = 0; lane < EXEC_LANES; lane++) /* pending_count of each token */
        assert_int_equal((1u << 20) - (row(m, RESULT + 1)[lane] >> 11 & 0xfffff), 32 - lane);
    machine_destroy(m);
}

static void threads_that_drop_out_are_not_expected_again(void **state)
{
    (void)state;
    uint64_t word = mbarrier_object(32);
    assert_int_equal(mbarrier_operate(&word, (struct mbarrier_arrival){.count = 8, .dropped = 8}), MBARRIER_OK);
    assert_int_equal(mbarrier_pending(word), 24);
    assert_int_equal(mbarrier_operate(&word, (struct mbarrier_arrival){.count = 24}), MBARRIER_OK);
    assert_int_equal(mbarrier_phase(word), 1);
    assert_int_equal(mbarrier_pending(word), 24);
}

/* ---- errors ------------------------------------------------------------------------------------------------------ */

static void assert_fault(struct isa_inst i, uint64_t object, uint32_t operand, const char *expected)
{
    struct machine *m = model_machine(i, true);
    struct trial t = {.active = 1, .operand = {operand}};
    model_begin(m, &t);
    put(m, 0, object);
    machine_step(m, 0);
    if (!strstr(m->core.fault.text, expected))
        fail_msg("\"%s\" is not in: %s", expected, m->core.fault.text);
    assert_int_equal(get(m, 0), object);
    machine_destroy(m);
}

static void wrong_operations_are_faults_that_describe_the_object(void **state)
{
    (void)state;
    assert_fault(model_arrival(ART0, RED, false), mbarrier_object(2), 3,
                 "mbarrier 0x40 (phase 0, 2 of 2 arrivals and 0 bytes pending): there are more arrivals than are "
                 "pending");
    assert_fault(model_arrival(A0TR, RED, false), mbarrier_object(2), 1 << 20,
                 "the bytes of its transactions leave -1048575 to 1048575");
    assert_fault(model_arrival(A0TX, RED, false), mbarrier_object(2), 1 << 20,
                 "the bytes of its transactions leave -1048575 to 1048575");
    assert_fault(model_arrival(A1T0, RED, false), 0, 0, "no thread has initialized it");
    assert_fault(model_test(false), 0, 0, "no thread has initialized it");
    struct isa_inst beyond = model_test(true);
    beyond.offset = 4096 - AT;
    assert_fault(beyond, mbarrier_object(1), 0, "illegal address 0x1000 of an 8-byte barrier object: there are 4096");
    beyond.offset = 4;
    assert_fault(beyond, mbarrier_object(1), 0, "misaligned address 0x44 of an 8-byte barrier object");
    beyond.offset = 3 << 24;
    assert_fault(beyond, mbarrier_object(1), 0, "the cluster has no CTA of rank 3");
}

static void the_most_bytes_are_no_error(void **state)
{
    (void)state;
    uint64_t word = mbarrier_object(1);
    assert_int_equal(mbarrier_operate(&word, (struct mbarrier_arrival){.bytes = MBARRIER_MOST}), MBARRIER_OK);
    assert_int_equal(mbarrier_bytes(word), MBARRIER_MOST);
    assert_int_equal(mbarrier_operate(&word, (struct mbarrier_arrival){.bytes = 1}), MBARRIER_RANGE);
    assert_int_equal(mbarrier_operate(&word, (struct mbarrier_arrival){.bytes = -2 * MBARRIER_MOST}), MBARRIER_OK);
    assert_int_equal(mbarrier_bytes(word), -MBARRIER_MOST);
    assert_int_equal(mbarrier_operate(&word, (struct mbarrier_arrival){.bytes = -1}), MBARRIER_RANGE);
}

/* Functions that engines call. */
static void completions_of_engines_end_a_phase_or_fault(void **state)
{
    (void)state;
    struct machine *m = model_machine(model_test(false), true);
    put(m, 0, mbarrier_object(1));
    assert_true(mbarrier_complete(&m->core, m->cta, AT, 512)); /* before they are expected */
    assert_int_equal(mbarrier_bytes(get(m, 0)), -512);
    assert_true(mbarrier_arrive(&m->core, m->cta, AT, (struct mbarrier_arrival){.count = 1, .bytes = 512}));
    assert_int_equal(mbarrier_phase(get(m, 0)), 1);
    assert_false(mbarrier_arrive(&m->core, m->cta, AT, (struct mbarrier_arrival){.count = 2}));
    assert_non_null(strstr(m->core.fault.text, "mbarrier 0x40 (phase 1, 1 of 1 arrivals and 0 bytes pending) of CTA "
                                               "(0,0,0)"));
    machine_destroy(m);
    m = model_machine(model_test(false), true);
    assert_false(mbarrier_complete(&m->core, m->cta, 4096, 16));
    assert_int_equal(m->core.report.kind, EXEC_FAULT_ADDRESS);
    machine_destroy(m);
}

UNIT_TESTS(UNIT(every_arrival_does_what_the_model_does), UNIT(an_object_stays_with_the_model_over_many_phases),
           UNIT(copies_arrive_when_they_have_landed), UNIT(an_object_begins_with_the_words_that_compiled_code_writes),
           UNIT(thirty_two_lanes_end_the_phase_of_thirty_two_arrivals),
           UNIT(threads_that_drop_out_are_not_expected_again),
           UNIT(wrong_operations_are_faults_that_describe_the_object), UNIT(the_most_bytes_are_no_error),
           UNIT(completions_of_engines_end_a_phase_or_fault))
