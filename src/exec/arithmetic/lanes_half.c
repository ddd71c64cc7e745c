/* Packed half arithmetic: FP16 and BF16 pairs, FP32 results of a pair's lower lane. */
#include "exec/arithmetic/half_pair.h"

static void fill(struct pair *p, uint32_t bits)
{
    lanes_spread(&p->low, bits);
    lanes_spread(&p->high, bits);
}

static void zero_products(uint32_t *a, uint32_t *b)
{
    for (unsigned i = 0; i < EXEC_LANES; ++i) {
        bool zero = !(a[i] & 0x7fffffff) || !(b[i] & 0x7fffffff);
        a[i] = zero ? 0 : a[i];
        b[i] = zero ? 0 : b[i];
    }
}

/* .FTZ flushes a result that is denormal before it is rounded (measured, see lanes_float.h). A value rounded to odd is
 * below the least normal number exactly if the exact one is. */
static const double half_least = 0x1p-14, float_least = 0x1p-126;

/* A float holds FP16 products exactly, and BF16 products if they are normal or a factor is zero. */
static bool is_exact(bool bfloat, const struct lanes *a, const struct lanes *b)
{
    uint32_t inexact = 0;
    for (unsigned i = 0; bfloat && i < EXEC_LANES; ++i) {
        uint32_t p = float_bits(float_of(a->v[i]) * float_of(b->v[i])) & 0x7fffffff;
        uint32_t zero = (a->v[i] & 0x7fffffff) == 0 || (b->v[i] & 0x7fffffff) == 0 ? UINT32_MAX : 0;
        inexact |= (p - FLOAT_LEAST < FLOAT_INFINITY - FLOAT_LEAST ? 0 : UINT32_MAX) & ~zero;
    }
    return inexact == 0;
}

static void multiply_add_plain(uint32_t *r, bool flush, bool bfloat, const struct lanes *a, const struct lanes *b,
                               const struct lanes *c)
{
    struct lanes odd;
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        odd.v[i] = half_fma_odd(float_of(a->v[i]), float_of(b->v[i]), float_of(c->v[i]));
    if (!bfloat)
        half_row_from_float(r, odd.v);
    for (unsigned i = 0; bfloat && i < EXEC_LANES; ++i)
        r[i] = bf16_from_float(odd.v[i]);
    uint32_t least = bfloat ? FLOAT_LEAST : float_bits((float)half_least);
    for (unsigned i = 0; flush && i < EXEC_LANES; ++i)
        r[i] = (odd.v[i] & 0x7fffffff) < least ? r[i] & 0x8000 : r[i];
}

static void multiply_add(uint32_t *r, const struct half_op *how, unsigned out_format, const struct lanes *a,
                         const struct lanes *b, const struct lanes *c)
{
    bool flush = how->fmz != ISA_FMZ_NONE, floats = out_format == ISA_HALF_FORMAT_F32;
    bool halves = !floats && out_format != ISA_HALF_FORMAT_BF16_V2;
    if (how->plain && is_exact(!halves, a, b)) {
        multiply_add_plain(r, flush, !halves, a, b, c);
        return;
    }
    struct {
        double v[EXEC_LANES];
    } d;
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        d.v[i] = float_fma_odd(float_of(a->v[i]), float_of(b->v[i]), float_of(c->v[i]));
    for (unsigned i = 0; floats && i < EXEC_LANES; ++i)
        r[i] = float_canonical(float_bits((float)d.v[i]));
    for (unsigned i = 0; halves && i < EXEC_LANES; ++i)
        r[i] = half_from_double(d.v[i]);
    for (unsigned i = 0; !floats && !halves && i < EXEC_LANES; ++i)
        r[i] = bf16_from_double(d.v[i]);
    double least = halves ? half_least : float_least;
    uint32_t sign = floats ? FLOAT_SIGN : 0x8000;
    for (unsigned i = 0; flush && i < EXEC_LANES; ++i)
        r[i] = d.v[i] < least && -d.v[i] < least ? r[i] & sign : r[i];
}

/* Saturation and .RELU on 16-bit results; NaN saturates to 0 and passes .RELU. */
static void finish16(uint32_t *r, const struct isa_inst *isa, unsigned format)
{
    uint32_t exponent = format == ISA_HALF_FORMAT_BF16_V2 ? BF16_INFINITY : HALF_INFINITY;
    uint32_t one = format == ISA_HALF_FORMAT_BF16_V2 ? BF16_ONE : HALF_ONE;
    if (isa->mod[ISA_MOD_SAT]) {
        for (unsigned i = 0; i < EXEC_LANES; ++i) {
            uint32_t v = r[i] > exponent ? 0 : r[i]; /* negative or NaN */
            r[i] = v > one ? one : v;
        }
    }
    if (isa->mod[ISA_MOD_RELU]) {
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            r[i] = r[i] & 0x8000 ? 0 : r[i];
    }
}

static void finish32(uint32_t *r, const struct isa_inst *isa)
{
    if (isa->mod[ISA_MOD_SAT]) {
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            r[i] = float_saturate(r[i]);
    }
    if (isa->mod[ISA_MOD_RELU]) {
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            r[i] = r[i] & FLOAT_SIGN ? 0 : r[i];
    }
}

enum { OOB = ISA_FMZ_FTZ + 1 };

/* .OOB stands at packed halves only. */
static bool of_halves(const struct isa_inst *isa)
{
    return isa->mod[ISA_MOD_HALF_FORMAT] != ISA_HALF_FORMAT_F32 && isa->a.swizzle != ISA_HALVES_F32 &&
           isa->b.swizzle != ISA_HALVES_F32 && isa->c.swizzle != ISA_HALVES_F32;
}

static bool prepare(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, struct half_op *how)
{
    const struct isa_inst *isa = &inst->isa;
    unsigned out = isa->mod[ISA_MOD_HALF_FORMAT];
    how->format = out == ISA_HALF_FORMAT_BF16_V2 ? ISA_HALF_FORMAT_BF16_V2 : ISA_HALF_FORMAT_F16;
    how->fmz = isa->mod[ISA_MOD_FMZ] ? isa->mod[ISA_MOD_FMZ] : isa->mod[ISA_MOD_FTZ] ? ISA_FMZ_FTZ : ISA_FMZ_NONE;
    how->plain = out == ISA_HALF_FORMAT_F16 || out == ISA_HALF_FORMAT_BF16_V2;
    how->oob = how->fmz == OOB && (isa->op == ISA_OP_HFMA2 || isa->op == ISA_OP_HFMA2_MMA) && of_halves(isa);
    if (how->oob)
        how->fmz = ISA_FMZ_NONE;
    if (out > ISA_HALF_FORMAT_BF16_V2 || how->fmz > ISA_FMZ_FTZ || operand_has_predicate(isa->pp)) {
        exec_refuse(core, warp, inst, "the format, flush mode or predicate operand is not simulated");
        return false;
    }
    return true;
}

static void zero_outside(const uint32_t *factor, unsigned shift, struct lanes *a, struct lanes *b, struct lanes *c)
{
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        if ((factor[i] >> shift & 0x7fff) == HALF_OUTSIDE)
            a->v[i] = b->v[i] = c->v[i] = 0;
}

/* .OOB: a factor that is the NaN for elements outside a tensor, with either sign, makes its lane 0 * 0 + 0. PTX ISA,
 * fma: the result is +0. It says "either of the operands", by which it means the two factors. */
static void skip_outside(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                         const struct isa_operand *factor, struct pair *a, struct pair *b, struct pair *c)
{
    struct lanes t;
    unsigned low, high;
    const uint32_t *v = lanes_raw(core, warp, inst, factor, &t);
    half_places(factor, &low, &high);
    zero_outside(v, low, &a->low, &b->low, &c->low);
    zero_outside(v, high, &a->high, &b->high, &c->high);
}

static void compute(struct exec_warp *warp, const struct isa_inst *isa, uint32_t active, const struct half_op *how,
                    struct pair *a, struct pair *b, const struct pair *c)
{
    struct lanes low, high, r;
    unsigned out = isa->mod[ISA_MOD_HALF_FORMAT];
    if (how->fmz == ISA_FMZ_FMZ) {
        zero_products(a->low.v, b->low.v);
        zero_products(a->high.v, b->high.v);
    }
    multiply_add(low.v, how, out, &a->low, &b->low, &c->low);
    if (out == ISA_HALF_FORMAT_F32) {
        finish32(low.v, isa);
        lanes_write(warp, isa->d.index, active, low.v);
        return;
    }
    multiply_add(high.v, how, out, &a->high, &b->high, &c->high);
    finish16(low.v, isa, out);
    finish16(high.v, isa, out);
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        r.v[i] = low.v[i] | high.v[i] << 16;
    lanes_write(warp, isa->d.index, active, r.v);
}

/* a * 1 + b. The factor is exact. */
EXEC_OP(HADD2)
{
    struct half_op how;
    struct pair a, one, b;
    if (!prepare(core, warp, inst, &how))
        return;
    unpack(core, warp, inst, &inst->isa.a, &how, &a);
    unpack(core, warp, inst, operand_second(&inst->isa), &how, &b);
    fill(&one, FLOAT_ONE);
    if (how.fmz == ISA_FMZ_FMZ)
        how.fmz = ISA_FMZ_FTZ;
    compute(warp, &inst->isa, active, &how, &a, &one, &b);
}

/* a * b + -0, which keeps the sign of a zero product. */
EXEC_OP(HMUL2)
{
    struct half_op how;
    struct pair a, b, zero;
    if (!prepare(core, warp, inst, &how))
        return;
    unpack(core, warp, inst, &inst->isa.a, &how, &a);
    unpack(core, warp, inst, operand_second(&inst->isa), &how, &b);
    fill(&zero, FLOAT_SIGN);
    compute(warp, &inst->isa, active, &how, &a, &b, &zero);
}

static bool is_zero_register(const struct isa_operand *op) { return op->kind == ISA_REG && op->index == ISA_RZ; }

/* -RZ * RZ + constant: how the compiler writes a 32-bit move; every bit of the constant arrives. */
static bool is_constant_move(const struct isa_inst *isa)
{
    return is_zero_register(&isa->a) && is_zero_register(&isa->b) && isa->c.kind == ISA_IMM &&
           ((isa->a.flags ^ isa->b.flags) & ISA_NEG) && !isa->mod[ISA_MOD_HALF_FORMAT] && !isa->mod[ISA_MOD_FMZ] &&
           !isa->mod[ISA_MOD_FTZ] && !isa->mod[ISA_MOD_SAT] && !isa->mod[ISA_MOD_RELU];
}

static void hfma2(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active)
{
    struct half_op how;
    struct pair a, b, c;
    if (is_constant_move(&inst->isa)) {
        lanes_write(warp, inst->isa.d.index, active, lanes_spread(&a.low, inst->isa.c.value));
        return;
    }
    if (!prepare(core, warp, inst, &how))
        return;
    unpack(core, warp, inst, &inst->isa.a, &how, &a);
    unpack(core, warp, inst, &inst->isa.b, &how, &b);
    unpack(core, warp, inst, &inst->isa.c, &how, &c);
    if (how.oob) {
        skip_outside(core, warp, inst, &inst->isa.a, &a, &b, &c);
        skip_outside(core, warp, inst, &inst->isa.b, &a, &b, &c);
    }
    compute(warp, &inst->isa, active, &how, &a, &b, &c);
}

EXEC_OP(HFMA2) { hfma2(core, warp, inst, active); }

EXEC_OP(HFMA2_MMA) { hfma2(core, warp, inst, active); }
