/* Bitwise operations, shifts, byte permutation, selection, bit counts. */
#include "exec/arithmetic/lanes.h"

#include "exec/arithmetic/integer.h"

EXEC_OP(LOP3)
{
    const struct isa_inst *isa = &inst->isa;
    struct lanes t[3], r;
    const uint32_t *a = lanes_integer(core, warp, inst, &isa->a, &t[0]);
    const uint32_t *b = lanes_integer(core, warp, inst, &isa->b, &t[1]);
    const uint32_t *c = lanes_integer(core, warp, inst, &isa->c, &t[2]);
    unsigned lut = isa->mod[ISA_MOD_LUT];
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        r.v[i] = integer_lop3(a[i], b[i], c[i], lut);
    lanes_write(warp, isa->d.index, active, r.v);
    if (isa->pu.present && isa->pu.index != ISA_PT) {
        uint32_t nonzero = lanes_mask(r.v), source = operand_predicate(warp, isa->pp);
        exec_set_predicate(warp, isa->pu, active, isa->mod[ISA_MOD_PAND] ? nonzero & source : nonzero | source);
    }
}

/* Right shift of {.., fill, high, low} by 32 * word + bit for all lanes alike. */
static void shift_uniform(uint32_t *r, const uint32_t *low, const uint32_t *high, unsigned amount, bool right,
                          bool is_signed, bool upper)
{
    struct lanes fill;
    bool fills = right && is_signed;
    if (fills) {
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            fill.v[i] = (uint32_t)((int32_t)high[i] >> 31);
    }
    const uint32_t *beyond = fills ? fill.v : exec_zero_row;
    const uint32_t *word[7] = {exec_zero_row, exec_zero_row, low, high, beyond, beyond, beyond};
    unsigned from = 64 + (upper ? 32 : 0);
    from = right ? from + amount : from - amount;
    const uint32_t *x = word[from / 32], *y = word[from / 32 + 1];
    unsigned bit = from % 32;
    if (bit == 0) {
        memcpy(r, x, sizeof(struct lanes));
        return;
    }
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        r[i] = x[i] >> bit | y[i] << (32 - bit);
}

EXEC_OP(SHF)
{
    const struct isa_inst *isa = &inst->isa;
    if (isa->mod[ISA_MOD_CARRYLESS]) {
        exec_refuse(core, warp, inst, "the effect of .XOR is not known");
        return;
    }
    struct lanes t[3], r;
    const uint32_t *low = lanes_integer(core, warp, inst, &isa->a, &t[0]);
    const uint32_t *high = lanes_integer(core, warp, inst, &isa->c, &t[1]);
    unsigned type = isa->mod[ISA_MOD_SHF_TYPE];
    bool wrap = isa->mod[ISA_MOD_WRAP], right = isa->mod[ISA_MOD_RIGHT], upper = isa->mod[ISA_MOD_HI];
    bool is_signed = type == ISA_SHF_TYPE_S64 || type == ISA_SHF_TYPE_S32;
    const uint32_t *amount = lanes_integer(core, warp, inst, &isa->b, &t[2]);
    if (isa->b.kind != ISA_REG || isa->b.index == ISA_RZ) {
        shift_uniform(r.v, low, high, integer_shift_amount(amount[0], type, wrap), right, is_signed, upper);
    } else {
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            r.v[i] = integer_shf(low[i], integer_shift_amount(amount[i], type, wrap), high[i], right, is_signed, upper);
    }
    lanes_write(warp, isa->d.index, active, r.v);
}

/* Each nibble of the selector names a byte of {c:a}. Its top bit asks for that byte's sign instead. */
static void permute_uniform(uint32_t *r, const uint32_t *a, const uint32_t *c, unsigned selector)
{
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        r[i] = 0;
    for (unsigned k = 0; k < 4; ++k) {
        unsigned n = selector >> 4 * k & 15, from = 8 * (n & 3), to = 8 * k;
        const uint32_t *source = n & 4 ? c : a;
        if (n & 8) {
            for (unsigned i = 0; i < EXEC_LANES; ++i)
                r[i] |= (source[i] >> from & 0x80 ? 0xffu : 0) << to;
        } else {
            for (unsigned i = 0; i < EXEC_LANES; ++i)
                r[i] |= (source[i] >> from & 0xff) << to;
        }
    }
}

/* The same with a selector per lane. Each lane reads both sources, so that the loop becomes a vector. */
static void permute_each(uint32_t *r, const uint32_t *a, const uint32_t *c, const uint32_t *selector)
{
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        r[i] = 0;
    for (unsigned k = 0; k < 4; ++k) {
        for (unsigned i = 0; i < EXEC_LANES; ++i) {
            uint32_t n = selector[i] >> 4 * k, byte = (n & 4 ? c[i] : a[i]) >> 8 * (n & 3) & 0xff;
            uint32_t sign = byte & 0x80 ? 0xff : 0;
            r[i] |= (n & 8 ? sign : byte) << 8 * k;
        }
    }
}

EXEC_OP(PRMT)
{
    const struct isa_inst *isa = &inst->isa;
    unsigned mode = isa->mod[ISA_MOD_MODE];
    if (mode >= PRMT_MODES) {
        exec_refuse(core, warp, inst, "permutation mode 7 is not defined");
        return;
    }
    struct lanes t[3], r;
    const uint32_t *a = lanes_integer(core, warp, inst, &isa->a, &t[0]);
    const uint32_t *selector = lanes_integer(core, warp, inst, &isa->b, &t[1]);
    const uint32_t *c = lanes_integer(core, warp, inst, &isa->c, &t[2]);
    if (isa->b.kind != ISA_REG || isa->b.index == ISA_RZ) {
        permute_uniform(r.v, a, c, integer_prmt_selector(selector[0], mode));
    } else {
        for (unsigned i = 0; mode != ISA_PRMT_MODE_INDEX && i < EXEC_LANES; ++i)
            t[1].v[i] = integer_prmt_selector(selector[i], mode);
        permute_each(r.v, a, c, mode == ISA_PRMT_MODE_INDEX ? selector : t[1].v);
    }
    lanes_write(warp, isa->d.index, active, r.v);
}

EXEC_OP(SEL)
{
    const struct isa_inst *isa = &inst->isa;
    struct lanes t[2], r;
    const uint32_t *a = lanes_integer(core, warp, inst, &isa->a, &t[0]);
    const uint32_t *b = lanes_integer(core, warp, inst, operand_second(isa), &t[1]);
    uint32_t take = operand_predicate(warp, isa->pp);
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        r.v[i] = take & lanes_bit.v[i] ? a[i] : b[i];
    if (!isa->mod[ISA_MOD_WIDE64]) {
        lanes_write(warp, isa->d.index, active, r.v);
        return;
    }
    struct lanes high;
    a = lanes_word(core, warp, inst, &isa->a, 1, &t[0]);
    b = lanes_word(core, warp, inst, operand_second(isa), 1, &t[1]);
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        high.v[i] = take & lanes_bit.v[i] ? a[i] : b[i];
    lanes_write_pair(warp, isa->d.index, active, &r, &high);
}

/* The four-bit mask of MOV selects lanes in a pixel quad. */
EXEC_OP(MOV)
{
    const struct isa_inst *isa = &inst->isa;
    const struct isa_operand *op = operand_only(isa);
    uint32_t lanes = active & 0x11111111u * isa->mod[ISA_MOD_MASK];
    struct lanes t, low, high;
    const uint32_t *v = lanes_integer(core, warp, inst, op, &t);
    if (!isa->mod[ISA_MOD_WIDE64]) {
        lanes_write(warp, isa->d.index, lanes, v);
        return;
    }
    memcpy(low.v, v, sizeof low);
    memcpy(high.v, lanes_word(core, warp, inst, op, 1, &t), sizeof high);
    lanes_write_pair(warp, isa->d.index, lanes, &low, &high);
}

/* A uniform register is put by in a register. R2UR.FILL takes it back. */
EXEC_OP(MOV_SPILL)
{
    struct lanes t;
    lanes_write(warp, inst->isa.d.index, active, lanes_integer(core, warp, inst, operand_only(&inst->isa), &t));
}

EXEC_OP(SGXT)
{
    const struct isa_inst *isa = &inst->isa;
    struct lanes t[2], r;
    const uint32_t *a = lanes_integer(core, warp, inst, &isa->a, &t[0]);
    const uint32_t *bits = lanes_integer(core, warp, inst, operand_second(isa), &t[1]);
    bool is_signed = isa->mod[ISA_MOD_SIGNED], wrap = isa->mod[ISA_MOD_WRAP];
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        r.v[i] = integer_sgxt(a[i], bits[i], is_signed, wrap);
    lanes_write(warp, isa->d.index, active, r.v);
}

EXEC_OP(BMSK)
{
    const struct isa_inst *isa = &inst->isa;
    struct lanes t[2], r;
    const uint32_t *from = lanes_integer(core, warp, inst, &isa->a, &t[0]);
    const uint32_t *bits = lanes_integer(core, warp, inst, operand_second(isa), &t[1]);
    bool wrap = isa->mod[ISA_MOD_WRAP];
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        r.v[i] = integer_bmsk(from[i], bits[i], wrap);
    lanes_write(warp, isa->d.index, active, r.v);
}

EXEC_OP(POPC)
{
    struct lanes t, r;
    const uint32_t *v = lanes_integer(core, warp, inst, operand_only(&inst->isa), &t);
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        r.v[i] = integer_popc(v[i]);
    lanes_write(warp, inst->isa.d.index, active, r.v);
}

EXEC_OP(FLO)
{
    const struct isa_inst *isa = &inst->isa;
    struct lanes t, r;
    const uint32_t *v = lanes_integer(core, warp, inst, operand_only(isa), &t);
    bool is_signed = isa->mod[ISA_MOD_SIGNED], as_shift = isa->mod[ISA_MOD_NEGATE_COUNT];
    uint32_t found = 0;
    for (unsigned i = 0; i < EXEC_LANES; ++i) {
        r.v[i] = integer_flo(v[i], is_signed, as_shift);
        found |= (uint32_t)(r.v[i] != UINT32_MAX) << i;
    }
    lanes_write(warp, isa->d.index, active, r.v);
    exec_set_predicate(warp, isa->pu, active, found);
}

EXEC_OP(BREV)
{
    struct lanes t, r;
    const uint32_t *v = lanes_integer(core, warp, inst, operand_only(&inst->isa), &t);
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        r.v[i] = integer_brev(v[i]);
    lanes_write(warp, inst->isa.d.index, active, r.v);
}
