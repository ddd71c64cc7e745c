/* Pascal's sums and products in every variant of the host's instruction sets, with all their modifiers and flags,
 * against one lane of plain C. */
#include "arith.h"
#include "exec/pascal/stack_state.h"
#include "unit.h"

enum { TRIALS = 4000, SHUFFLE = 16 };

struct flags {
    bool zero, sign, carry, overflow;
};

/* One lane of an instruction. */
struct lane {
    const struct isa_inst *isa;
    uint32_t a, b, c; /* as stored */
    struct flags in;
    uint32_t r;
    bool carry, overflow;
};

typedef void oracle_one(struct lane *l);

static bool negated(const struct isa_operand *op) { return op->flags & ISA_NEG; }
static bool has(const struct lane *l, unsigned modifier) { return l->isa->mod[modifier] != 0; }

/* -x is ~x and one, which the carry of the lower words replaces. */
static void add(struct lane *l, uint32_t a, uint32_t b, unsigned ones)
{
    uint64_t s = (uint64_t)a + b + (has(l, ISA_MOD_EXTENDED) ? l->in.carry : ones);
    l->r = (uint32_t)s;
    l->carry = s >> 32 & 1;
    l->overflow = a >> 31 == b >> 31 && a >> 31 != l->r >> 31;
    if (has(l, ISA_MOD_SAT) && l->overflow)
        l->r = a >> 31 ? 0x80000000 : 0x7fffffff;
}

static void one_iadd(struct lane *l)
{
    bool minus_a = negated(&l->isa->a), minus_b = negated(&l->isa->b);
    add(l, minus_a ? ~l->a : l->a, minus_b ? ~l->b : l->b, minus_a + minus_b);
}

static void one_lea(struct lane *l)
{
    bool minus_a = negated(&l->isa->a), minus_b = negated(&l->isa->b);
    uint64_t wide = (uint64_t)(has(l, ISA_MOD_HI) ? l->c : 0) << 32 | l->a;
    uint32_t shifted = (uint32_t)(wide << l->isa->mod[ISA_MOD_SHIFT] >> (has(l, ISA_MOD_HI) ? 32 : 0));
    add(l, minus_a ? ~shifted : shifted, minus_b ? ~l->b : l->b, minus_a + minus_b);
}

static uint64_t part(const struct lane *l, const struct isa_operand *op, uint32_t v, bool *one)
{
    v = op->swizzle == 0 ? v : op->swizzle == 1 ? v & 0xffff : v >> 16;
    *one = negated(op) && !has(l, ISA_MOD_EXTENDED);
    return negated(op) ? ~v : v;
}

static void one_iadd3(struct lane *l)
{
    enum { RIGHT = 1, LEFT };
    bool one[3];
    const uint64_t a = part(l, &l->isa->a, l->a, &one[0]), b = part(l, &l->isa->b, l->b, &one[1]);
    const uint64_t c = part(l, &l->isa->c, l->c, &one[2]);
    uint64_t s = a + b + one[0] + one[1];
    s = l->isa->mod[ISA_MOD_SHIFT] == RIGHT ? s >> 16 : l->isa->mod[ISA_MOD_SHIFT] == LEFT ? (uint32_t)(s << 16) : s;
    s += c + one[2];
    if (has(l, ISA_MOD_EXTENDED))
        s += (unsigned)l->in.carry + l->in.overflow;
    l->r = (uint32_t)s;
    l->carry = s >> 32 != 0;
    l->overflow = s >> 33 != 0;
}

static void one_xmad(struct lane *l)
{
    enum { PLAIN, LOWER, UPPER, SIGNS, WITH_B };
    const struct isa_inst *isa = l->isa;
    uint32_t a = isa->a.swizzle ? l->a >> 16 : l->a & 0xffff, b = isa->b.swizzle ? l->b >> 16 : l->b & 0xffff;
    int64_t x = isa->mod[ISA_MOD_SIGNS] & 1 ? (int16_t)a : (int64_t)a;
    int64_t y = isa->mod[ISA_MOD_SIGNS] & 2 ? (int16_t)b : (int64_t)b;
    uint32_t p = (uint32_t)((uint64_t)(x * y) << (has(l, ISA_MOD_SHIFT) ? 16 : 0)), c = l->c;
    switch (isa->mod[ISA_MOD_MODE]) {
    case LOWER: c &= 0xffff; break;
    case UPPER: c >>= 16; break;
    case SIGNS:
        c -= l->b >> 31 && l->a << 16 ? 0x10000 : 0;
        c -= l->a >> 31 && l->b << 16 ? 0x10000 : 0;
        break;
    case WITH_B: c += l->b << 16; break;
    default: break;
    }
    uint64_t s = (uint64_t)p + c + (has(l, ISA_MOD_EXTENDED) ? l->in.carry : 0);
    l->r = (uint32_t)s;
    l->carry = s >> 32 != 0;
    if (has(l, ISA_MOD_MERGE))
        l->r = (l->r & 0xffff) | l->b << 16;
}

static void make_iadd(struct arith *t, struct isa_inst *isa) { isa->mod[ISA_MOD_SAT] = arith_below(t, 4) == 0; }

static void make_lea(struct arith *t, struct isa_inst *isa)
{
    isa->mod[ISA_MOD_SHIFT] = (uint8_t)arith_below(t, 32);
    isa->mod[ISA_MOD_HI] = (uint8_t)arith_below(t, 2);
}

static void make_iadd3(struct arith *t, struct isa_inst *isa)
{
    isa->mod[ISA_MOD_SHIFT] = (uint8_t)arith_below(t, 3);
    isa->a.swizzle = (uint8_t)arith_below(t, 3);
    isa->b.swizzle = (uint8_t)arith_below(t, 3);
    isa->c.swizzle = (uint8_t)arith_below(t, 3);
}

static void make_xmad(struct arith *t, struct isa_inst *isa)
{
    isa->mod[ISA_MOD_SIGNS] = (uint8_t)arith_below(t, 4);
    isa->mod[ISA_MOD_MODE] = (uint8_t)arith_below(t, 5);
    isa->mod[ISA_MOD_SHIFT] = (uint8_t)arith_below(t, 2);
    isa->mod[ISA_MOD_MERGE] = arith_below(t, 4) == 0;
    isa->a.swizzle = (uint8_t)arith_below(t, 2);
    isa->b.swizzle = (uint8_t)arith_below(t, 2);
}

static struct flags flags_of(const struct condition *c, unsigned lane)
{
    return (struct flags){c->zero >> lane & 1, c->sign >> lane & 1, c->carry >> lane & 1, c->overflow >> lane & 1};
}

struct state {
    uint32_t reg[ORACLE_REGISTERS][EXEC_LANES];
    struct condition condition;
};

static void check_lane(const struct arith *t, const struct state *before, unsigned i, bool active, oracle_one *one,
                       const char *variant)
{
    const struct isa_inst *isa = &t->inst.isa;
    struct oracle o = {.bank = (const uint8_t(*)[ORACLE_BANK_BYTES])t->bank};
    memcpy(o.reg, before->reg, sizeof o.reg);
    const struct oracle_lane view = {.o = &o, .inst = isa, .lane = i};
    struct lane l = {.isa = isa, .in = flags_of(&before->condition, i)};
    l.a = oracle_raw(&view, &isa->a, 0);
    l.b = oracle_raw(&view, &isa->b, 0);
    l.c = oracle_raw(&view, &isa->c, 0);
    one(&l);
    struct flags flags = l.in, now = flags_of(&t->warp.stack->condition, i);
    if (active && isa->mod[ISA_MOD_CC])
        flags = (struct flags){l.r == 0 && (!isa->mod[ISA_MOD_EXTENDED] || l.in.zero), l.r >> 31, l.carry, l.overflow};
    uint32_t r = active ? l.r : before->reg[isa->d.index][i];
    if (t->reg[isa->d.index][i] != r)
        fail_msg("%s, opcode %u, lane %u: 0x%x, not 0x%x", variant, isa->op, i, t->reg[isa->d.index][i], r);
    if (memcmp(&flags, &now, sizeof now) != 0)
        fail_msg("%s, opcode %u, lane %u, %08x %08x %08x: flags %u%u%u%u, not %u%u%u%u", variant, isa->op, i, l.a, l.b,
                 l.c, now.zero, now.sign, now.carry, now.overflow, flags.zero, flags.sign, flags.carry, flags.overflow);
}

static void in_every_variant(struct arith *t, oracle_one *one, uint32_t active)
{
    struct state before = {.condition = t->warp.stack->condition};
    memcpy(before.reg, t->reg, sizeof before.reg);
    for (unsigned v = 0; v < EXEC_TABLES; v++) {
        struct exec_table_variant variant = exec_table_variant(v);
        if (!variant.functions)
            continue;
        memcpy(t->reg, before.reg, sizeof before.reg);
        t->warp.stack->condition = before.condition;
        arith_run(t, variant.functions, active);
        assert_int_equal(t->core.fault.code, STATUS_OK);
        for (unsigned i = 0; i < EXEC_LANES; i++)
            check_lane(t, &before, i, active >> i & 1, one, variant.name);
    }
}

static void check(enum isa_op op, arith_make *make, oracle_one *one, unsigned flags)
{
    struct arith *t = arith_create(op);
    struct exec_stack stack = {.depth = 0};
    t->warp.stack = &stack;
    for (unsigned k = 0; k < TRIALS; k++) {
        if (k % SHUFFLE == 0)
            arith_shuffle(t, ARITH_INTEGER);
        struct isa_inst *isa = arith_begin(t, op);
        isa->d = arith_register(arith_below(t, ORACLE_REGISTERS));
        isa->a = arith_operand(t, ARITH_REG, 1, flags, ARITH_INTEGER);
        isa->b = arith_operand(t, ARITH_REG | ARITH_IMM | ARITH_CONST, 1, flags, ARITH_INTEGER);
        isa->c = arith_operand(t, ARITH_REG | ARITH_CONST, 1, flags, ARITH_INTEGER);
        isa->mod[ISA_MOD_CC] = (uint8_t)arith_below(t, 2);
        isa->mod[ISA_MOD_EXTENDED] = (uint8_t)arith_below(t, 2);
        make(t, isa);
        stack.condition = (struct condition){arith_random(t), arith_random(t), arith_random(t), arith_random(t)};
        in_every_variant(t, one, arith_mask(t));
    }
    arith_destroy(t);
}

static void sums_have_all_their_flags(void **state)
{
    (void)state;
    check(ISA_OP_IADD_60, make_iadd, one_iadd, ISA_NEG);
}

static void scaled_sums_have_all_their_flags(void **state)
{
    (void)state;
    check(ISA_OP_LEA_60, make_lea, one_lea, ISA_NEG);
}

static void sums_of_three_have_all_their_flags(void **state)
{
    (void)state;
    check(ISA_OP_IADD3_60, make_iadd3, one_iadd3, ISA_NEG);
}

static void products_of_halves_have_all_their_flags(void **state)
{
    (void)state;
    check(ISA_OP_XMAD, make_xmad, one_xmad, 0);
}

UNIT_TESTS(UNIT(sums_have_all_their_flags), UNIT(scaled_sums_have_all_their_flags),
           UNIT(sums_of_three_have_all_their_flags), UNIT(products_of_halves_have_all_their_flags))
