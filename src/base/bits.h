/* Bit fields of the 128-bit instruction word, masks of 32 lanes, rounding. */
#ifndef SUBCORE_BASE_BITS_H
#define SUBCORE_BASE_BITS_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

struct word128 {
    uint64_t lo, hi;
}; /* bits 63:0 and 127:64 of an instruction word */

/* Bits high..low (inclusive, at most 64 wide), right-aligned. The field may straddle the two halves. */
static inline uint64_t word128_bits(struct word128 w, unsigned high, unsigned low)
{
    assert(high < 128 && low <= high && high - low < 64);
    unsigned width = high - low + 1;
    uint64_t v = low >= 64 ? w.hi >> (low - 64) : w.lo >> low;
    if (low < 64 && high >= 64 && low > 0)
        v |= w.hi << (64 - low);
    return width == 64 ? v : v & ((UINT64_C(1) << width) - 1);
}

static inline bool word128_bit(struct word128 w, unsigned bit) { return word128_bits(w, bit, bit) != 0; }

static inline int64_t sign_extend(uint64_t value, unsigned width)
{
    assert(width >= 1 && width <= 64);
    uint64_t sign = UINT64_C(1) << (width - 1);
    uint64_t v = width == 64 ? value : value & ((sign << 1) - 1);
    return (int64_t)((v ^ sign) - sign);
}

/* `to` is a power of two. */
static inline uint64_t align_up(uint64_t value, uint64_t to) { return (value + to - 1) & ~(to - 1); }
/* Returns the first power of two from `value` on: 1 to 2^31. */
static inline uint32_t power_of_two_from32(uint32_t value)
{
    return value <= 1 ? 1 : UINT32_C(2) << (31u - (unsigned)__builtin_clz(value - 1));
}
static inline uint32_t div_up32(uint32_t a, uint32_t b) { return a / b + (a % b != 0); }

/* Number of set bits. Written out because the baseline x86-64 has no instruction for it and compilers call a function,
 * which showed in profiles. Where there is one, compilers know these lines. */
static inline unsigned popcount32(uint32_t v)
{
    v -= v >> 1 & 0x55555555u;
    v = (v & 0x33333333u) + (v >> 2 & 0x33333333u);
    v = (v + (v >> 4)) & 0x0f0f0f0fu;
    return v * 0x01010101u >> 24;
}

/* The same for a four-bit mask. */
static inline unsigned popcount4(unsigned v)
{
    assert(v < 16);
    return (unsigned)(UINT64_C(0x4332322132212110) >> 4 * v & 15);
}

/* Index of the lowest set bit; `v` is not 0. */
static inline unsigned lowest_bit32(uint32_t v) { return (unsigned)__builtin_ctz(v); }
static inline unsigned lowest_bit64(uint64_t v) { return (unsigned)__builtin_ctzll(v); }
static inline unsigned highest_bit32(uint32_t v) { return 31u - (unsigned)__builtin_clz(v); }
static inline unsigned highest_bit64(uint64_t v) { return 63u - (unsigned)__builtin_clzll(v); }

#endif
