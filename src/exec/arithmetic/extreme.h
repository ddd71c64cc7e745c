/* The smaller or the larger of two numbers, as CREDUX and LDTM.STAT reduce. */
#ifndef SUBCORE_EXEC_EXTREME_H
#define SUBCORE_EXEC_EXTREME_H

#include "exec/arithmetic/float32.h"
#include "isa/isa.h"

/* PTX ISA, redux.sync: without .NAN a NaN loses against a number. No number at all gives the canonical NaN. */
static inline uint32_t extreme_float(uint32_t a, uint32_t b, bool minimum, bool nan)
{
    bool a_is_nan = float_is_nan(a), b_is_nan = float_is_nan(b);
    if ((a_is_nan && b_is_nan) || (nan && (a_is_nan || b_is_nan)))
        return FLOAT_NAN;
    if (a_is_nan || b_is_nan)
        return a_is_nan ? b : a;
    return (float_order(a) < float_order(b)) == minimum ? a : b;
}

/* The same for any type of CREDUX: without a sign, with one, or FP32. */
static inline uint32_t extreme_of(unsigned type, bool minimum, bool nan, uint32_t a, uint32_t b)
{
    uint32_t bias = type == ISA_CREDUX_TYPE_S32 ? UINT32_C(0x80000000) : 0;
    if (type == ISA_CREDUX_TYPE_F32)
        return extreme_float(a, b, minimum, nan);
    return ((a ^ bias) < (b ^ bias)) == minimum ? a : b;
}

#endif
