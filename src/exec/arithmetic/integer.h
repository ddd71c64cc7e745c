/* Integer operations on one value, for the lanes and the uniform datapath. */
#ifndef SUBCORE_EXEC_INTEGER_H
#define SUBCORE_EXEC_INTEGER_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/isa.h"

enum { PRMT_MODES = ISA_PRMT_MODE_RC16 + 1 };

/* Truth table bit (a << 2 | b << 1 | c), as a multiplexer tree. */
static inline uint32_t integer_lop3(uint32_t a, uint32_t b, uint32_t c, unsigned lut)
{
    uint32_t m[8];
    for (unsigned k = 0; k < 8; ++k)
        m[k] = 0u - (lut >> k & 1);
    uint32_t b0a0 = m[0] ^ (c & (m[0] ^ m[1])), b1a0 = m[2] ^ (c & (m[2] ^ m[3]));
    uint32_t b0a1 = m[4] ^ (c & (m[4] ^ m[5])), b1a1 = m[6] ^ (c & (m[6] ^ m[7]));
    uint32_t a0 = b0a0 ^ (b & (b0a0 ^ b1a0)), a1 = b0a1 ^ (b & (b0a1 ^ b1a1));
    return a0 ^ (a & (a0 ^ a1));
}

/* The amount that SHF shifts by: wrapped, or clamped to the width. */
static inline unsigned integer_shift_amount(uint32_t amount, unsigned type, bool wrap)
{
    unsigned width = type == ISA_SHF_TYPE_S64 || type == ISA_SHF_TYPE_U64 ? 64 : 32;
    return wrap ? amount % width : amount > width ? width : amount;
}

/* Funnel shift of {high:low} by 0..64; `upper` picks the word. */
static inline uint32_t integer_shf(uint32_t low, unsigned amount, uint32_t high, bool right, bool is_signed, bool upper)
{
    uint64_t v = (uint64_t)high << 32 | low;
    if (!right)
        v = amount < 64 ? v << amount : 0;
    else if (is_signed)
        v = (uint64_t)((int64_t)v >> (amount < 64 ? amount : 63));
    else
        v = amount < 64 ? v >> amount : 0;
    return (uint32_t)(upper ? v >> 32 : v);
}

static inline uint32_t integer_lea_high(uint32_t low, uint32_t high, unsigned shift)
{
    return (uint32_t)(((uint64_t)high << 32 | low) << shift >> 32);
}

/* PTX ISA, prmt: the modes other than plain index, by the two lowest bits of the selector, as plain selectors. */
static inline unsigned integer_prmt_selector(uint32_t selector, unsigned mode)
{
    static const uint16_t table[PRMT_MODES][4] = {
        [ISA_PRMT_MODE_F4E] = {0x3210, 0x4321, 0x5432, 0x6543}, [ISA_PRMT_MODE_B4E] = {0x5670, 0x6701, 0x7012, 0x0123},
        [ISA_PRMT_MODE_RC8] = {0x0000, 0x1111, 0x2222, 0x3333}, [ISA_PRMT_MODE_ECL] = {0x3210, 0x3211, 0x3222, 0x3333},
        [ISA_PRMT_MODE_ECR] = {0x0000, 0x1110, 0x2210, 0x3210}, [ISA_PRMT_MODE_RC16] = {0x1010, 0x3232, 0x1010, 0x3232},
    };
    return mode == ISA_PRMT_MODE_INDEX ? selector & 0xffff : table[mode][selector & 3];
}

/* Index of the leading one; of a signed value: of the leading bit that differs from the sign. All ones when none. */
static inline uint32_t integer_flo(uint32_t v, bool is_signed, bool as_shift)
{
    if (is_signed && v >> 31)
        v = ~v;
    if (v == 0)
        return UINT32_MAX;
    uint32_t zeros = (uint32_t)__builtin_clz(v);
    return as_shift ? zeros : 31 - zeros;
}

static inline uint32_t integer_brev(uint32_t v)
{
    v = (v >> 1 & 0x55555555) | (v & 0x55555555) << 1;
    v = (v >> 2 & 0x33333333) | (v & 0x33333333) << 2;
    v = (v >> 4 & 0x0f0f0f0f) | (v & 0x0f0f0f0f) << 4;
    v = (v >> 8 & 0x00ff00ff) | (v & 0x00ff00ff) << 8;
    return v >> 16 | v << 16;
}

static inline uint32_t integer_popc(uint32_t v)
{
    v -= v >> 1 & 0x55555555;
    v = (v & 0x33333333) + (v >> 2 & 0x33333333);
    v = (v + (v >> 4)) & 0x0f0f0f0f;
    return v * 0x01010101 >> 24;
}

/* The lowest `bits` bits, with their sign or with zeros above. */
static inline uint32_t integer_sgxt(uint32_t v, uint32_t bits, bool is_signed, bool wrap)
{
    uint32_t n = wrap ? bits % 32 : bits;
    if (n == 0 || n >= 32)
        return n == 0 ? 0 : v;
    uint32_t up = 32 - n;
    return is_signed ? (uint32_t)((int32_t)(v << up) >> up) : v << up >> up;
}

/* `bits` ones from bit `from` on. */
static inline uint32_t integer_bmsk(uint32_t from, uint32_t bits, bool wrap)
{
    uint64_t first = wrap ? from % 32 : from < 32 ? from : 32, count = wrap ? bits % 32 : bits < 32 ? bits : 32;
    return (uint32_t)(((UINT64_C(1) << count) - 1) << first);
}

/* ISETP's code `cmp` from the outcomes "less" and "equal". */
static inline bool integer_outcome(unsigned cmp, bool less, bool equal)
{
    return ((cmp & 1) && less) || ((cmp & 2) && equal) || ((cmp & 4) && !less && !equal);
}

#endif
