/* Operands of packed half instructions as two rows of floats. */
#ifndef SUBCORE_EXEC_HALF_PAIR_H
#define SUBCORE_EXEC_HALF_PAIR_H

#include "exec/arithmetic/half.h"
#include "exec/arithmetic/lanes.h"

/* An operand's two lanes as floats. */
struct pair {
    struct lanes low, high;
};

struct half_op {
    unsigned format; /* of the operands: F16 or BF16 */
    unsigned fmz;
    bool plain; /* halves in, halves out: nearly all products and odd sums fit floats */
    bool oob;   /* a factor from outside of a tensor makes the result +0 */
};

/* Where the two lanes of a packed operand stand in its word. */
static void half_places(const struct isa_operand *op, unsigned *low, unsigned *high)
{
    unsigned swizzle = op->kind == ISA_IMM ? ISA_HALVES_H1_H0 : op->swizzle;
    *low = swizzle == ISA_HALVES_H1_H1 || swizzle == ISA_HALVES_H0_NH1 ? 16 : 0;
    *high = swizzle == ISA_HALVES_H0_H0 || swizzle == ISA_HALVES_H0_NH1 ? 0 : 16;
}

static void unpack_half(uint32_t *r, const uint32_t *v, unsigned shift, const struct isa_operand *op, bool negate,
                        bool flush)
{
    uint32_t keep = op->flags & ISA_ABS ? 0x7fff : 0xffff;
    uint32_t flip = ((op->flags & ISA_NEG) != 0) != negate ? 0x8000 : 0;
    struct lanes h;
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        h.v[i] = (v[i] >> shift & keep) ^ flip;
    if (flush) {
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            h.v[i] = h.v[i] & HALF_INFINITY ? h.v[i] : h.v[i] & 0x8000;
    }
    half_row_to_float(r, h.v);
}

static void unpack_bf16(uint32_t *r, const uint32_t *v, unsigned shift, const struct isa_operand *op, bool negate,
                        bool flush)
{
    uint32_t keep = op->flags & ISA_ABS ? 0x7fff : 0xffff;
    uint32_t flip = ((op->flags & ISA_NEG) != 0) != negate ? 0x8000 : 0;
    for (unsigned i = 0; i < EXEC_LANES; ++i) {
        uint32_t f = bf16_to_float((v[i] >> shift & keep) ^ flip);
        r[i] = flush ? float_flush(f) : f;
    }
}

static __attribute__((unused)) void unpack(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                                           const struct isa_operand *op, struct half_op *how, struct pair *out)
{
    struct lanes t;
    if (op->kind != ISA_IMM && op->swizzle == ISA_HALVES_F32) {
        const uint32_t *v = lanes_float(core, warp, inst, op, &t);
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            out->low.v[i] = out->high.v[i] = how->fmz != ISA_FMZ_NONE ? float_flush(v[i]) : v[i];
        how->plain = false;
        return;
    }
    const uint32_t *v = lanes_raw(core, warp, inst, op, &t);
    unsigned low, high;
    half_places(op, &low, &high);
    bool negate_low = op->kind != ISA_IMM && op->swizzle == ISA_HALVES_H0_NH1, flush = how->fmz != ISA_FMZ_NONE;
    if (how->format == ISA_HALF_FORMAT_BF16_V2) {
        unpack_bf16(out->low.v, v, low, op, negate_low, flush);
        unpack_bf16(out->high.v, v, high, op, false, flush);
    } else {
        unpack_half(out->low.v, v, low, op, negate_low, flush);
        unpack_half(out->high.v, v, high, op, false, flush);
    }
}

#endif
