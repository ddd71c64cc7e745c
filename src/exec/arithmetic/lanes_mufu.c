/* MUFU. The hardware interpolates in tables that are not public. Each function here is the exact value rounded to
 * nearest: RCP and SQRT exactly so, the others up to the error of a series, or of the C library, in double. PTX ISA
 * bounds the hardware's distance from it: RCP 1 ulp, RSQ 2^-22.9, SQRT 2^-23, EX2 2^-22, LG2 2^-22 (absolute between
 * 0.5 and 2), SIN and COS 2^-20.5 absolute on [-pi, pi], TANH 2^-11, RCP64H and RSQ64H 2^-23 (PTX ISA,
 * rcp.approx.ftz.f64: here 2^-21, the upper word of the rounded value); of halves ex2.approx.f16 2^-9.9,
 * ex2.approx.ftz.bf16 2^-7, tanh.approx.f16 2^-10.987, tanh.approx.bf16 2^-8. Denormal floats and doubles are flushed
 * on the way in and out. */
#include "exec/arithmetic/half.h"
#include "exec/arithmetic/lanes_double.h"

/* ---- sums -------------------------------------------------------------------------------------------------------- */

/* EX2, SIN, COS and TANH are Taylor series in double, the same on all hosts. Floats round as with the functions
 * in glibc 2.36 (compared from 2^-27 on). */
static inline __attribute__((always_inline)) double series(const double *coefficient, int count, double x)
{
    double sum = coefficient[count - 1];
    for (int n = count - 2; n >= 0; n--)
        sum = sum * x + coefficient[n];
    return sum;
}

/* 2^x = 2^f 2^k, where k is the nearest whole number. 1.5 * 2^52 moves it to a double's lowest bits. */
static inline double power_of_two(double x)
{
    static const double far = 160, moves = 0x1.8p52; /* far: beyond all floats, within doubles */
    static const double of_f[] = {
        1,
        0x1.62e42fefa39efp-1,
        0x1.ebfbdff82c58fp-3,
        0x1.c6b08d704a0c0p-5,
        0x1.3b2ab6fba4e77p-7,
        0x1.5d87fe78a6731p-10,
        0x1.430912f86c787p-13,
        0x1.ffcbfc588b0c7p-17,
        0x1.62c0223a5c824p-20,
        0x1.b5253d395e7c4p-24,
        0x1.e4cf5158b8ecap-28,
        0x1.e8cac7351bb25p-32,
        0x1.c3bd650fc2986p-36,
        0x1.816193166d0f9p-40,
    };
    enum { BIAS = 1023, FRACTION = 52, COUNT = sizeof of_f / sizeof *of_f };
    x = x < -far ? -far : x;
    x = x > far ? far : x;
    double k = x + moves, sum = series(of_f, COUNT, x - (k - moves));
    return sum * double_of((double_bits(k) + BIAS) << FRACTION);
}

/* sin(2 pi x), exact at the multiples of a quarter. NaN for infinities. */
static inline double sine_of_revolutions(double x)
{
    static const double sines[] = {
        0x1.921fb54442d18p+2, -0x1.4abbce625be53p+5, 0x1.466bc6775aae2p+6, -0x1.32d2cce62bd86p+6,
        0x1.50783487ee782p+5, -0x1.e3074fde8871fp+3, 0x1.e8f434d018d63p+1, -0x1.6fadb9f155744p-1,
        0x1.aaec32af93359p-4, -0x1.8a404211f9547p-7,
    };
    static const double cosines[] = {
        1,
        -0x1.3bd3cc9be45dep+4,
        0x1.03c1f081b5ac4p+6,
        -0x1.55d3c7e3cbffap+6,
        0x1.e1f506891babbp+5,
        -0x1.a6d1f2a204a8cp+4,
        0x1.f9d38a3763cc3p+2,
        -0x1.b6e24f44b128fp+0,
        0x1.20c62c2f2d7f5p-2,
        -0x1.2a0c591af8314p-5,
        0x1.ef6e308d6d1c4p-9,
    };
    enum { SINES = sizeof sines / sizeof *sines, COSINES = sizeof cosines / sizeof *cosines };
    double turn = x - rint(x), quarter = rint(4 * turn), rest = turn - quarter / 4, square = rest * rest;
    double sine = series(sines, SINES, square) * rest, cosine = series(cosines, COSINES, square);
    double v = fabs(quarter) == 1 ? cosine : sine;
    return quarter == -1 || fabs(quarter) == 2 ? -v : v;
}

static inline double cosine_of_revolutions(double x) { return sine_of_revolutions(x - rint(x) + 0.25); }

static inline double hyperbolic_tangent(double x)
{
    static const double of_square[] = {
        1,
        -0x1.5555555555555p-2,
        0x1.1111111111111p-3,
        -0x1.ba1ba1ba1ba1cp-5,
        0x1.664f4882c10fap-6,
        -0x1.226e355e6c23dp-7,
        0x1.d6d3d0e157de0p-9,
        -0x1.7da36452b75e3p-10,
        0x1.3558248036744p-11,
        -0x1.f57d7734d1664p-13,
        0x1.967e18afcafadp-14,
        -0x1.497d8eea25259p-15,
        0x1.0b132d39a6050p-16,
        -0x1.b0f72d3ee24e9p-18,
    };
    enum { COUNT = sizeof of_square / sizeof *of_square };
    static const double near = 0.25, two_log2_e = 2 * 1.4426950408889634074;
    double of_series = series(of_square, COUNT, x * x) * x;
    double of_power = 1 - 2 / (power_of_two(fabs(x) * two_log2_e) + 1);
    return fabs(x) < near ? of_series : copysign(of_power, x);
}

/* Applies the function to the row, at least to the active lanes. Loops with known functions become vectors. */
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
    } else if (function == ISA_MUFU_SIN) {
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            x->v[i] = x->v[i] == 0 ? x->v[i] : sine_of_revolutions(x->v[i]);
    } else if (function == ISA_MUFU_COS) {
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            x->v[i] = cosine_of_revolutions(x->v[i]);
    } else if (function == ISA_MUFU_TANH) {
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            x->v[i] = hyperbolic_tangent(x->v[i]);
    } else {
        for (uint32_t left = active; left; left &= left - 1)
            x->v[lowest_bit32(left)] = log2(x->v[lowest_bit32(left)]);
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
    double r = 1 / (function == ISA_MUFU_RCP64H ? x : sqrt(x));
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
