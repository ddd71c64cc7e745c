// build plain:
// build debug: -G
// build small: -Xptxas -O1
#include "kernels.cuh"
#include <cstdint>

#define TYPES(op, expr, lit)                                                                                           \
    BINARY(op##_s32, int, int, int, lit, expr)                                                                         \
    BINARY(op##_u32, unsigned, unsigned, unsigned, lit, expr)                                                          \
    BINARY(op##_s64, long long, long long, long long, lit, expr)                                                       \
    BINARY(op##_u64, unsigned long long, unsigned long long, unsigned long long, lit, expr)                            \
    BINARY(op##_s16, short, short, short, lit, expr)                                                                   \
    BINARY(op##_u16, unsigned short, unsigned short, unsigned short, lit, expr)                                        \
    BINARY(op##_s8, signed char, signed char, signed char, lit, expr)                                                  \
    BINARY(op##_u8, unsigned char, unsigned char, unsigned char, lit, expr)

TYPES(add, a + b, 77)
TYPES(sub, a - b, 99)
TYPES(mul, a *b, 37)
TYPES(divide, a / b, 7)
TYPES(modulo, a % b, 11)
TYPES(conjunction, a &b, 0x55)
TYPES(disjunction, a | b, 0x30)
TYPES(exclusive, a ^ b, 0x0f)
TYPES(not_and, ~(a &b), 0x71)
TYPES(and_not, a & ~b, 0x13)
TYPES(shift_left, a << (b & 7), 3)
TYPES(shift_right, a >> (b & 7), 5)
TYPES(minimum, a < b ? a : b, 12)
TYPES(maximum, a > b ? a : b, 12)
TYPES(less, a < b, 5)
TYPES(less_equal, a <= b, 5)
TYPES(greater, a > b, 5)
TYPES(equal, a == b, 5)
TYPES(unequal, a != b, 5)
TYPES(chosen, a >= b ? a + 1 : b - 1, 5)
TYPES(negated, -a - b, 5)
TYPES(scaled, a * 8 + b, 64)
TYPES(square, a *a + b * b, 3)

#define TERNARIES(op, expr, lit)                                                                                       \
    TERNARY(op##_s32, int, int, int, int, lit, expr)                                                                   \
    TERNARY(op##_u32, unsigned, unsigned, unsigned, unsigned, lit, expr)                                               \
    TERNARY(op##_s64, long long, long long, long long, long long, lit, expr)                                           \
    TERNARY(op##_u64, unsigned long long, unsigned long long, unsigned long long, unsigned long long, lit, expr)

TERNARIES(add3, a + b + c, 1234567)
TERNARIES(addsub, a - b + c, 15)
TERNARIES(subsub, a - b - c, 15)
TERNARIES(muladd, a *b + c, 1000003)
TERNARIES(mulsub, a *b - c, 1000003)
TERNARIES(negmul, c - a * b, 1000003)
TERNARIES(logic3, (a & b) | (~a & c), 0xff00ff)
TERNARIES(majority, (a & b) ^ (b & c) ^ (a & c), 0x1234)
TERNARIES(xor3, a ^ b ^ c, 0x4321)
TERNARIES(pick, a > 0 ? b : c, 17)
TERNARIES(clamp, a<b ? b : a> c ? c : a, 100)
TERNARIES(shift_add, (a << 4) + b + c, 11)
TERNARIES(both, a < b && b < c, 11)
TERNARIES(either, a < b || b == c, 11)
TERNARIES(differ, (a < b) != (b >= c), 11)
TERNARIES(zero_test, (a & b) == 0 ? c : a, 11)
TERNARIES(max3, max(max(a, b), c), 11)
TERNARIES(min3, min(min(a, b), c), 11)
TERNARIES(minmax, min(max(a, b), c), 11)
TERNARIES(addmax, max(a + b, c), 11)
TERNARIES(relu, max(max(a + b, c), 0 * a), 11)

UNARY(complement, int, int, ~a)
UNARY(absolute, int, int, abs(a))
UNARY(absolute64, long long, long long, llabs(a))
UNARY(negative64, long long, long long, -a)
UNARY(population, int, unsigned, __popc(a))
UNARY(population_not, int, unsigned, __popc(~a))
UNARY(population64, int, unsigned long long, __popcll(a))
UNARY(leading, int, int, __clz(a))
UNARY(leading_not, int, int, __clz(~a))
UNARY(leading64, int, long long, __clzll(a))
UNARY(first, int, int, __ffs(a))
UNARY(first64, int, long long, __ffsll(a))
UNARY(reversed, unsigned, unsigned, __brev(a))
UNARY(reversed64, unsigned long long, unsigned long long, __brevll(a))
UNARY(sign8, int, int, (signed char)a)
UNARY(sign16, int, int, (short)a)
UNARY(sign8_high, int, int, (signed char)(a >> 16))
UNARY(zero8_high, int, int, (unsigned char)(a >> 8))
UNARY(bits5, int, int, (a << 9) >> 20)
UNARY(bits7, unsigned, unsigned, (a >> 11) & 0x7f)
UNARY(seventh, unsigned, unsigned, a / 7)
UNARY(tenth, int, int, a / 10)
UNARY(tenth64, unsigned long long, unsigned long long, a / 10)
UNARY(odd, bool, unsigned, a & 1)
UNARY(rotate, unsigned, unsigned, (a << 13) | (a >> 19))
UNARY(swap_bytes, unsigned, unsigned, __byte_perm(a, 0, 0x0123))
PTX1(find_s32, "bfind.s32", unsigned, "r", int, "r")
PTX1(find_u32, "bfind.u32", unsigned, "r", unsigned, "r")
PTX1(find_s64, "bfind.s64", unsigned, "r", long long, "l")
PTX1(find_u64, "bfind.u64", unsigned, "r", unsigned long long, "l")
PTX1(find_amount, "bfind.shiftamt.u32", unsigned, "r", unsigned, "r")
PTX1(find_amount_s, "bfind.shiftamt.s32", unsigned, "r", int, "r")
PTX1(find_amount64, "bfind.shiftamt.u64", unsigned, "r", unsigned long long, "l")
PTX1(cnot32, "cnot.b32", unsigned, "r", unsigned, "r")
PTX1(cnot64, "cnot.b64", unsigned long long, "l", unsigned long long, "l")
PTX2(mask_clamp, "bmsk.clamp.b32", unsigned, "r", unsigned, "r", unsigned, "r", 9)
PTX2(mask_wrap, "bmsk.wrap.b32", unsigned, "r", unsigned, "r", unsigned, "r", 9)
PTX2(extend_clamp_s, "szext.clamp.s32", int, "r", int, "r", unsigned, "r", 9)
PTX2(extend_wrap_s, "szext.wrap.s32", int, "r", int, "r", unsigned, "r", 9)
PTX2(extend_clamp_u, "szext.clamp.u32", unsigned, "r", unsigned, "r", unsigned, "r", 9)
PTX2(extend_wrap_u, "szext.wrap.u32", unsigned, "r", unsigned, "r", unsigned, "r", 9)

TERNARY(extract_s, int, int, unsigned, unsigned, 7, ({
            int d;
            asm("bfe.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
            d;
        }))
TERNARY(extract_u, unsigned, unsigned, unsigned, unsigned, 7, ({
            unsigned d;
            asm("bfe.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
            d;
        }))
TERNARY(extract_s64, long long, long long, unsigned, unsigned, 7, ({
            long long d;
            asm("bfe.s64 %0, %1, %2, %3;" : "=l"(d) : "l"(a), "r"(b), "r"(c));
            d;
        }))
TERNARY(extract_u64, unsigned long long, unsigned long long, unsigned, unsigned, 7, ({
            unsigned long long d;
            asm("bfe.u64 %0, %1, %2, %3;" : "=l"(d) : "l"(a), "r"(b), "r"(c));
            d;
        }))
TERNARY(insert, unsigned, unsigned, unsigned, unsigned, 7, ({
            unsigned d;
            asm("bfi.b32 %0, %1, %2, %3, 9;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
            d;
        }))
TERNARY(insert_var, unsigned, unsigned, unsigned, unsigned, 7, ({
            unsigned d;
            asm("bfi.b32 %0, %1, %2, %3, %1;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
            d;
        }))
TERNARY(insert64, unsigned long long, unsigned long long, unsigned long long, unsigned, 7, ({
            unsigned long long d;
            asm("bfi.b64 %0, %1, %2, %3, 5;" : "=l"(d) : "l"(a), "l"(b), "r"(c));
            d;
        }))

BINARY(high_s, int, int, int, 1000003, __mulhi(a, b))
BINARY(high_u, unsigned, unsigned, unsigned, 1000003, __umulhi(a, b))
BINARY(high_s64, long long, long long, long long, 1000003, __mul64hi(a, b))
BINARY(high_u64, unsigned long long, unsigned long long, unsigned long long, 1000003, __umul64hi(a, b))
BINARY(wide_s, long long, int, int, 1000003, (long long)a *b)
BINARY(wide_u, unsigned long long, unsigned, unsigned, 1000003, (unsigned long long)a *b)
BINARY(wide_16, int, short, short, 1003, (int)a *b)
BINARY(mul24, int, int, int, 1003, __mul24(a, b))
BINARY(umul24, unsigned, unsigned, unsigned, 1003, __umul24(a, b))
TERNARY(wide_add_s, long long, int, int, long long, 1003, (long long)a *b + c)
TERNARY(wide_add_u, unsigned long long, unsigned, unsigned, unsigned long long, 1003, (unsigned long long)a *b + c)
TERNARY(high_add, int, int, int, int, 1003, __mulhi(a, b) + c)
PTX3(mad_hi_s, "mad.hi.s32", int, "r", int, "r", int, "r", int, "r", 13)
PTX3(mad_hi_u, "mad.hi.u32", unsigned, "r", unsigned, "r", unsigned, "r", unsigned, "r", 13)
PTX3(mad_hi_sat, "mad.hi.sat.s32", int, "r", int, "r", int, "r", int, "r", 13)
PTX3(mad24_hi, "mad24.hi.s32", int, "r", int, "r", int, "r", int, "r", 13)
PTX3(mad24_lo, "mad24.lo.u32", unsigned, "r", unsigned, "r", unsigned, "r", unsigned, "r", 13)
PTX3(mad_wide16, "mad.wide.u16", unsigned, "r", unsigned short, "h", unsigned short, "h", unsigned, "r", 13)
PTX2(add_sat, "add.sat.s32", int, "r", int, "r", int, "r", 13)
PTX2(sub_sat, "sub.sat.s32", int, "r", int, "r", int, "r", 13)
BINARY(average_s, int, int, int, 13, __hadd(a, b))
BINARY(average_r, int, int, int, 13, __rhadd(a, b))
BINARY(average_u, unsigned, unsigned, unsigned, 13, __uhadd(a, b))
BINARY(average_ur, unsigned, unsigned, unsigned, 13, __urhadd(a, b))
TERNARY(sad_s, unsigned, int, int, unsigned, 13, __sad(a, b, c))
TERNARY(sad_u, unsigned, unsigned, unsigned, unsigned, 13, __usad(a, b, c))
PTX3(sad_s64, "sad.s64", long long, "l", long long, "l", long long, "l", long long, "l", 5)
PTX3(sad_u16, "sad.u16", unsigned short, "h", unsigned short, "h", unsigned short, "h", unsigned short, "h", 5)

TERNARY(funnel_left, unsigned, unsigned, unsigned, unsigned, 5, __funnelshift_l(a, b, c))
TERNARY(funnel_left_clamp, unsigned, unsigned, unsigned, unsigned, 5, __funnelshift_lc(a, b, c))
TERNARY(funnel_right, unsigned, unsigned, unsigned, unsigned, 5, __funnelshift_r(a, b, c))
TERNARY(funnel_right_clamp, unsigned, unsigned, unsigned, unsigned, 5, __funnelshift_rc(a, b, c))
TERNARY(permute, unsigned, unsigned, unsigned, unsigned, 0x5140, __byte_perm(a, b, c))
#define PERMUTE(mode)                                                                                                  \
    PTX3(permute_##mode, "prmt.b32." #mode, unsigned, "r", unsigned, "r", unsigned, "r", unsigned, "r", 2)
PERMUTE(f4e)
PERMUTE(b4e)
PERMUTE(rc8)
PERMUTE(ecl)
PERMUTE(ecr)
PERMUTE(rc16)
BINARY(shift_var_l, unsigned, unsigned, unsigned, 40, ({
           unsigned d;
           asm("shl.b32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
           d;
       }))
BINARY(shift_var_r, int, int, unsigned, 40, ({
           int d;
           asm("shr.s32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
           d;
       }))
BINARY(shift_var_u, unsigned, unsigned, unsigned, 40, ({
           unsigned d;
           asm("shr.u32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
           d;
       }))
BINARY(shift_var_l64, unsigned long long, unsigned long long, unsigned, 40, a << b)
BINARY(shift_var_r64, long long, long long, unsigned, 40, a >> b)
BINARY(shift_var_u64, unsigned long long, unsigned long long, unsigned, 40, a >> b)

#define DP4(name, types, A, B, C) PTX3(dot4_##name, "dp4a." types, C, "r", A, "r", B, "r", C, "r", 0x01020304)
DP4(uu, "u32.u32", unsigned, unsigned, unsigned)
DP4(us, "u32.s32", unsigned, int, int)
DP4(su, "s32.u32", int, unsigned, int)
DP4(ss, "s32.s32", int, int, int)
#define DP2(name, types, A, B, C) PTX3(dot2_##name, "dp2a." types, C, "r", A, "r", B, "r", C, "r", 0x01020304)
DP2(luu, "lo.u32.u32", unsigned, unsigned, unsigned)
DP2(lus, "lo.u32.s32", unsigned, int, int)
DP2(lsu, "lo.s32.u32", int, unsigned, int)
DP2(lss, "lo.s32.s32", int, int, int)
DP2(huu, "hi.u32.u32", unsigned, unsigned, unsigned)
DP2(hus, "hi.u32.s32", unsigned, int, int)
DP2(hsu, "hi.s32.u32", int, unsigned, int)
DP2(hss, "hi.s32.s32", int, int, int)

typedef __int128 s128;
typedef unsigned __int128 u128;
BINARY(add128, s128, s128, s128, 5, a + b)
BINARY(sub128, s128, s128, s128, 5, a - b)
BINARY(mul128, u128, u128, u128, 5, a *b)
BINARY(div128, u128, u128, u128, 10, a / b)
BINARY(less128, bool, s128, s128, 5, a < b)
BINARY(min128, u128, u128, u128, 5, a < b ? a : b)
BINARY(shift128, u128, u128, unsigned, 5, a << b)
BINARY(right128, s128, s128, unsigned, 70, a >> b)
UNARY(neg128, s128, s128, -a)
TERNARY(muladd128, u128, unsigned long long, unsigned long long, u128, 9, (u128)a *b + c)

/* Carries in predicates. */
__global__ void carries(unsigned *out, const unsigned *x, unsigned k)
{
    unsigned i = threadIdx.x, s[6];
    asm("add.cc.u32 %0, %6, %7; addc.cc.u32 %1, %7, %8; addc.cc.u32 %2, %8, %9; addc.u32 %3, %9, 0;"
        "sub.cc.u32 %4, %6, %9; subc.u32 %5, %7, %8;"
        : "=&r"(s[0]), "=&r"(s[1]), "=&r"(s[2]), "=&r"(s[3]), "=&r"(s[4]), "=&r"(s[5])
        : "r"(x[i]), "r"(x[i + 1]), "r"(x[i + 2]), "r"(x[i + 3]));
    for (int j = 0; j < 6; j++)
        out[6 * i + j] = s[j];
    unsigned lo, hi, top;
    asm("mad.lo.cc.u32 %0, %3, %4, %5; madc.hi.cc.u32 %1, %3, %4, %6; addc.u32 %2, 0, 0;"
        : "=&r"(lo), "=&r"(hi), "=&r"(top)
        : "r"(x[i]), "r"(x[i + 1]), "r"(x[i + 2]), "r"(k));
    out[i] = lo + hi * top;
}

__global__ void long_sum(unsigned *out, const unsigned *x, const unsigned *y)
{
    unsigned carry = 0;
    for (int j = 0; j < 8; j++) {
        unsigned long long s = (unsigned long long)x[8 * threadIdx.x + j] + y[8 * threadIdx.x + j] + carry;
        out[8 * threadIdx.x + j] = (unsigned)s;
        carry = s >> 32;
    }
}

__global__ void long_product(unsigned *out, const unsigned *x, const unsigned *y)
{
    unsigned long long t[8] = {0};
    for (int j = 0; j < 4; j++) {
        unsigned long long carry = 0;
        for (int k = 0; k < 4; k++) {
            unsigned long long m =
                (unsigned long long)x[4 * threadIdx.x + j] * y[4 * threadIdx.x + k] + t[j + k] + carry;
            t[j + k] = (unsigned)m;
            carry = m >> 32;
        }
        t[j + 4] = carry;
    }
    for (int j = 0; j < 8; j++)
        out[8 * threadIdx.x + j] = (unsigned)t[j];
}

__global__ void predicates(int *out, const int *x, int n)
{
    int i = threadIdx.x;
    bool p = x[i] > 3, q = x[i + 1] < n, r = x[i + 2] == 7, s = x[i + 3] != n, t = x[i + 4] >= 9;
    out[0 * n + i] = p && q || r && s;
    out[1 * n + i] = (p ^ q) && (r ^ s ^ t);
    out[2 * n + i] = p ? q ? 1 : 2 : r ? 3 : 4;
    out[3 * n + i] = p + q + r + s + t;
    out[4 * n + i] = (p | q << 1 | r << 2 | s << 3 | t << 4);
    if (p && !q)
        out[5 * n + i] = x[i + 9];
    if (!(r || s && t))
        out[6 * n + i] = x[i + 19];
}

__global__ void packed_predicates(unsigned *out, const unsigned *x, int n)
{
    bool p[14];
    unsigned i = threadIdx.x, w = 0;
#pragma unroll
    for (int j = 0; j < 14; j++)
        p[j] = x[i + j] > x[i + 2 * j + n];
    __syncthreads();
#pragma unroll
    for (int j = 0; j < 14; j++)
        w += p[j] ? x[i + 31 * j] : x[i + 37 * j + 3];
#pragma unroll
    for (int j = 0; j < 14; j++)
        w ^= p[13 - j] ? x[i + 41 * j] : x[i + 43 * j + 3];
    out[i] = w;
}
