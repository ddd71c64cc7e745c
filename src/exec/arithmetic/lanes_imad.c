/* Integer multiply-add. */
#include "exec/arithmetic/lanes.h"

/* The 64-bit addend of IMAD.WIDE and IMAD.HI, as two rows. -c enters the sum as ~c + 1 in 65 bits. */
struct wide {
    const uint32_t *low, *high;
    uint32_t one;
};

static struct wide wide_addend(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                               struct lanes t[2])
{
    const struct isa_operand *op = &inst->isa.c;
    struct wide c = {lanes_raw(core, warp, inst, op, &t[0]), NULL, 0};
    bool negative = op->kind == ISA_IMM && inst->isa.mod[ISA_MOD_SIGNED] && op->value >> 31;
    c.high = op->kind == ISA_IMM ? lanes_spread(&t[1], negative ? UINT32_MAX : 0)
                                 : lanes_word(core, warp, inst, op, 1, &t[1]);
    if (op->flags & (ISA_NEG | ISA_INV)) {
        for (unsigned i = 0; i < EXEC_LANES; ++i) {
            t[0].v[i] = ~c.low[i];
            t[1].v[i] = ~c.high[i];
        }
        c = (struct wide){t[0].v, t[1].v, op->flags & ISA_NEG ? 1 : 0};
    }
    return c;
}

static void multiply_wide(struct lanes *low, struct lanes *high, const uint32_t *a, const uint32_t *b, struct wide c,
                          bool is_signed)
{
    if (is_signed) {
        for (unsigned i = 0; i < EXEC_LANES; ++i) {
            uint64_t p = (uint64_t)((int64_t)(int32_t)a[i] * (int32_t)b[i]);
            uint64_t s = p + ((uint64_t)c.high[i] << 32 | c.low[i]);
            low->v[i] = (uint32_t)s;
            high->v[i] = (uint32_t)(s >> 32);
        }
    } else {
        for (unsigned i = 0; i < EXEC_LANES; ++i) {
            uint64_t s = (uint64_t)a[i] * b[i] + ((uint64_t)c.high[i] << 32 | c.low[i]);
            low->v[i] = (uint32_t)s;
            high->v[i] = (uint32_t)(s >> 32);
        }
    }
}

/* As multiply_wide, with a carry in. Returns the lanes with a carry out of the 64-bit sum. */
static uint32_t multiply_carry(struct lanes *low, struct lanes *high, const uint32_t *a, const uint32_t *b,
                               struct wide c, bool is_signed, uint32_t carry)
{
    uint32_t out = 0;
    for (unsigned i = 0; i < EXEC_LANES; ++i) {
        uint64_t p = is_signed ? (uint64_t)((int64_t)(int32_t)a[i] * (int32_t)b[i]) : (uint64_t)a[i] * b[i];
        uint64_t s1 = p + ((uint64_t)c.high[i] << 32 | c.low[i]), s2 = s1 + c.one + (carry >> i & 1);
        low->v[i] = (uint32_t)s2;
        high->v[i] = (uint32_t)(s2 >> 32);
        out |= (uint32_t)(s1 < p || s2 < s1) << i;
    }
    return out;
}

static void imad_low(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
                     uint32_t carry)
{
    const struct isa_inst *isa = &inst->isa;
    struct lanes t[3], r;
    const uint32_t *a = lanes_integer(core, warp, inst, &isa->a, &t[0]);
    const uint32_t *b = lanes_integer(core, warp, inst, &isa->b, &t[1]);
    const uint32_t *c = lanes_integer(core, warp, inst, &isa->c, &t[2]);
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        r.v[i] = a[i] * b[i] + c[i];
    if (carry) {
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            r.v[i] += carry & lanes_bit.v[i] ? 1 : 0;
    }
    lanes_write(warp, isa->d.index, active, r.v);
}

EXEC_OP(IMAD)
{
    const struct isa_inst *isa = &inst->isa;
    uint32_t carry = isa->mod[ISA_MOD_EXTENDED] ? operand_carry(warp, isa->pp) : 0;
    bool wide = isa->mod[ISA_MOD_WIDE];
    if (!wide && !isa->mod[ISA_MOD_HI]) {
        imad_low(core, warp, inst, active, carry);
        return;
    }
    struct lanes t[2], tc[2], low, high;
    const uint32_t *a = lanes_integer(core, warp, inst, &isa->a, &t[0]);
    const uint32_t *b = lanes_integer(core, warp, inst, &isa->b, &t[1]);
    struct wide c = wide_addend(core, warp, inst, tc);
    bool is_signed = isa->mod[ISA_MOD_SIGNED];
    if (!carry && !c.one && (!isa->pu.present || isa->pu.index == ISA_PT)) {
        multiply_wide(&low, &high, a, b, c, is_signed);
    } else {
        uint32_t out_carry = multiply_carry(&low, &high, a, b, c, is_signed, carry);
        exec_set_predicate(warp, isa->pu, active, out_carry);
    }
    if (wide && isa->d.index != ISA_RZ) {
        lanes_write(warp, isa->d.index, active, low.v);
        lanes_write(warp, isa->d.index + 1u, active, high.v);
    } else {
        lanes_write(warp, isa->d.index, active, high.v);
    }
}
