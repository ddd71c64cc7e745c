#include "mbarrier_model.h"

#include "exec/cta.h"

static uint64_t random_state = 7;

uint32_t model_draw(uint32_t limit)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(random_state >> 33) % limit;
}

static void complete_if_possible(struct model *o)
{
    if (o->pending != 0 || o->transactions != 0)
        return;
    o->phase++;
    o->pending = o->expected;
}

void model_arrive(struct model *o, int64_t count, int64_t expect, int64_t complete, bool drop)
{
    o->transactions += expect - complete;
    o->expected -= drop ? count : 0;
    o->pending -= count;
    complete_if_possible(o);
}

/* The words that compiled code reads: initializations and pending_count, with -n as 2^20 - n. */
uint64_t model_encode(const struct model *o)
{
    const uint64_t million = 1 << 20;
    uint64_t pending = (million - (uint64_t)o->pending) % million,
             expected = (million - (uint64_t)o->expected) % million;
    uint64_t bytes = ((uint64_t)1 << 21) - (uint64_t)o->transactions; /* read on an H200 */
    return (o->phase % 2) * ((uint64_t)1 << 63) + pending * ((uint64_t)1 << 43) +
           bytes % ((uint64_t)1 << 21) * ((uint64_t)1 << 21) + expected * 2;
}

struct machine *model_machine(struct isa_inst i, bool immediate)
{
    struct machine *m = machine_create(immediate, 32);
    m->module.sm = 90;
    add(m, when(0, i));
    add(m, plain(ISA_OP_EXIT, 0));
    machine_begin(m);
    return m;
}

void model_begin(struct machine *m, const struct trial *t)
{
    for (unsigned lane = 0; lane < EXEC_LANES; lane++) {
        row(m, ADDRESS)[lane] = AT + APART * t->which[lane];
        row(m, OPERAND)[lane] = t->operand[lane];
        row(m, RESULT)[lane] = row(m, RESULT + 1)[lane] = 77;
    }
    m->cta->warps[0].pred[0] = t->active;
    for (unsigned i = 0; i < OBJECTS; i++) {
        uint64_t word = model_encode(&t->object[i]);
        memcpy(m->cta->shared + AT + APART * i, &word, 8);
    }
}

void model_assert(const struct machine *m, const struct trial *t)
{
    for (unsigned i = 0; i < OBJECTS; i++) {
        uint64_t word;
        memcpy(&word, m->cta->shared + AT + APART * i, 8);
        assert_int_equal(word, model_encode(&t->object[i]));
        assert_int_equal(mbarrier_pending(word), t->object[i].pending);
        assert_int_equal(mbarrier_expected(word), t->object[i].expected);
        assert_int_equal(mbarrier_bytes(word), t->object[i].transactions);
        assert_int_equal(mbarrier_phase(word), t->object[i].phase % 2);
    }
}

struct trial model_trial(unsigned mode)
{
    struct trial t = {.active = model_draw(3) ? model_draw(UINT32_MAX / 2) | 1u << model_draw(32) : UINT32_MAX};
    int64_t arrivals[OBJECTS] = {0}, bytes[OBJECTS] = {0};
    for (unsigned lane = 0; lane < EXEC_LANES; lane++) {
        t.which[lane] = model_draw(OBJECTS);
        t.operand[lane] = mode == ART0 ? 1 + model_draw(4) : model_draw(3) ? 16 * model_draw(64) : 0;
        if (!(t.active >> lane & 1))
            continue;
        arrivals[t.which[lane]] += mode == ART0 ? t.operand[lane] : mode <= A1T0;
        bytes[t.which[lane]] += mode == A0T1 ? 1 : mode == A1T0 || mode == ART0 ? 0 : t.operand[lane];
    }
    for (unsigned i = 0; i < OBJECTS; i++) {
        struct model *o = &t.object[i];
        int64_t more = model_draw(2) ? 0 : 1 + model_draw(5);
        o->phase = model_draw(4);
        o->pending = arrivals[i] + more;
        o->expected = o->pending + model_draw(3) + (o->pending == 0);
        o->transactions = model_draw(3) == 0 ? 0 : model_draw(2) ? -bytes[i] : bytes[i];
        if (o->pending == 0 && o->transactions == 0)
            o->pending = 1;
    }
    return t;
}

struct isa_inst model_arrival(unsigned mode, unsigned result, bool drop)
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

struct isa_inst model_test(bool tries)
{
    struct isa_inst i = inst(ISA_OP_SYNCS_PHASECHK);
    i.a = reg(ADDRESS);
    i.b = reg(OPERAND);
    i.pu = predicate(1, false);
    i.mod[ISA_MOD_FLAG] = tries;
    return i;
}
