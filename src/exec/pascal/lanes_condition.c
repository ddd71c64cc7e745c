/* Comparisons with the condition code, into registers, and selections by them. */
#include "exec/arithmetic/float32.h"
#include "exec/arithmetic/lanes_double.h"
#include "exec/arithmetic/relation.h"
#include "exec/arithmetic/rounding.h"
#include "exec/pascal/flags.h"

/* Lanes where the sources have one of the instruction's relations. With .X they are the upper words of numbers
 * whose lower ones have been subtracted: carry means that nothing was borrowed, zero that they are equal. */
static uint32_t integers_compare(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst)
{
    const struct isa_inst *isa = &inst->isa;
    struct lanes t[2];
    const uint32_t *a = lanes_integer(core, warp, inst, &isa->a, &t[0]);
    const uint32_t *b = lanes_integer(core, warp, inst, &isa->b, &t[1]);
    bool extended = isa->mod[ISA_MOD_EXTENDED], is_signed = isa->mod[ISA_MOD_SIGNED];
    uint32_t borrow = extended ? ~warp->stack->condition.carry : 0;
    uint32_t low_equal = extended ? warp->stack->condition.zero : UINT32_MAX, held = 0;
    for (unsigned i = 0; i < EXEC_LANES; i++) {
        int64_t x = is_signed ? (int32_t)a[i] : (int64_t)a[i], y = is_signed ? (int32_t)b[i] : (int64_t)b[i];
        int64_t d = x - y - (borrow >> i & 1);
        uint32_t relation = d < 0 ? RELATION_LESS : d == 0 && (low_equal >> i & 1) ? RELATION_EQUAL : RELATION_GREATER;
        held |= (uint32_t)((relation & isa->mod[ISA_MOD_CMP]) != 0) << i;
    }
    return held;
}

static uint32_t floats_compare(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst)
{
    const struct isa_inst *isa = &inst->isa;
    struct lanes t[2];
    const uint32_t *a = lanes_float(core, warp, inst, &isa->a, &t[0]);
    const uint32_t *b = lanes_float(core, warp, inst, &isa->b, &t[1]);
    bool flush = isa->mod[ISA_MOD_FTZ];
    uint32_t held = 0;
    for (unsigned i = 0; i < EXEC_LANES; i++) {
        uint32_t x = flush ? float_flush(a[i]) : a[i], y = flush ? float_flush(b[i]) : b[i];
        uint32_t relation = relation_of((double)float_of(x), (double)float_of(y));
        held |= (uint32_t)((relation & isa->mod[ISA_MOD_CMP]) != 0) << i;
    }
    return held;
}

/* The result of a set: 1.0 with .BF, all ones without, or 0. */
static void set(struct exec_warp *warp, const struct isa_inst *isa, uint32_t active, uint32_t held)
{
    struct lanes r;
    uint32_t yes = isa->mod[ISA_MOD_BOOLEAN] ? FLOAT_ONE : UINT32_MAX;
    for (unsigned i = 0; i < EXEC_LANES; i++)
        r.v[i] = held >> i & 1 ? yes : 0;
    lanes_write(warp, isa->d.index, active, r.v);
    if (isa->mod[ISA_MOD_CC])
        condition_set(warp, active, condition_of(r.v));
}

static uint32_t combined(const struct exec_warp *warp, const struct isa_inst *isa, uint32_t held)
{
    return relation_combine(isa->mod[ISA_MOD_BOP], held, operand_predicate(warp, isa->pp));
}

EXEC_OP(ISETP_60)
{
    const struct isa_inst *isa = &inst->isa;
    uint32_t held = integers_compare(core, warp, inst);
    exec_set_predicate(warp, isa->pu, active, combined(warp, isa, held));
    exec_set_predicate(warp, isa->pv, active, combined(warp, isa, ~held));
}

EXEC_OP(ISET) { set(warp, &inst->isa, active, combined(warp, &inst->isa, integers_compare(core, warp, inst))); }

EXEC_OP(FSET_60) { set(warp, &inst->isa, active, combined(warp, &inst->isa, floats_compare(core, warp, inst))); }

EXEC_OP(DSET)
{
    const struct isa_inst *isa = &inst->isa;
    struct doubles a, b;
    uint32_t held = 0;
    lanes_double(core, warp, inst, &isa->a, &a);
    lanes_double(core, warp, inst, &isa->b, &b);
    for (unsigned i = 0; i < EXEC_LANES; i++)
        held |= (uint32_t)((relation_of(double_of(a.v[i]), double_of(b.v[i])) & isa->mod[ISA_MOD_CMP]) != 0) << i;
    set(warp, isa, active, combined(warp, isa, held));
}

/* Two combinations of three predicates. The first takes the first two. */
EXEC_OP(PSET)
{
    const struct isa_inst *isa = &inst->isa;
    uint32_t p = operand_predicate(warp, isa->pp), q = operand_predicate(warp, isa->pq);
    uint32_t first = relation_combine(isa->mod[ISA_MOD_MODE], p, q);
    set(warp, isa, active, relation_combine(isa->mod[ISA_MOD_BOP], first, operand_predicate(warp, isa->pr)));
}

EXEC_OP(CSETP)
{
    const struct isa_inst *isa = &inst->isa;
    bool known;
    uint32_t held = condition_test(warp, isa->mod[ISA_MOD_TEST], &known);
    if (!known) {
        exec_refuse(core, warp, inst, "this test of the condition code");
        return;
    }
    exec_set_predicate(warp, isa->pu, active, combined(warp, isa, held));
    exec_set_predicate(warp, isa->pv, active, combined(warp, isa, ~held));
}

/* A where C compares with 0 as the instruction says, or B. */
EXEC_OP(ICMP)
{
    const struct isa_inst *isa = &inst->isa;
    struct lanes t[3], r;
    const uint32_t *a = lanes_integer(core, warp, inst, &isa->a, &t[0]);
    const uint32_t *b = lanes_integer(core, warp, inst, &isa->b, &t[1]);
    const uint32_t *c = lanes_integer(core, warp, inst, &isa->c, &t[2]);
    bool is_signed = isa->mod[ISA_MOD_SIGNED];
    for (unsigned i = 0; i < EXEC_LANES; i++) {
        uint32_t relation = c[i] == 0                      ? RELATION_EQUAL
                            : is_signed && c[i] >> 31 != 0 ? RELATION_LESS
                                                           : RELATION_GREATER;
        r.v[i] = relation & isa->mod[ISA_MOD_CMP] ? a[i] : b[i];
    }
    lanes_write(warp, isa->d.index, active, r.v);
}

EXEC_OP(FCMP)
{
    const struct isa_inst *isa = &inst->isa;
    struct lanes t[3], r;
    const uint32_t *a = lanes_raw(core, warp, inst, &isa->a, &t[0]);
    const uint32_t *b = lanes_raw(core, warp, inst, &isa->b, &t[1]);
    const uint32_t *c = lanes_raw(core, warp, inst, &isa->c, &t[2]);
    for (unsigned i = 0; i < EXEC_LANES; i++) {
        uint32_t v = isa->mod[ISA_MOD_FTZ] ? float_flush(c[i]) : c[i];
        r.v[i] = relation_of((double)float_of(v), 0) & isa->mod[ISA_MOD_CMP] ? a[i] : b[i];
    }
    lanes_write(warp, isa->d.index, active, r.v);
}

/* As FMNMX: a NaN loses, -0 is less than +0. */
EXEC_OP(DMNMX)
{
    const struct isa_inst *isa = &inst->isa;
    struct doubles a, b;
    struct lanes low, high;
    uint32_t minimum = operand_predicate(warp, isa->pp);
    lanes_double(core, warp, inst, &isa->a, &a);
    lanes_double(core, warp, inst, &isa->b, &b);
    for (unsigned i = 0; i < EXEC_LANES; i++) {
        uint64_t x = a.v[i], y = b.v[i];
        bool less = x == y || double_of(x) < double_of(y) || (double_of(x) == double_of(y) && x >> 63 > y >> 63);
        uint64_t r = less == (minimum >> i & 1) ? x : y;
        r = double_is_nan(x) ? y : double_is_nan(y) ? x : r;
        r = double_is_nan(r) ? double_nan_of(x, y, y) : r;
        low.v[i] = (uint32_t)r;
        high.v[i] = (uint32_t)(r >> 32);
    }
    lanes_write_pair(warp, isa->d.index, active, &low, &high);
}

/* Prepares the operand of MUFU. Here MUFU has the operands of later architectures: for SIN and COS turns, by the
 * multiplication that their code has, and for EX2 the number as it is. The form that hardware has between the two is
 * not known, and no program sees it. */
EXEC_OP(RRO)
{
    enum { SINE_COSINE };
    const struct isa_inst *isa = &inst->isa;
    struct lanes t, turn, r;
    const uint32_t *a = lanes_float(core, warp, inst, &isa->a, &t);
    if (isa->mod[ISA_MOD_MODE] != SINE_COSINE) {
        lanes_write(warp, isa->d.index, active, a);
        return;
    }
    rounding_multiply(r.v, a, lanes_spread(&turn, float_bits(0.15915494f)), 1, ROUND_ZERO);
    lanes_write(warp, isa->d.index, active, r.v);
}

/* ---- the condition code in a register ---------------------------------------------------------------------------- */

/* Zero, sign, carry, overflow, from bit 0 on, as envytools has them of nv50. Code only puts them back. */
enum { FLAGS = 4 };

static void flags_of(struct condition *c, uint32_t *flag[FLAGS])
{
    uint32_t *const all[FLAGS] = {&c->zero, &c->sign, &c->carry, &c->overflow};
    for (unsigned f = 0; f < FLAGS; f++)
        flag[f] = all[f];
}

EXEC_OP(P2R_60)
{
    const struct isa_inst *isa = &inst->isa;
    struct lanes t[2], r;
    uint32_t *flag[FLAGS];
    const uint32_t *a = lanes_integer(core, warp, inst, &isa->a, &t[0]);
    const uint32_t *mask = lanes_integer(core, warp, inst, &isa->b, &t[1]);
    unsigned shift = 8u * isa->mod[ISA_MOD_BYTE];
    flags_of(&warp->stack->condition, flag);
    for (unsigned i = 0; i < EXEC_LANES; i++) {
        uint32_t value = 0, kept = mask[i] & 0xff;
        for (unsigned f = 0; f < FLAGS; f++)
            value |= (*flag[f] >> i & 1) << f;
        r.v[i] = (a[i] & ~(kept << shift)) | (value & kept) << shift;
    }
    lanes_write(warp, isa->d.index, active, r.v);
}

EXEC_OP(R2P_60)
{
    const struct isa_inst *isa = &inst->isa;
    struct lanes t[2];
    uint32_t *flag[FLAGS];
    const uint32_t *a = lanes_integer(core, warp, inst, &isa->a, &t[0]);
    const uint32_t *mask = lanes_integer(core, warp, inst, &isa->b, &t[1]);
    unsigned shift = 8u * isa->mod[ISA_MOD_BYTE];
    flags_of(&warp->stack->condition, flag);
    for (unsigned f = 0; f < FLAGS; f++)
        for (unsigned i = 0; i < EXEC_LANES; i++)
            if (active >> i & mask[i] >> f & 1)
                *flag[f] = (*flag[f] & ~(1u << i)) | (a[i] >> (shift + f) & 1) << i;
}
