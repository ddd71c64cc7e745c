/* Conversions between integers and floating point. */
#include "exec/arithmetic/lanes_double.h"

#include <math.h>

#include "exec/arithmetic/half.h"
#include "exec/arithmetic/rounding.h"

static const double half_max = 65504.0;

/* Rounds the magnitude of an integer to `precision` bits. The result is exact in double (precision at most 53). */
static double round_magnitude(uint64_t magnitude, bool negative, unsigned precision, enum rounding mode)
{
    unsigned width = magnitude ? 64 - (unsigned)__builtin_clzll(magnitude) : 0;
    if (width <= precision)
        return (double)magnitude;
    unsigned drop = width - precision;
    uint64_t kept = magnitude >> drop, rest = magnitude & ((UINT64_C(1) << drop) - 1), half = UINT64_C(1) << (drop - 1);
    bool up = mode == ROUND_NEAREST ? rest > half || (rest == half && (kept & 1))
              : mode == ROUND_DOWN  ? negative && rest
              : mode == ROUND_UP    ? !negative && rest
                                    : false;
    return ldexp((double)(kept + up), (int)drop);
}

static uint64_t integer_to_float(uint64_t magnitude, bool negative, unsigned format, enum rounding mode)
{
    static const unsigned precisions[] = {
        [ISA_FLOAT_F16] = 11, [ISA_FLOAT_F32] = 24, [ISA_FLOAT_F64] = 53, [ISA_FLOAT_BF16] = 8};
    double d = round_magnitude(magnitude, negative, precisions[format], mode);
    if (format == ISA_FLOAT_F16 && d > half_max) {
        bool infinite = mode == ROUND_NEAREST || mode == (negative ? ROUND_DOWN : ROUND_UP);
        d = infinite ? INFINITY : half_max;
    }
    d = negative ? -d : d;
    uint32_t bits = float_bits((float)d);
    return format == ISA_FLOAT_F64    ? double_bits(d)
           : format == ISA_FLOAT_F32  ? bits
           : format == ISA_FLOAT_BF16 ? bits >> 16
                                      : half_from_float(bits);
}

/* Lane i of an integer source with type `type`, as 64 bits with its sign. */
static uint64_t widen(uint32_t low, uint32_t high, unsigned type, unsigned shift)
{
    switch (type) {
    case ISA_INTEGER_U8: return low >> shift & 0xff;
    case ISA_INTEGER_S8: return (uint64_t)(int8_t)(low >> shift);
    case ISA_INTEGER_U16: return low >> shift & 0xffff;
    case ISA_INTEGER_S16: return (uint64_t)(int16_t)(low >> shift);
    case ISA_INTEGER_U32: return low;
    case ISA_INTEGER_S32: return (uint64_t)(int32_t)low;
    default: return (uint64_t)high << 32 | low;
    }
}

static void convert_from_integer(struct exec_core *core, struct exec_warp *warp, const struct exec_inst *inst,
                                 uint32_t active, unsigned type, unsigned format)
{
    const struct isa_inst *isa = &inst->isa;
    const struct isa_operand *op = operand_only(isa);
    enum rounding mode = isa->mod[ISA_MOD_ROUND] & 3;
    struct lanes t[2], low, high;
    bool whole = type == ISA_INTEGER_U32 || type == ISA_INTEGER_S32; /* of Pascal with a sign change */
    const uint32_t *v = whole ? lanes_integer(core, warp, inst, op, &t[0]) : lanes_raw(core, warp, inst, op, &t[0]);
    if (type == ISA_INTEGER_S32 && (op->flags & (ISA_ABS | ISA_NEG)) == ISA_ABS)
        type = ISA_INTEGER_U32; /* the least number has no other magnitude */
    if (format == ISA_FLOAT_F32 && mode == ROUND_NEAREST && type == ISA_INTEGER_S32) {
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            low.v[i] = float_bits((float)(int32_t)v[i]);
    } else if (format == ISA_FLOAT_F32 && mode == ROUND_NEAREST && type == ISA_INTEGER_U32) {
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            low.v[i] = float_bits((float)v[i]);
    } else if (format == ISA_FLOAT_F64 && (type == ISA_INTEGER_S32 || type == ISA_INTEGER_U32)) {
        for (unsigned i = 0; i < EXEC_LANES; ++i) {
            uint64_t bits = double_bits(type & 1 ? (double)(int32_t)v[i] : (double)v[i]);
            low.v[i] = (uint32_t)bits;
            high.v[i] = (uint32_t)(bits >> 32);
        }
    } else {
        bool is_signed = type & 1;
        unsigned shift = op->swizzle * (type <= ISA_INTEGER_S8 ? 8u : type <= ISA_INTEGER_S16 ? 16u : 0u);
        const uint32_t *upper = type >= ISA_INTEGER_U64 ? lanes_word(core, warp, inst, op, 1, &t[1]) : exec_zero_row;
        for (unsigned i = 0; i < EXEC_LANES; ++i) {
            uint64_t value = widen(v[i], upper[i], type, shift);
            bool negative = is_signed && value >> 63;
            uint64_t bits = integer_to_float(negative ? 0 - value : value, negative, format, mode);
            low.v[i] = (uint32_t)bits;
            high.v[i] = (uint32_t)(bits >> 32);
        }
    }
    lanes_write(warp, isa->d.index, active, low.v);
    if (format == ISA_FLOAT_F64 && isa->d.index != ISA_RZ)
        lanes_write(warp, isa->d.index + 1u, active, high.v);
}

EXEC_OP(I2F)
{
    const struct isa_inst *isa = &inst->isa;
    unsigned type = isa->mod[ISA_MOD_SRC_TYPE], format = isa->mod[ISA_MOD_DST_TYPE];
    if (type > ISA_INTEGER_S64 || format < ISA_FLOAT_F16 || format > ISA_FLOAT_BF16) {
        exec_refuse(core, warp, inst, "the source or destination type is not simulated");
        return;
    }
    convert_from_integer(core, warp, inst, active, type, format);
}

EXEC_OP(I2FP)
{
    const struct isa_inst *isa = &inst->isa;
    unsigned type = isa->mod[ISA_MOD_SRC_TYPE];
    if ((type != ISA_INTEGER_U32 && type != ISA_INTEGER_S32) || isa->mod[ISA_MOD_DST_TYPE] != ISA_FLOAT_F32) {
        exec_refuse(core, warp, inst, "only 32-bit integers to FP32 are simulated");
        return;
    }
    convert_from_integer(core, warp, inst, active, type, ISA_FLOAT_F32);
}

/* The source as doubles, `shift` bits up in its word. */
static void read_floats(struct numbers *d, const uint32_t *low, const uint32_t *high, unsigned format, unsigned shift,
                        const struct isa_operand *op, bool flush)
{
    if (format == ISA_FLOAT_F64) {
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            d->v[i] = double_of((uint64_t)high[i] << 32 | low[i]);
    } else if (format == ISA_FLOAT_F32) {
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            d->v[i] = (double)float_of(flush ? float_flush(low[i]) : low[i]);
    } else {
        for (unsigned i = 0; i < EXEC_LANES; ++i)
            d->v[i] = (double)float_of(format_widen(low[i] >> shift, format, flush));
    }
    for (unsigned i = 0; op->flags & ISA_ABS && i < EXEC_LANES; ++i)
        d->v[i] = fabs(d->v[i]);
    for (unsigned i = 0; op->flags & ISA_NEG && i < EXEC_LANES; ++i)
        d->v[i] = -d->v[i];
}

/* A whole number saturates to a type with 64 bits; 0x80.. of the width for NaN unless .NTZ asks for 0. */
static uint64_t number_to_long(double r, bool is_signed, bool nan_to_zero)
{
    static const double limit = 0x1p63;
    if (isnan(r))
        return nan_to_zero ? 0 : UINT64_C(1) << 63;
    if (is_signed)
        return (uint64_t)(r >= limit ? INT64_MAX : r < -limit ? INT64_MIN : (int64_t)r);
    return r >= 2 * limit ? UINT64_MAX : r <= 0 ? 0 : (uint64_t)r;
}

/* The same to a type with at most 32 bits. 1.5 * 2^52 moves an integer to a double's lowest bits. */
static void numbers_to_words(uint32_t *r, const struct numbers *d, unsigned type, bool nan_to_zero)
{
    static const double moves = 0x1.8p52;
    unsigned width = 8u << type / 2;
    double most = (double)(UINT32_MAX >> (type & 1 ? 33 - width : 32 - width)), least = type & 1 ? -most - 1 : 0;
    uint32_t nan = nan_to_zero ? 0 : UINT32_C(1) << (width - 1);
    struct lanes bits;
    for (unsigned i = 0; i < EXEC_LANES; ++i) {
        double v = d->v[i] > most ? most : d->v[i];
        v = v < least ? least : v;
        bits.v[i] = (uint32_t)double_bits(v + moves);
    }
    for (unsigned i = 0; i < EXEC_LANES; ++i)
        r[i] = d->v[i] != d->v[i] ? nan : bits.v[i];
}

EXEC_OP(F2I)
{
    const struct isa_inst *isa = &inst->isa;
    const struct isa_operand *op = operand_only(isa);
    unsigned format = isa->mod[ISA_MOD_SRC_TYPE];
    unsigned type = isa->mod[ISA_MOD_DST_TYPE];
    if (type > ISA_INTEGER_S64 || format < ISA_FLOAT_F16 || format > ISA_FLOAT_BF16) {
        exec_refuse(core, warp, inst, "the source or destination type is not simulated");
        return;
    }
    struct lanes t[2], low, high;
    const uint32_t *v = lanes_raw(core, warp, inst, op, &t[0]);
    bool imm64 = format == ISA_FLOAT_F64 && op->kind == ISA_IMM; /* an FP64 immediate is the upper word */
    const uint32_t *upper = imm64                     ? v
                            : format == ISA_FLOAT_F64 ? lanes_word(core, warp, inst, op, 1, &t[1])
                                                      : exec_zero_row;
    if (imm64)
        v = exec_zero_row;
    enum rounding mode = isa->mod[ISA_MOD_ROUND] & 3;
    bool flush = isa->mod[ISA_MOD_FTZ], nan_to_zero = isa->mod[ISA_MOD_NTZ];
    unsigned shift = 16u * op->swizzle;
    struct numbers d;
    read_floats(&d, v, upper, format, shift, op, flush);
    numbers_round(&d, mode);
    if (type < ISA_INTEGER_U64)
        numbers_to_words(low.v, &d, type, nan_to_zero);
    for (unsigned i = 0; type >= ISA_INTEGER_U64 && i < EXEC_LANES; ++i) {
        uint64_t r = number_to_long(d.v[i], type & 1, nan_to_zero);
        low.v[i] = (uint32_t)r;
        high.v[i] = (uint32_t)(r >> 32);
    }
    lanes_write(warp, isa->d.index, active, low.v);
    if (type >= ISA_INTEGER_U64 && isa->d.index != ISA_RZ)
        lanes_write(warp, isa->d.index + 1u, active, high.v);
}
