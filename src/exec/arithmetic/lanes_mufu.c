/* MUFU. The hardware interpolates in tables that are not public. Each function here is the exact value rounded to
 * nearest (RCP, SQRT exactly so, EX2 by a sum, the others up to the error of the C library in double). PTX ISA bounds the hardware's
 * distance from it: RCP 1 ulp, RSQ 2^-22.9, SQRT 2^-23, EX2 2^-22, LG2 2^-22 (absolute between 0.5 and 2), SIN and COS
 * 2^-20.5 absolute on [-pi, pi], TANH 2^-11, RCP64H and RSQ64H 2^-23 (PTX ISA, rcp.approx.ftz.f64: here 2^-21, the
 * upper word of the rounded value); of halves ex2.approx.f16 2^-9.9, ex2.approx.ftz.bf16 2^-7, tanh.approx.f16
 * 2^-10.987, tanh.approx.bf16 2^-8. Denormal floats and doubles are flushed on the way in and out. */
#include <math.h>

#include "exec/arithmetic/half.h"
#include "exec/arithmetic/lanes_double.h"

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

/* 2^x, for all hosts and C libraries alike: the sum of f^n log(2)^n / n!, where f is the distance of x from the nearest
 * whole number k, times 2^k. 1.5 * 2^52 moves k to the lowest bits of a double. The float that it rounds to is that of
 * the C library for each float x. */
static inline double power_of_two(double x)
{
    static const double far = 160, moves = 0x1.8p52; /* far: beyond all floats, within doubles */
    enum { BIAS = 1023, FRACTION = 52 };
    x = x < -far ? -far : x;
    x = x > far ? far : x;
    double k = x + moves, f = x - (k - moves);
    double sum = 0x1.816193166d0f9p-40;
    sum = sum * f + 0x1.c3bd650fc2986p-36;
    sum = sum * f + 0x1.e8cac7351bb25p-32;
    sum = sum * f + 0x1.e4cf5158b8ecap-28;
    sum = sum * f + 0x1.b5253d395e7c4p-24;
    sum = sum * f + 0x1.62c0223a5c824p-20;
    sum = sum * f + 0x1.ffcbfc588b0c7p-17;
    sum = sum * f + 0x1.430912f86c787p-13;
    sum = sum * f + 0x1.5d87fe78a6731p-10;
    sum = sum * f + 0x1.3b2ab6fba4e77p-7;
    sum = sum * f + 0x1.c6b08d704a0c0p-5;
    sum = sum * f + 0x1.ebfbdff82c58fp-3;
    sum = sum * f + 0x1.62e42fefa39efp-1;
    sum = sum * f + 1;
    return sum * double_of((double_bits(k) + BIAS) << FRACTION);
}

static double function_of(unsigned function, double x)
{
    double r;
    switch (function) {
    case ISA_MUFU_COS: r = cosine_of_revolutions(x); break;
    case ISA_MUFU_SIN: r = x == 0 ? x : sine_of_revolutions(x); break;
    case ISA_MUFU_EX2: r = power_of_two(x); break;
    case ISA_MUFU_LG2: r = log2(x); break;
    case ISA_MUFU_RCP: r = 1 / x; break;
    case ISA_MUFU_RSQ: r = 1 / sqrt(x); break;
    case ISA_MUFU_SQRT: r = sqrt(x); break;
    default: r = tanh(x); break;
    }
    return r;
}

struct numbers {
    _Alignas(64) double v[EXEC_LANES];
};

/* The function of a row, at least of the active lanes. The loops with known functions become vectors. */
static void apply(unsigned function, uint32_t active, struct numbers *x)
{
    if (function == ISA_MUFU_EX2) {
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            x->v[i] = power_of_two(x->v[i]);
    } else if (function == ISA_MUFU_RCP) {
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            x->v[i] = 1 / x->v[i];
    } else if (function == ISA_MUFU_RSQ) {
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            x->v[i] = 1 / sqrt(x->v[i]);
    } else if (function == ISA_MUFU_SQRT) {
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            x->v[i] = sqrt(x->v[i]);
    } else {
        for (uint32_t left = active; left; left &= left - 1)
            x->v[lowest_bit32(left)] = function_of(function, x->v[lowest_bit32(left)]);
    }
}

static void function32(unsigned function, uint32_t active, uint32_t *r, const uint32_t *v)
{
    struct numbers x;
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        x.v[i] = (double)float_of(float_flush(v[i]));
    apply(function, active, &x);
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        r[i] = float_bits((float)x.v[i]);
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        r[i] = float_flush(float_canonical(r[i]));
}

/* Halves to the lower half of the result. Denormals count, except that EX2 of BF16 flushes them (PTX ISA, ex2). */
static void function16(unsigned function, unsigned type, uint32_t active, uint32_t *r, const uint32_t *v)
{
    bool bfloat = type == ISA_MUFU_TYPE_BF16, flush = bfloat && function == ISA_MUFU_EX2;
    struct numbers x;
    for (unsigned i = 0; i < EXEC_LANES; ++i) {
        uint32_t bits = bfloat ? bf16_to_float(v[i]) : half_to_float(v[i]);
        x.v[i] = (double)float_of(flush ? float_flush(bits) : bits);
    }
    apply(function, active, &x);
    for (unsigned i = 0; i < EXEC_LANES; ++i) {
        uint32_t h = bfloat ? bf16_from_double(x.v[i]) : half_from_double(x.v[i]);
        r[i] = flush && !(h & BF16_INFINITY) ? h & 0x8000 : h;
    }
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
    struct lanes t, low, high;
    const uint32_t *v = lanes_raw(core, warp, inst, operand_only(isa), &t);
    unsigned type = isa->mod[ISA_MOD_DST_TYPE] == F16_PAIR ? ISA_MUFU_TYPE_F16 : ISA_MUFU_TYPE_BF16;
    unsigned function = isa->mod[ISA_MOD_FUNCTION];
    for (unsigned i = 0; i < EXEC_LANES; ++i) {
        low.v[i] = v[i] & 0xffff;
        high.v[i] = v[i] >> 16;
    }
    function16(function, type, active, low.v, low.v);
    function16(function, type, active, high.v, high.v);
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        low.v[i] |= high.v[i] << 16;
    lanes_write(warp, isa->d.index, active, low.v);
}

EXEC_OP(MUFU)
{
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
    struct lanes t, r;
    const uint32_t *source = lanes_raw(core, warp, inst, op, &t);
    unsigned shift = type == ISA_MUFU_TYPE_F32 ? 0 : 16u * op->swizzle;
    uint32_t sign = type == ISA_MUFU_TYPE_F32 ? FLOAT_SIGN : 0x8000, whole = sign | (sign - 1);
    uint32_t keep = op->flags & ISA_ABS ? sign - 1 : whole, flip = op->flags & ISA_NEG ? sign : 0;
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        r.v[i] = (source[i] >> shift & keep) ^ flip;
    if (type != ISA_MUFU_TYPE_F32)
        function16(function, type, active, r.v, r.v);
    else if (!wide)
        function32(function, active, r.v, r.v);
    for (unsigned i = 0; wide && i < EXEC_LANES; ++i)
        r.v[i] = function64(function, r.v[i]);
    lanes_write(warp, isa->d.index, active, r.v);
}
