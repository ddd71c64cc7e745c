/* The dialect in C, with every operation spelled out. */
#ifndef SUBCORE_TESTS_RANDOM_HOST_H
#define SUBCORE_TESTS_RANDOM_HOST_H

#include <fenv.h>
#include <math.h>
#include <string.h>

#define STEP static inline __attribute__((unused))
#define CALLED static __attribute__((noinline, unused))
#define TABLE static const

#define PROGRAM(number, steps)                                                                                         \
    static void program_##number(const u32 *in, u32 *out)                                                              \
    {                                                                                                                  \
        for (u32 cta = 0; cta < CTAS; cta++) {                                                                         \
            struct state s[THREADS];                                                                                   \
            for (u32 i = 0; i < THREADS; i++)                                                                          \
                state_begin(&s[i], in, cta *THREADS + i);                                                              \
            steps for (u32 i = 0; i < THREADS; i++) state_end(&s[i], out, cta *THREADS + i);                           \
        }                                                                                                              \
    }
#define EACH(step)                                                                                                     \
    for (u32 i = 0; i < THREADS; i++)                                                                                  \
        step(&s[i], in, cta *THREADS + i);
#define EXCHANGE(kind, n)                                                                                              \
    {                                                                                                                  \
        u32 x[THREADS], y[THREADS];                                                                                    \
        for (u32 i = 0; i < THREADS; i++)                                                                              \
            x[i] = s[i].u[0];                                                                                          \
        exchange_##kind(x, y, n);                                                                                      \
        for (u32 i = 0; i < THREADS; i++)                                                                              \
            s[i].u[0] = y[i];                                                                                          \
    }

/* ---- exchanges --------------------------------------------------------------------------------------------------- */

#define EACH_THREAD for (u32 i = 0; i < THREADS; i++)

STEP void exchange_permute(const u32 *x, u32 *y, u32 n) { EACH_THREAD y[i] = x[(i * (2 * n + 1) + n) % THREADS]; }
STEP void exchange_sum(const u32 *x, u32 *y, u32 n)
{
    u32 shared[THREADS];
    EACH_THREAD shared[i] = n;
    EACH_THREAD
    {
        u32 *most = &shared[8 + i % 3], *least = &shared[11 + i % 3];
        shared[(i * (n | 1)) % 8] += x[i];
        *most = x[i] > *most ? x[i] : *most;
        *least = (s32)x[i] < (s32)*least ? x[i] : *least;
        shared[14 + i % 5] ^= x[i];
    }
    EACH_THREAD y[i] = shared[i % 20];
}
STEP void exchange_xor(const u32 *x, u32 *y, u32 n) { EACH_THREAD y[i] = x[i ^ (n % 32)]; }
STEP void exchange_up(const u32 *x, u32 *y, u32 n) { EACH_THREAD y[i] = i % 16 >= n % 32 ? x[i - n % 32] : x[i]; }
STEP void exchange_down(const u32 *x, u32 *y, u32 n) { EACH_THREAD y[i] = i % 32 + n % 32 < 32 ? x[i + n % 32] : x[i]; }
STEP void exchange_index(const u32 *x, u32 *y, u32 n) { EACH_THREAD y[i] = x[i / 8 * 8 + i * n % 8]; }
STEP u32 ballot(const u32 *bit, u32 i)
{
    u32 mask = 0;
    for (u32 k = 0; k < 32; k++)
        mask |= (bit[i / 32 * 32 + k] & 1u) << k;
    return mask;
}
STEP void exchange_ballot(const u32 *x, u32 *y, u32 n)
{
    u32 bit[THREADS];
    EACH_THREAD bit[i] = x[i] >> n % 32 & 1;
    EACH_THREAD y[i] = ballot(bit, i);
}
STEP void exchange_match(const u32 *x, u32 *y, u32 n)
{
    EACH_THREAD
    {
        y[i] = 0;
        for (u32 k = 0; k < 32; k++)
            y[i] |= (u32)(x[i] >> (24 + n % 8) == x[i / 32 * 32 + k] >> (24 + n % 8)) << k;
    }
}
STEP void exchange_all(const u32 *x, u32 *y, u32 n)
{
    u32 some[THREADS], same[THREADS];
    EACH_THREAD
    {
        some[i] = (x[i] | n) != 0;
        same[i] = x[i] == n;
    }
    EACH_THREAD y[i] = x[i] + (ballot(some, i) == 0xffffffffu) + 2u * (ballot(same, i) != 0);
}
STEP void exchange_reduce(const u32 *x, u32 *y, u32 n)
{
    EACH_THREAD
    {
        u32 sum = 0, bits = 0;
        s32 most = INT32_MIN;
        for (u32 k = i / 32 * 32; k < i / 32 * 32 + 32; k++) {
            sum += x[k];
            bits |= x[k];
            most = (s32)x[k] > most ? (s32)x[k] : most;
        }
        y[i] = n % 3 == 0 ? sum : n % 3 == 1 ? (u32)most : bits;
    }
}
STEP void exchange_count(const u32 *x, u32 *y, u32 n)
{
    u32 count = 0, any = 0;
    EACH_THREAD
    {
        count += x[i] >> n % 32 & 1;
        any |= x[i] == n;
    }
    EACH_THREAD y[i] = x[i] ^ count ^ any << 8;
}

/* ---- integers ---------------------------------------------------------------------------------------------------- */

#define BITS(name, from, to)                                                                                           \
    STEP to name(from x)                                                                                               \
    {                                                                                                                  \
        to y;                                                                                                          \
        memcpy(&y, &x, sizeof y);                                                                                      \
        return y;                                                                                                      \
    }
BITS(float_bits, f32, u32)
BITS(bits_float, u32, f32)
BITS(double_bits, f64, u64)
BITS(bits_double, u64, f64)

STEP u32 mul_high(u32 a, u32 b) { return (u32)((u64)a * b >> 32); }
STEP u32 mul_high_signed(u32 a, u32 b) { return (u32)((s64)(s32)a * (s32)b >> 32); }
STEP u64 mul_high_long(u64 a, u64 b) { return (u64)((unsigned __int128)a * b >> 64); }
STEP u64 mul_wide(u32 a, u32 b) { return (u64)a * b; }
STEP u64 mul_wide_signed(u32 a, u32 b) { return (u64)((s64)(s32)a * (s32)b); }
STEP u32 funnel(u32 a, u32 b, u32 n) { return (u32)(((u64)b << 32 | a) >> (n & 31)); }
STEP u32 rotate(u32 a, u32 n) { return (u32)(((u64)a << 32 | a) << (n & 31) >> 32); }
STEP u32 funnel_clamped(u32 a, u32 b, u32 n)
{
    n = (n & 63) < 32 ? n & 63 : 32;
    return n == 32 ? a : (u32)(((u64)b << 32 | a) << n >> 32);
}
STEP u32 count_bits(u32 a) { return (u32)__builtin_popcount(a); }
STEP u32 count_bits_long(u64 a) { return (u32)__builtin_popcountll(a); }
STEP u32 leading_zeros(u32 a) { return a ? (u32)__builtin_clz(a) : 32; }
STEP u32 leading_zeros_long(u64 a) { return a ? (u32)__builtin_clzll(a) : 64; }
STEP u32 first_bit(u32 a) { return (u32)__builtin_ffs((s32)a); }
STEP u64 reverse_bits_long(u64 a)
{
    u64 r = 0;
    for (u32 k = 0; k < 64; k++)
        r |= (a >> k & 1) << (63 - k);
    return r;
}
STEP u32 reverse_bits(u32 a) { return (u32)(reverse_bits_long(a) >> 32); }
STEP u32 pick_bytes(u32 a, u32 b, u32 how)
{
    u64 both = (u64)b << 32 | a;
    u32 r = 0;
    for (u32 k = 0; k < 4; k++)
        r |= (u32)(both >> 8 * (how >> 4 * k & 7) & 0xff) << 8 * k;
    return r;
}
STEP u32 absolute(u32 a) { return (s32)(a | 1u) < 0 ? 0u - (a | 1u) : a | 1u; }
STEP u32 difference(u32 a, u32 b, u32 c) { return (a >> 2 > b >> 2 ? (a >> 2) - (b >> 2) : (b >> 2) - (a >> 2)) + c; }

#define U8(x, k) ((x) >> 8 * (k)&0xffu)
#define S8(x, k) ((s32)(int8_t)U8(x, k))
#define U16(x, k) ((x) >> 16 * (k)&0xffffu)
#define S16(x, k) ((s32)(int16_t)U16(x, k))
#define BYTES(e)                                                                                                       \
    u32 r = 0;                                                                                                         \
    for (u32 k = 0; k < 4; k++)                                                                                        \
        r |= ((u32)(e)&0xffu) << 8 * k;                                                                                \
    return r
#define HALVES(e)                                                                                                      \
    u32 r = 0;                                                                                                         \
    for (u32 k = 0; k < 2; k++)                                                                                        \
        r |= ((u32)(e)&0xffffu) << 16 * k;                                                                             \
    return r
#define MOST(a, b) ((a) > (b) ? (a) : (b))
#define LEAST(a, b) ((a) < (b) ? (a) : (b))

STEP u32 dot4(u32 a, u32 b, u32 c)
{
    for (u32 k = 0; k < 4; k++)
        c += U8(a, k) * U8(b, k);
    return c;
}
STEP u32 dot4_signed(u32 a, u32 b, u32 c)
{
    for (u32 k = 0; k < 4; k++)
        c += (u32)(S8(a, k) * S8(b, k));
    return c;
}
STEP u32 dot2_low(u32 a, u32 b, u32 c) { return c + U16(a, 0) * U8(b, 0) + U16(a, 1) * U8(b, 1); }
STEP u32 add4(u32 a, u32 b) { BYTES(U8(a, k) + U8(b, k)); }
STEP u32 add2_saturated(u32 a, u32 b) { HALVES(LEAST(MOST(S16(a, k) + S16(b, k), -32768), 32767)); }
STEP u32 distance4(u32 a, u32 b) { BYTES(U8(a, k) > U8(b, k) ? U8(a, k) - U8(b, k) : U8(b, k) - U8(a, k)); }
STEP u32 max2_signed(u32 a, u32 b) { HALVES(MOST(S16(a, k), S16(b, k))); }
STEP u32 min4(u32 a, u32 b) { BYTES(LEAST(U8(a, k), U8(b, k))); }
STEP u32 equal4(u32 a, u32 b) { BYTES(U8(a, k) == U8(b, k) ? 0xff : 0); }
STEP u32 add_max(u32 a, u32 b, u32 c) { return (u32)MOST(((s32)a >> 1) + ((s32)b >> 1), (s32)c); }
STEP u32 add_min_relu(u32 a, u32 b, u32 c)
{
    s32 least = LEAST(((s32)a >> 1) + ((s32)b >> 1), (s32)c);
    return least < 0 ? 0 : (u32)least;
}
STEP u32 max3_2(u32 a, u32 b, u32 c) { HALVES(MOST(MOST(S16(a, k), S16(b, k)), S16(c, k))); }
STEP u32 min3(u32 a, u32 b, u32 c) { return LEAST(LEAST(a, b), c); }

/* ---- floats ------------------------------------------------------------------------------------------------------ */

enum { MODE_rn = FE_TONEAREST, MODE_rd = FE_DOWNWARD, MODE_ru = FE_UPWARD, MODE_rz = FE_TOWARDZERO };

/* The operands are read after the mode is set, and the result is there before it is set back. */
#define ROUNDED(mode, type, e)                                                                                         \
    fesetround(MODE_##mode);                                                                                           \
    volatile type result = (type)(e);                                                                                  \
    fesetround(FE_TONEAREST);                                                                                          \
    return result
#define IEEE(type, name, call)                                                                                         \
    STEP type name##_rn call(rn)                                                                                       \
    STEP type name##_rd call(rd)                                                                                       \
    STEP type name##_ru call(ru)                                                                                       \
    STEP type name##_rz call(rz)
#define UNARY(r, type, from, e)                                                                                        \
    (from first)                                                                                                       \
    {                                                                                                                  \
        volatile from a = first;                                                                                       \
        ROUNDED(r, type, e);                                                                                           \
    }
#define BINARY(r, type, e)                                                                                             \
    (type first, type second)                                                                                          \
    {                                                                                                                  \
        volatile type a = first, b = second;                                                                           \
        ROUNDED(r, type, e);                                                                                           \
    }
#define TERNARY(r, type, e)                                                                                            \
    (type first, type second, type third)                                                                              \
    {                                                                                                                  \
        volatile type a = first, b = second, c = third;                                                                \
        ROUNDED(r, type, e);                                                                                           \
    }
#define ADD32(r) BINARY(r, f32, a + b)
#define MUL32(r) BINARY(r, f32, a *b)
#define DIV32(r) BINARY(r, f32, a / b)
#define FMA32(r) TERNARY(r, f32, fmaf(a, b, c))
#define ROOT32(r) UNARY(r, f32, f32, sqrtf(a))
#define ADD64(r) BINARY(r, f64, a + b)
#define MUL64(r) BINARY(r, f64, a *b)
#define DIV64(r) BINARY(r, f64, a / b)
#define FMA64(r) TERNARY(r, f64, fma(a, b, c))
#define ROOT64(r) UNARY(r, f64, f64, sqrt(a))
#define NARROW(r) UNARY(r, f32, f64, (f32)a)
#define FROM_S32(r) UNARY(r, f32, u32, (f32)(s32)a)
#define FROM_U32(r) UNARY(r, f32, u32, (f32)a)
#define FROM_S64(r) UNARY(r, f32, u64, (f32)(s64)a)
#define FROM_U64(r) UNARY(r, f32, u64, (f32)a)
#define DOUBLE_FROM_S64(r) UNARY(r, f64, u64, (f64)(s64)a)
#define DOUBLE_FROM_U64(r) UNARY(r, f64, u64, (f64)a)

/* To integers: NaN gives 0, what is too large or too small the nearest integer there is. */
STEP s64 clamp_signed(f64 x, f64 end, s64 least, s64 most)
{
    return x != x ? 0 : x >= end ? most : x < -end ? least : (s64)x;
}
STEP u64 clamp_unsigned(f64 x, f64 end, u64 most) { return x != x || x < 0 ? 0 : x >= end ? most : (u64)x; }
#define TO_SIGNED(r, to, from, bits)                                                                                   \
    UNARY(r, to, from, clamp_signed(rint(a), 0x1p##bits, INT64_MIN >> (63 - bits), INT64_MAX >> (63 - bits)))
#define TO_UNSIGNED(r, to, from, bits)                                                                                 \
    UNARY(r, to, from, clamp_unsigned(rint(a), 0x1p##bits, UINT64_MAX >> (64 - bits)))
#define TO_S32(r) TO_SIGNED(r, u32, f32, 31)
#define TO_U32(r) TO_UNSIGNED(r, u32, f32, 32)
#define TO_S64(r) TO_SIGNED(r, u64, f32, 63)
#define TO_U64(r) TO_UNSIGNED(r, u64, f32, 64)
#define DOUBLE_TO_S32(r) TO_SIGNED(r, u32, f64, 31)
#define DOUBLE_TO_U32(r) TO_UNSIGNED(r, u32, f64, 32)
#define DOUBLE_TO_S64(r) TO_SIGNED(r, u64, f64, 63)
#define DOUBLE_TO_U64(r) TO_UNSIGNED(r, u64, f64, 64)
#include "operations.h"

/* A NaN of either kind gives way to a number, and -0 is less than 0. */
#define EXTREME(name, type, more)                                                                                      \
    STEP type name(type a, type b)                                                                                     \
    {                                                                                                                  \
        if (a != a || b != b)                                                                                          \
            return a != a ? b : a;                                                                                     \
        return a == b ? (!signbit(a) == (0 more 1) ? b : a) : a more b ? a : b;                                        \
    }
EXTREME(least, f32, <)
EXTREME(most, f32, >)
EXTREME(least64, f64, <)
EXTREME(most64, f64, >)

STEP f64 widen(f32 a) { return (f64)a; }
STEP f64 double_from_signed(u32 a) { return (f64)(s32)a; }
STEP f64 double_from_unsigned(u32 a) { return (f64)a; }

/* Nearest number with `digits` binary digits, of which the last is not below 2^least. */
STEP f64 nearest(f64 x, int digits, int least)
{
    if (x == 0 || !isfinite(x))
        return x;
    int unit = ilogb(x) - digits + 1;
    unit = unit < least ? least : unit;
    return ldexp(rint(ldexp(x, -unit)), unit);
}
STEP f32 half_of(f64 x)
{
    f64 y = nearest(x, 11, -24);
    return fabs(y) > 65504.0 && isfinite(y) ? (f32)copysign(INFINITY, y) : (f32)y;
}
STEP f32 through_half(f32 a) { return half_of(a); }
STEP f32 through_bfloat(f32 a) { return (f32)nearest(a, 8, -133); }
STEP f32 half_sum(f32 a, f32 b) { return half_of((f64)half_of(a) + half_of(b)); }
STEP f32 half_product(f32 a, f32 b) { return half_of((f64)half_of(a) * half_of(b)); }

#endif
