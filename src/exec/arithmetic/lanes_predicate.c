/* Comparisons into predicates, and predicates to and from registers. */
#include "exec/arithmetic/lanes.h"

#include "exec/arithmetic/float32.h"
#include "exec/arithmetic/integer.h"

static uint32_t combine(unsigned bop, uint32_t value, uint32_t source)
{
    return bop == ISA_BOP_AND ? value & source : bop == ISA_BOP_OR ? value | source : value ^ source;
}

static void compared(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                     uint32_t outcome)
{
    const struct isa_inst *isa = &inst->isa;
    unsigned bop = isa->mod[ISA_MOD_BOP];
    if (bop > ISA_BOP_XOR) {
        exec_refuse(core, warp, inst, "the predicate combination is not defined");
        return;
    }
    uint32_t source = operand_predicate(warp, isa->pp);
    exec_set_predicate(warp, isa->pu, active, combine(bop, outcome, source));
    exec_set_predicate(warp, isa->pv, active, combine(bop, ~outcome, source));
}

static uint32_t mask_less(const uint32_t *a, const uint32_t *b, bool is_signed)
{
    uint32_t mask = 0;
    if (is_signed) {
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            mask |= (int32_t)a[i] < (int32_t)b[i] ? lanes_bit.v[i] : 0;
    } else {
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            mask |= a[i] < b[i] ? lanes_bit.v[i] : 0;
    }
    return mask;
}

static uint32_t mask_equal(const uint32_t *a, const uint32_t *b)
{
    uint32_t mask = 0;
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        mask |= a[i] == b[i] ? lanes_bit.v[i] : 0;
    return mask;
}

/* ISETP's code from the lanes where the first source is less and where both are equal. */
static uint32_t outcome_of(unsigned cmp, uint32_t less, uint32_t equal)
{
    return (cmp & 1 ? less : 0) | (cmp & 2 ? equal : 0) | (cmp & 4 ? ~(less | equal) : 0);
}

static uint32_t integer_mask(unsigned cmp, const uint32_t *a, const uint32_t *b, bool is_signed)
{
    switch (cmp) {
    case ISA_CMP_LT: return mask_less(a, b, is_signed);
    case ISA_CMP_EQ: return mask_equal(a, b);
    case ISA_CMP_LE: return ~mask_less(b, a, is_signed);
    case ISA_CMP_GT: return mask_less(b, a, is_signed);
    case ISA_CMP_NE: return ~mask_equal(a, b);
    case ISA_CMP_GE: return ~mask_less(a, b, is_signed);
    default: return cmp == ISA_CMP_F ? 0 : UINT32_MAX;
    }
}

EXEC_OP(ISETP)
{
    const struct isa_inst *isa = &inst->isa;
    unsigned cmp = isa->mod[ISA_MOD_CMP];
    uint32_t outcome, equal;
    if (isa->mod[ISA_MOD_WIDE64]) {
        uint32_t less;
        lanes_compare_pairs(core, warp, inst, &less, &equal);
        outcome = outcome_of(cmp, less, equal);
    } else {
        struct lanes t[2];
        const uint32_t *a = lanes_integer(core, warp, inst, &isa->a, &t[0]);
        const uint32_t *b = lanes_integer(core, warp, inst, operand_second(isa), &t[1]);
        outcome = integer_mask(cmp, a, b, isa->mod[ISA_MOD_SIGNED]);
        equal = isa->mod[ISA_MOD_EX] ? mask_equal(a, b) : 0;
    }
    if (isa->mod[ISA_MOD_EX]) {
        uint32_t low = operand_predicate(warp, isa->pr.present ? isa->pr : isa->pq);
        outcome = (equal & low) | (~equal & outcome);
    }
    compared(core, warp, inst, active, outcome);
}

/* Bits of the code: 1 less, 2 equal, 4 greater, 8 unordered. */
static uint32_t float_mask(unsigned cmp, const uint32_t *a, const uint32_t *b)
{
    if (cmp & 8)
        return ~float_mask(15 - cmp, a, b);
    uint32_t mask = 0;
    switch (cmp) {
    case 1:
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            mask |= float_of(a[i]) < float_of(b[i]) ? lanes_bit.v[i] : 0;
        return mask;
    case 2:
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            mask |= float_of(a[i]) == float_of(b[i]) ? lanes_bit.v[i] : 0;
        return mask;
    case 3:
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            mask |= float_of(a[i]) <= float_of(b[i]) ? lanes_bit.v[i] : 0;
        return mask;
    case 4:
    case 6: return float_mask(cmp == 4 ? 1 : 3, b, a);
    case 5: return float_mask(1, a, b) | float_mask(1, b, a);
    case 7:
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            mask |= float_is_nan(a[i]) || float_is_nan(b[i]) ? 0 : lanes_bit.v[i];
        return mask;
    default: return 0;
    }
}

EXEC_OP(FSETP)
{
    const struct isa_inst *isa = &inst->isa;
    struct lanes t[2], flushed[2];
    const uint32_t *a = lanes_float(core, warp, inst, &isa->a, &t[0]);
    const uint32_t *b = lanes_float(core, warp, inst, operand_second(isa), &t[1]);
    if (isa->mod[ISA_MOD_FTZ]) {
        for (unsigned i = 0; i < EXEC_LANES; ++i) {
            flushed[0].v[i] = float_flush(a[i]);
            flushed[1].v[i] = float_flush(b[i]);
        }
        a = flushed[0].v;
        b = flushed[1].v;
    }
    compared(core, warp, inst, active, float_mask(isa->mod[ISA_MOD_CMP] & 15, a, b));
}

/* P0..P6 as bits 0..6. The byte selector places them in the register. */
enum { PREDICATES = 7, PREDICATE_BITS = 0x7f };

static unsigned byte_shift(const struct isa_inst *isa) { return 8u * (isa->mod[ISA_MOD_BYTE] & 3); }

EXEC_OP(P2R)
{
    const struct isa_inst *isa = &inst->isa;
    struct lanes t[2], r;
    const uint32_t *a = lanes_integer(core, warp, inst, &isa->a, &t[0]);
    const uint32_t *mask = lanes_integer(core, warp, inst, operand_second(isa), &t[1]);
    unsigned shift = byte_shift(isa);
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        r.v[i] = 0;
    for (unsigned p = 0; p < PREDICATES; ++p) {
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            r.v[i] |= warp->pred[p] & lanes_bit.v[i] ? 1u << p : 0;
    }
    for (unsigned i = 0; i < EXEC_LANES; ++i) {
        uint32_t m = mask[i] & PREDICATE_BITS;
        r.v[i] = (a[i] & ~(m << shift)) | (r.v[i] & m) << shift;
    }
    lanes_write(warp, isa->d.index, active, r.v);
}

EXEC_OP(R2P)
{
    const struct isa_inst *isa = &inst->isa;
    struct lanes t[2];
    const uint32_t *a = lanes_integer(core, warp, inst, &isa->a, &t[0]);
    const uint32_t *mask = lanes_integer(core, warp, inst, operand_second(isa), &t[1]);
    unsigned shift = byte_shift(isa);
    for (unsigned p = 0; p < PREDICATES; ++p) {
        uint32_t set = 0, value = 0;
        for (unsigned i = 0; i < EXEC_LANES; ++i) {
            set |= mask[i] >> p & 1 ? lanes_bit.v[i] : 0;
            value |= a[i] >> (shift + p) & 1 ? lanes_bit.v[i] : 0;
        }
        set &= active;
        warp->pred[p] = (warp->pred[p] & ~set) | (value & set);
    }
}
