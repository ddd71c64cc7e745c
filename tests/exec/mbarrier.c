/* Barrier objects against a plain state machine written from the PTX ISA's text ("mbarrier object", "phase of the
 * mbarrier object", "arrive-on operation", "expect-tx" and "complete-tx operation"): every form of SYNCS and ARRIVES,
 * on random lanes and objects, in a core whose effects are immediate and in one where they are not. */
#include "exec/memory/mbarrier.h"

#include "base/bits.h"
#include "exec/exec.h"
#include "machine.h"

static uint64_t random_state = 7;

static uint32_t draw(uint32_t limit)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(random_state >> 33) % limit;
}

/* ---- the model --------------------------------------------------------------------------------------------------- */

struct model {
    uint64_t phase; /* number of the phase that is not complete */
    int64_t pending, expected, transactions;
};

static void complete_if_possible(struct model *o)
{
    if (o->pending != 0 || o->transactions != 0)
        return;
    o->phase++;
    o->pending = o->expected;
}

static void model_arrive(struct model *o, int64_t count, int64_t expect, int64_t complete, bool drop)
{
    o->transactions += expect - complete;
    o->expected -= drop ? count : 0;
    o->pending -= count;
    complete_if_possible(o);
}

/* The words that compiled code reads: initializations and pending_count, with -n as 2^20 - n. */
static uint64_t encode(const struct model *o)
{
    const uint64_t million = 1 << 20;
    uint64_t pending = (million - (uint64_t)o->pending) % million,
             expected = (million - (uint64_t)o->expected) % million;
    uint64_t bytes = ((uint64_t)1 << 21) - (uint64_t)o->transactions; /* read on an H200 */
    return (o->phase % 2) * ((uint64_t)1 << 63) + pending * ((uint64_t)1 << 43) +
           bytes % ((uint64_t)1 << 21) * ((uint64_t)1 << 21) + expected * 2;
}

/* ---- one instruction --------------------------------------------------------------------------------------------- */

enum { OBJECTS = 3, ADDRESS = 4, OPERAND = 6, RESULT = 8, AT = 64, APART = 40 };
/* As the encodings have them. */
enum { A1TR, A1T0, A0T1, A0TR, A0TX, ART0, MODES };
enum { STATE, TMASK, RED };

static struct machine *machine_with(struct isa_inst i, bool immediate)
{
    struct machine *m = machine_create(immediate, 32);
    m->module.sm = 90;
    add(m, when(0, i));
    add(m, plain(ISA_OP_EXIT, 0));
    machine_begin(m);
    return m;
}

struct trial {
    struct model object[OBJECTS];
    uint32_t active, operand[EXEC_LANES];
    unsigned which[EXEC_LANES];
};

static void begin_lanes(struct machine *m, const struct trial *t)
{
    for (unsigned lane = 0; lane < EXEC_LANES; lane++) {
        row(m, ADDRESS)[lane] = AT + APART * t->which[lane];
        row(m, OPERAND)[lane] = t->operand[lane];
        row(m, RESULT)[lane] = row(m, RESULT + 1)[lane] = 77;
    }
    m->cta->warps[0].pred[0] = t->active;
    for (unsigned i = 0; i < OBJECTS; i++) {
        uint64_t word = encode(&t->object[i]);
        memcpy(m->cta->shared + AT + APART * i, &word, 8);
    }
}

static void assert_objects(const struct machine *m, const struct trial *t)
{
    for (unsigned i = 0; i < OBJECTS; i++) {
        uint64_t word;
        memcpy(&word, m->cta->shared + AT + APART * i, 8);
        assert_int_equal(word, encode(&t->object[i]));
        assert_int_equal(mbarrier_pending(word), t->object[i].pending);
        assert_int_equal(mbarrier_expected(word), t->object[i].expected);
        assert_int_equal(mbarrier_bytes(word), t->object[i].transactions);
        assert_int_equal(mbarrier_phase(word), t->object[i].phase % 2);
    }
}

/* Enough pending that no lane's arrivals are too many, now and then just so many. */
static struct trial draw_trial(unsigned mode)
{
    struct trial t = {.active = draw(3) ? draw(UINT32_MAX / 2) | 1u << draw(32) : UINT32_MAX};
    int64_t arrivals[OBJECTS] = {0}, bytes[OBJECTS] = {0};
    for (unsigned lane = 0; lane < EXEC_LANES; lane++) {
        t.which[lane] = draw(OBJECTS);
        t.operand[lane] = mode == ART0 ? 1 + draw(4) : draw(3) ? 16 * draw(64) : 0;
        if (!(t.active >> lane & 1))
            continue;
        arrivals[t.which[lane]] += mode == ART0 ? t.operand[lane] : mode <= A1T0;
        bytes[t.which[lane]] += mode == A0T1 ? 1 : mode == A1T0 || mode == ART0 ? 0 : t.operand[lane];
    }
    for (unsigned i = 0; i < OBJECTS; i++) {
        struct model *o = &t.object[i];
        int64_t more = draw(2) ? 0 : 1 + draw(5);
        o->phase = draw(4);
        o->pending = arrivals[i] + more;
        o->expected = o->pending + draw(3) + (o->pending == 0);
        o->transactions = draw(3) == 0 ? 0 : draw(2) ? -bytes[i] : bytes[i];
        if (o->pending == 0 && o->transactions == 0)
            o->pending = 1;
    }
    return t;
}

static void run_model(struct trial *t, unsigned mode, bool drop, uint64_t before[EXEC_LANES],
                      uint32_t together[EXEC_LANES], uint64_t first[EXEC_LANES])
{
    uint64_t start[OBJECTS];
    for (unsigned i = 0; i < OBJECTS; i++)
        start[i] = encode(&t->object[i]);
    for (unsigned lane = 0; lane < EXEC_LANES; lane++) {
        struct model *o = &t->object[t->which[lane]];
        int64_t n = t->operand[lane];
        together[lane] = 0;
        for (unsigned other = 0; other < EXEC_LANES; other++)
            together[lane] |= (t->active >> other & 1 && t->which[other] == t->which[lane]) ? 1u << other : 0;
        if (!(t->active >> lane & 1))
            continue;
        before[lane] = encode(o);
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

static struct isa_inst arrival(unsigned mode, unsigned result, bool drop)
{
    struct isa_inst i = inst(ISA_OP_SYNCS_ARRIVE);
    i.a = reg(ADDRESS);
    i.b = reg(OPERAND);
    i.d = wide(result == RED ? RZ : RESULT, 2);
    i.mod[ISA_MOD_FUNCTION] = (uint8_t)mode;
    i.mod[ISA_MOD_MODE] = (uint8_t)result;
    i.mod[ISA_MOD_FLAG] = drop;
    return i;
}

static void check_arrival(unsigned mode, unsigned result, bool drop, bool immediate)
{
    struct trial t = draw_trial(mode);
    uint64_t before[EXEC_LANES], first[EXEC_LANES];
    uint32_t together[EXEC_LANES];
    struct machine *m = machine_with(arrival(mode, result, drop), immediate);
    begin_lanes(m, &t);
    machine_step(m, 0);
    assert_string_equal(m->core.fault.text, "");
    assert_false(m->out.deferred);
    run_model(&t, mode, drop, before, together, first);
    assert_objects(m, &t);
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
    assert_int_equal(word, encode(&o));
    for (unsigned n = 0; n < 100000; n++) {
        int64_t count = o.pending && draw(3) == 0 ? 1 + draw((uint32_t)o.pending) : 0;
        int64_t expect = draw(3) == 0 ? draw(5000) : 0, complete = draw(2) ? 0 : draw(5000);
        bool drop = count > 0 && count < o.expected && draw(50) == 0;
        if (draw(3) == 0) { /* the missing part */
            count = o.pending;
            expect = o.transactions < 0 ? -o.transactions : 0;
            complete = o.transactions > 0 ? o.transactions : 0;
            drop = false;
        }
        int64_t sum = o.transactions + expect - complete;
        if (sum > MBARRIER_MOST || sum < -MBARRIER_MOST || (o.pending == 0 && count))
            continue;
        if (o.expected == 1 && o.pending == 1 && draw(10) == 0) { /* a new object */
            o = (struct model){.pending = 1 + draw(40)};
            o.expected = o.pending;
            word = mbarrier_object((uint32_t)o.pending);
        }
        struct mbarrier_arrival by = {(uint32_t)count, drop ? (uint32_t)count : 0, expect - complete};
        assert_int_equal(mbarrier_operate(&word, by), MBARRIER_OK);
        model_arrive(&o, count, expect, complete, drop);
        assert_int_equal(word, encode(&o));
    }
    assert_true(o.phase > 100);
}

/* ---- waits ------------------------------------------------------------------------------------------------------- */

static struct isa_inst test(bool tries)
{
    struct isa_inst i = inst(ISA_OP_SYNCS_PHASECHK);
    i.a = reg(ADDRESS);
    i.b = reg(OPERAND);
    i.pu = predicate(1, false);
    i.mod[ISA_MOD_FLAG] = tries;
    return i;
}

/* Bit 31 of the operand is the parity, or that of a token's high word: the other bits do not count. */
static void a_test_is_true_where_the_phase_has_ended(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 2000; n++) {
        struct trial t = draw_trial(A1T0);
        bool tries = n % 2, immediate = n / 2 % 2;
        uint32_t ended = 0, unfinished;
        for (unsigned lane = 0; lane < EXEC_LANES; lane++) {
            t.operand[lane] = draw(2) << 31 | draw(1u << 30);
            ended |= (uint32_t)(t.object[t.which[lane]].phase % 2 != t.operand[lane] >> 31) << lane;
        }
        ended &= t.active;
        unfinished = t.active & ~ended;
        struct machine *m = machine_with(test(tries), immediate);
        begin_lanes(m, &t);
        uint32_t old = m->cta->warps[0].pred[1] = draw(UINT32_MAX);
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
        assert_objects(m, &t);
        machine_destroy(m);
    }
}

static uint64_t get(const struct machine *m, unsigned object) { return mbarrier_read(m->cta, AT + APART * object); }

static void put(struct machine *m, unsigned object, uint64_t word)
{
    mbarrier_write(m->cta, AT + APART * object, word);
}

static void a_wait_is_over_when_all_its_objects_have_ended_their_phase_and_stays_so(void **state)
{
    (void)state;
    struct machine *m = machine_with(test(true), false);
    struct trial t = {.active = 7, .which = {0, 1, 1}};
    for (unsigned i = 0; i < OBJECTS; i++)
        t.object[i] = (struct model){.pending = 1, .expected = 1};
    begin_lanes(m, &t);
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
        add(m, test(true));
        add(m, unless(1, jump(WAIT)));
        add(m, plain(ISA_OP_EXIT, 0));
        add(m, arrival(A1T0, RED, false));
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
    add(m, test(true));
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

/* ---- copies ------------------------------------------------------------------------------------------------------ */

static void copies_arrive_when_they_have_landed(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 4; n++) {
        bool immediate = n % 2, counts = n / 2;
        struct isa_inst i = inst(ISA_OP_ARRIVES);
        i.a = reg(ADDRESS);
        i.mod[ISA_MOD_FUNCTION] = counts ? ISA_ARRIVES_ARVCNT : ISA_ARRIVES_TRANSCNT;
        struct machine *m = machine_with(i, immediate);
        struct trial t = {.active = 0xff};
        for (unsigned o = 0; o < OBJECTS; o++)
            t.object[o] = (struct model){.pending = 9, .expected = 9, .transactions = 8};
        begin_lanes(m, &t);
        machine_step(m, 0);
        assert_int_equal(m->out.deferred, !immediate);
        if (!immediate) {
            assert_objects(m, &t);
            exec_complete(&m->core, m->token);
        }
        for (unsigned lane = 0; lane < 8; lane++)
            model_arrive(&t.object[0], counts, 0, !counts, false);
        assert_objects(m, &t);
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
    struct machine *m = machine_with(arrival(A1T0, STATE, false), true);
    struct trial t = {.active = UINT32_MAX, .object[0] = {.pending = 32, .expected = 32}};
    t.object[1] = t.object[2] = t.object[0];
    begin_lanes(m, &t);
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
    struct machine *m = machine_with(i, true);
    struct trial t = {.active = 1, .operand = {operand}};
    begin_lanes(m, &t);
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
    assert_fault(arrival(ART0, RED, false), mbarrier_object(2), 3,
                 "mbarrier 0x40 (phase 0, 2 of 2 arrivals and 0 bytes pending): there are more arrivals than are "
                 "pending");
    assert_fault(arrival(A0TR, RED, false), mbarrier_object(2), 1 << 20,
                 "the bytes of its transactions leave -1048575 to 1048575");
    assert_fault(arrival(A0TX, RED, false), mbarrier_object(2), 1 << 20,
                 "the bytes of its transactions leave -1048575 to 1048575");
    assert_fault(arrival(A1T0, RED, false), 0, 0, "no thread has initialized it");
    assert_fault(test(false), 0, 0, "no thread has initialized it");
    struct isa_inst beyond = test(true);
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
    struct machine *m = machine_with(test(false), true);
    put(m, 0, mbarrier_object(1));
    assert_true(mbarrier_complete(&m->core, m->cta, AT, 512)); /* before they are expected */
    assert_int_equal(mbarrier_bytes(get(m, 0)), -512);
    assert_true(mbarrier_arrive(&m->core, m->cta, AT, (struct mbarrier_arrival){.count = 1, .bytes = 512}));
    assert_int_equal(mbarrier_phase(get(m, 0)), 1);
    assert_false(mbarrier_arrive(&m->core, m->cta, AT, (struct mbarrier_arrival){.count = 2}));
    assert_non_null(strstr(m->core.fault.text, "mbarrier 0x40 (phase 1, 1 of 1 arrivals and 0 bytes pending) of CTA "
                                               "(0,0,0)"));
    machine_destroy(m);
    m = machine_with(test(false), true);
    assert_false(mbarrier_complete(&m->core, m->cta, 4096, 16));
    assert_int_equal(m->core.report.kind, EXEC_FAULT_ADDRESS);
    machine_destroy(m);
}

UNIT_TESTS(UNIT(every_arrival_does_what_the_model_does), UNIT(an_object_stays_with_the_model_over_many_phases),
           UNIT(a_test_is_true_where_the_phase_has_ended),
           UNIT(a_wait_is_over_when_all_its_objects_have_ended_their_phase_and_stays_so),
           UNIT(the_path_that_is_waited_for_has_its_turn_at_once),
           UNIT(threads_at_a_convergence_barrier_stay_while_one_of_them_asks_other_warps),
           UNIT(copies_arrive_when_they_have_landed), UNIT(an_object_begins_with_the_words_that_compiled_code_writes),
           UNIT(thirty_two_lanes_end_the_phase_of_thirty_two_arrivals),
           UNIT(threads_that_drop_out_are_not_expected_again),
           UNIT(wrong_operations_are_faults_that_describe_the_object), UNIT(the_most_bytes_are_no_error),
           UNIT(completions_of_engines_end_a_phase_or_fault))
