/* MUFU. The hardware interpolates in tables that are not public. Each function here is the exact value rounded to
 * nearest (RCP, SQRT exactly so, the others up to the error of the C library in double). PTX ISA bounds the hardware's
 * distance from it: RCP 1 ulp, RSQ 2^-22.9, SQRT 2^-23, EX2 2^-22, LG2 2^-22 (absolute between 0.5 and 2), SIN and COS
 * 2^-20.5 absolute on [-pi, pi], TANH 2^-11, RCP64H and RSQ64H 2^-23 (PTX ISA, rcp.approx.ftz.f64: here 2^-21, the
 * upper word of the rounded value); of halves ex2.approx.f16 2^-9.9, ex2.approx.ftz.bf16 2^-7, tanh.approx.f16
 * 2^-10.987, tanh.approx.bf16 2^-8. Denormal floats and doubles are flushed on the way in and out. */
#include <math.h>

#include "exec/arithmetic/format.h"
#include "exec/arithmetic/half.h"
#include "exec/executors.h"

/* sin(2 pi x), exact at the multiples of a quarter. */
static double sine_of_revolutions(double x)
{
    double turn = x - rint(x); /* -0.5 .. 0.5, exact; NaN for infinities */
    double quarter = rint(4 * turn), rest = turn - quarter / 4;
    double angle = 6.283185307179586476925286766559 * rest;
    if (isnan(turn))
        return turn;
    switch ((int)quarter & 3) {
    case 0: return sin(angle);
    case 1: return cos(angle);
    case 2: return -sin(angle);
    default: return -cos(angle);
    }
}

static double cosine_of_revolutions(double x) { return sine_of_revolutions(x - rint(x) + 0.25); }

static double function_of(unsigned function, double x)
{
    double r;
    switch (function) {
    case ISA_MUFU_COS: r = cosine_of_revolutions(x); break;
    case ISA_MUFU_SIN: r = x == 0 ? x : sine_of_revolutions(x); break;
    case ISA_MUFU_EX2: r = exp2(x); break;
    case ISA_MUFU_LG2: r = log2(x); break;
    case ISA_MUFU_RCP: r = 1 / x; break;
    case ISA_MUFU_RSQ: r = x == 0 ? 1 / x : 1 / sqrt(x); break;
    case ISA_MUFU_SQRT: r = sqrt(x); break;
    default: r = tanh(x); break;
    }
    return r;
}

static uint32_t function32(unsigned function, uint32_t bits)
{
    double x = (double)float_of(float_flush(bits));
    return float_flush(float_canonical(float_bits((float)function_of(function, x))));
}

/* One half to the lower half of the result. Denormals count, except that EX2 of BF16 flushes them (PTX ISA, ex2). */
static uint32_t function16(unsigned function, unsigned type, uint32_t half)
{
    bool bfloat = type == ISA_MUFU_TYPE_BF16, flush = bfloat && function == ISA_MUFU_EX2;
    uint32_t bits = bfloat ? bf16_to_float(half) : half_to_float(half);
    double r = function_of(function, (double)float_of(flush ? float_flush(bits) : bits));
    const struct format *format = format_of(bfloat ? FORMAT_BF16 : FORMAT_F16);
    uint32_t v = format_from_double(format, double_bits(r), ROUND_NEAREST, false);
    return flush && !(v & BF16_INFINITY) ? v & 0x8000 : v;
}

/* The upper word of a double, whose lower word counts as 0, to the upper word of the result. */
static uint32_t function64(unsigned function, uint32_t upper)
{
    enum { EXPONENT = 0x7ff00000 };
    if (!(upper & EXPONENT))
        upper &= FLOAT_SIGN;
    double x = double_of((uint64_t)upper << 32);
    double r = function == ISA_MUFU_RCP64H ? 1 / x : x == 0 ? 1 / x : 1 / sqrt(x);
    if (isnan(r))
        return FLOAT_NAN;
    uint32_t rounded = (uint32_t)((double_bits(r) + UINT64_C(0x80000000)) >> 32);
    return rounded & EXPONENT ? rounded : rounded & FLOAT_SIGN;
}

/* Both halves of a register, on sm_103. The numbers of DST_TYPE follow those for single values. */
enum { F16_PAIR = ISA_MUFU_TYPE_BF16 + 1, BF16_PAIR };

static void pairs(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active)
{
    const struct isa_inst *isa = &inst->isa;
    const struct isa_operand *op = operand_only(isa);
    unsigned type = isa->mod[ISA_MOD_DST_TYPE] == F16_PAIR ? ISA_MUFU_TYPE_F16 : ISA_MUFU_TYPE_BF16;
    unsigned function = isa->mod[ISA_MOD_FUNCTION];
    bool is_register = op->kind == ISA_REG && op->index != ISA_RZ;
    uint32_t common = op->kind == ISA_REG ? 0 : operand_word(core, warp, inst, op, 0);
    for (unsigned i = 0; i < EXEC_LANES && isa->d.index != ISA_RZ; ++i) {
        uint32_t v = is_register ? warp->reg[op->index][i] : common;
        if (active >> i & 1)
            warp->reg[isa->d.index][i] = function16(function, type, v & 0xffff) | function16(function, type, v >> 16)
                                                                                      << 16;
    }
}

void exec_MUFU(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst, uint32_t active,
               struct issued *out)
{
    (void)out;
    const struct isa_inst *isa = &inst->isa;
    const struct isa_operand *op = operand_only(isa);
    unsigned function = isa->mod[ISA_MOD_FUNCTION], type = isa->mod[ISA_MOD_DST_TYPE];
    bool wide = function == ISA_MUFU_RCP64H || function == ISA_MUFU_RSQ64H;
    if (function <= ISA_MUFU_TANH && !wide && (type == F16_PAIR || type == BF16_PAIR)) {
        pairs(core, warp, inst, active);
        return;
    }
    if (function > ISA_MUFU_TANH || type > ISA_MUFU_TYPE_BF16 || (type != ISA_MUFU_TYPE_F32 && wide)) {
        exec_refuse(core, warp, inst, "the function or its type is not defined");
        return;
    }
    bool is_register = op->kind == ISA_REG && op->index != ISA_RZ;
    uint32_t common = op->kind == ISA_REG ? 0 : operand_word(core, warp, inst, op, 0);
    unsigned shift = type == ISA_MUFU_TYPE_F32 ? 0 : 16u * op->swizzle;
    uint32_t sign = type == ISA_MUFU_TYPE_F32 ? FLOAT_SIGN : 0x8000, whole = sign | (sign - 1);
    uint32_t keep = op->flags & ISA_ABS ? sign - 1 : whole, flip = op->flags & ISA_NEG ? sign : 0;
    if (isa->d.index == ISA_RZ)
        return;
    for (unsigned i = 0; i < EXEC_LANES; ++i) {
        if (!(active >> i & 1))
            continue;
        uint32_t v = ((is_register ? warp->reg[op->index][i] : common) >> shift & keep) ^ flip;
        warp->reg[isa->d.index][i] = wide                        ? function64(function, v)
                                     : type == ISA_MUFU_TYPE_F32 ? function32(function, v)
                                                                 : function16(function, type, v);
    }
}
