/* The dialect in CUDA C++. */
#ifndef SUBCORE_TESTS_RANDOM_DEVICE_H
#define SUBCORE_TESTS_RANDOM_DEVICE_H

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define STEP static __device__ __forceinline__
#define CALLED static __device__ __noinline__
#define TABLE static __constant__

#define PROGRAM(number, steps)                                                                                         \
    extern "C" __global__ void __launch_bounds__(THREADS) program_##number(const u32 *in, u32 *out)                    \
    {                                                                                                                  \
        __shared__ u32 shared[THREADS];                                                                                \
        u32 cta = blockIdx.x, lane = threadIdx.x, t = cta * THREADS + lane;                                            \
        struct state s;                                                                                                \
        state_begin(&s, in, t);                                                                                        \
        steps state_end(&s, out, t);                                                                                   \
        (void)shared;                                                                                                  \
    }
#define EACH(step) step(&s, in, t);
#define EXCHANGE(kind, n) s.u[0] = exchange_##kind(s.u[0], n, lane, shared);

/* ---- exchanges: every thread of the CTA takes part --------------------------------------------------------------- */

#define WARP 0xffffffffu
STEP u32 exchange_permute(u32 x, u32 n, u32 lane, u32 *shared)
{
    __syncthreads();
    shared[lane] = x;
    __syncthreads();
    return shared[(lane * (2 * n + 1) + n) % THREADS];
}
STEP u32 exchange_sum(u32 x, u32 n, u32 lane, u32 *shared)
{
    __syncthreads();
    shared[lane] = n;
    __syncthreads();
    atomicAdd(&shared[(lane * (n | 1)) % 8], x);
    atomicMax(&shared[8 + lane % 3], x);
    atomicMin((int *)&shared[11 + lane % 3], (int)x);
    atomicXor(&shared[14 + lane % 5], x);
    __syncthreads();
    return shared[lane % 20];
}
STEP u32 exchange_xor(u32 x, u32 n, u32, u32 *) { return __shfl_xor_sync(WARP, x, (int)(n % 32)); }
STEP u32 exchange_up(u32 x, u32 n, u32, u32 *) { return __shfl_up_sync(WARP, x, n % 32, 16); }
STEP u32 exchange_down(u32 x, u32 n, u32, u32 *) { return __shfl_down_sync(WARP, x, n % 32, 32); }
STEP u32 exchange_index(u32 x, u32 n, u32 lane, u32 *) { return __shfl_sync(WARP, x, (int)(lane * n), 8); }
STEP u32 exchange_ballot(u32 x, u32 n, u32, u32 *) { return __ballot_sync(WARP, x >> n % 32 & 1); }
#if __CUDA_ARCH__ >= 700
STEP u32 match(u32 x) { return __match_any_sync(WARP, x); }
#else
STEP u32 match(u32 x)
{
    u32 same = 0;
    for (u32 lane = 0; lane < 32; lane++)
        same |= (u32)(__shfl_sync(WARP, x, lane) == x) << lane;
    return same;
}
#endif
STEP u32 exchange_match(u32 x, u32 n, u32, u32 *) { return match(x >> (24 + n % 8)); }
STEP u32 exchange_all(u32 x, u32 n, u32, u32 *)
{
    return x + (u32)__all_sync(WARP, (int)(x | n)) + 2u * (u32)__any_sync(WARP, (int)(x == n));
}
STEP u32 exchange_reduce(u32 x, u32 n, u32, u32 *)
{
#if __CUDA_ARCH__ >= 800
    u32 sum = __reduce_add_sync(WARP, x), most = (u32)__reduce_max_sync(WARP, (s32)x), bits = __reduce_or_sync(WARP, x);
#else
    u32 sum = x, bits = x;
    s32 most = (s32)x;
    for (int k = 16; k; k >>= 1) {
        sum += __shfl_xor_sync(WARP, sum, k);
        most = max(most, __shfl_xor_sync(WARP, most, k));
        bits |= __shfl_xor_sync(WARP, bits, k);
    }
#endif
    return n % 3 == 0 ? sum : n % 3 == 1 ? (u32)most : bits;
}
STEP u32 exchange_count(u32 x, u32 n, u32, u32 *)
{
    return x ^ (u32)__syncthreads_count((int)(x >> n % 32 & 1)) ^ (u32)__syncthreads_or((int)(x == n)) << 8;
}

/* ---- integers ---------------------------------------------------------------------------------------------------- */

#define float_bits __float_as_uint
#define bits_float __uint_as_float
#define bits_double(x) __longlong_as_double((long long)(x))
#define double_bits(x) ((u64)__double_as_longlong(x))

STEP u32 mul_high(u32 a, u32 b) { return __umulhi(a, b); }
STEP u32 mul_high_signed(u32 a, u32 b) { return (u32)__mulhi((s32)a, (s32)b); }
STEP u64 mul_high_long(u64 a, u64 b) { return __umul64hi(a, b); }
STEP u64 mul_wide(u32 a, u32 b) { return (u64)a * b; }
STEP u64 mul_wide_signed(u32 a, u32 b) { return (u64)((s64)(s32)a * (s32)b); }
STEP u32 rotate(u32 a, u32 n) { return __funnelshift_l(a, a, n); }
STEP u32 funnel(u32 a, u32 b, u32 n) { return __funnelshift_r(a, b, n); }
STEP u32 funnel_clamped(u32 a, u32 b, u32 n) { return __funnelshift_lc(a, b, n & 63u); }
STEP u32 count_bits(u32 a) { return (u32)__popc(a); }
STEP u32 count_bits_long(u64 a) { return (u32)__popcll(a); }
STEP u32 leading_zeros(u32 a) { return (u32)__clz((s32)a); }
STEP u32 leading_zeros_long(u64 a) { return (u32)__clzll((s64)a); }
STEP u32 first_bit(u32 a) { return (u32)__ffs((s32)a); }
STEP u32 reverse_bits(u32 a) { return __brev(a); }
STEP u64 reverse_bits_long(u64 a) { return __brevll(a); }
STEP u32 pick_bytes(u32 a, u32 b, u32 how) { return __byte_perm(a, b, how & 0x7777u); }
STEP u32 absolute(u32 a) { return (u32)abs((s32)(a | 1u)); }
STEP u32 difference(u32 a, u32 b, u32 c) { return __sad((s32)(a >> 2), (s32)(b >> 2), c); }
#if __CUDA_ARCH__ < 610
STEP s32 __dp4a(s32 a, s32 b, s32 c)
{
    for (int i = 0; i < 32; i += 8)
        c += (s32)(signed char)(a >> i) * (signed char)(b >> i);
    return c;
}
STEP u32 __dp4a(u32 a, u32 b, u32 c)
{
    for (int i = 0; i < 32; i += 8)
        c += (a >> i & 255) * (b >> i & 255);
    return c;
}
STEP u32 __dp2a_lo(u32 a, u32 b, u32 c) { return c + (a & 65535) * (b & 255) + (a >> 16) * (b >> 8 & 255); }
#endif
STEP u32 dot4(u32 a, u32 b, u32 c) { return __dp4a(a, b, c); }
STEP u32 dot4_signed(u32 a, u32 b, u32 c) { return (u32)__dp4a((s32)a, (s32)b, (s32)c); }
STEP u32 dot2_low(u32 a, u32 b, u32 c) { return __dp2a_lo(a, b, c); }
STEP u32 add4(u32 a, u32 b) { return __vadd4(a, b); }
STEP u32 add2_saturated(u32 a, u32 b) { return __vaddss2(a, b); }
STEP u32 distance4(u32 a, u32 b) { return __vabsdiffu4(a, b); }
STEP u32 max2_signed(u32 a, u32 b) { return __vmaxs2(a, b); }
STEP u32 min4(u32 a, u32 b) { return __vminu4(a, b); }
STEP u32 equal4(u32 a, u32 b) { return __vcmpeq4(a, b); }
/* Before sm_90 the compiler takes it that these sums do not overflow. */
STEP u32 add_max(u32 a, u32 b, u32 c) { return (u32)__viaddmax_s32((s32)a >> 1, (s32)b >> 1, (s32)c); }
STEP u32 add_min_relu(u32 a, u32 b, u32 c) { return (u32)__viaddmin_s32_relu((s32)a >> 1, (s32)b >> 1, (s32)c); }
STEP u32 max3_2(u32 a, u32 b, u32 c) { return __vimax3_s16x2(a, b, c); }
STEP u32 min3(u32 a, u32 b, u32 c) { return __vimin3_u32(a, b, c); }

/* ---- floats ------------------------------------------------------------------------------------------------------ */

#define IEEE(type, name, call)                                                                                         \
    STEP type name##_rn call(rn)                                                                                       \
    STEP type name##_rd call(rd)                                                                                       \
    STEP type name##_ru call(ru)                                                                                       \
    STEP type name##_rz call(rz)
#define ADD32(r)                                                                                                       \
    (f32 a, f32 b) { return __fadd_##r(a, b); }
#define MUL32(r)                                                                                                       \
    (f32 a, f32 b) { return __fmul_##r(a, b); }
#define DIV32(r)                                                                                                       \
    (f32 a, f32 b) { return __fdiv_##r(a, b); }
#define FMA32(r)                                                                                                       \
    (f32 a, f32 b, f32 c) { return __fmaf_##r(a, b, c); }
#define ROOT32(r)                                                                                                      \
    (f32 a) { return __fsqrt_##r(a); }
#define ADD64(r)                                                                                                       \
    (f64 a, f64 b) { return __dadd_##r(a, b); }
#define MUL64(r)                                                                                                       \
    (f64 a, f64 b) { return __dmul_##r(a, b); }
#define DIV64(r)                                                                                                       \
    (f64 a, f64 b) { return __ddiv_##r(a, b); }
#define FMA64(r)                                                                                                       \
    (f64 a, f64 b, f64 c) { return __fma_##r(a, b, c); }
#define ROOT64(r)                                                                                                      \
    (f64 a) { return __dsqrt_##r(a); }
#define NARROW(r)                                                                                                      \
    (f64 a) { return __double2float_##r(a); }
#define FROM_S32(r)                                                                                                    \
    (u32 a) { return __int2float_##r((s32)a); }
/* ptxas 12 takes the number of a converted short or byte for a signed one on Pascal, unless it comes from elsewhere. */
#if __CUDA_ARCH__ < 700
#define FROM_AFAR(a) ((a) ^ blockIdx.y) /* 0, which no compiler knows */
#else
#define FROM_AFAR(a) (a)
#endif
#define FROM_U32(r)                                                                                                    \
    (u32 a) { return __uint2float_##r(FROM_AFAR(a)); }
#define FROM_S64(r)                                                                                                    \
    (u64 a) { return __ll2float_##r((s64)a); }
#define FROM_U64(r)                                                                                                    \
    (u64 a) { return __ull2float_##r(a); }
#define DOUBLE_FROM_S64(r)                                                                                             \
    (u64 a) { return __ll2double_##r((s64)a); }
#define DOUBLE_FROM_U64(r)                                                                                             \
    (u64 a) { return __ull2double_##r(a); }
#define TO_S32(r)                                                                                                      \
    (f32 a) { return (u32)__float2int_##r(a); }
#define TO_U32(r)                                                                                                      \
    (f32 a) { return __float2uint_##r(a); }
#define TO_S64(r)                                                                                                      \
    (f32 a) { return (u64)__float2ll_##r(a == a ? a : 0.0f); }
#define TO_U64(r)                                                                                                      \
    (f32 a) { return __float2ull_##r(a == a ? a : 0.0f); }
#define DOUBLE_TO_S32(r)                                                                                               \
    (f64 a) { return (u32)__double2int_##r(a == a ? a : 0.0); }
#define DOUBLE_TO_U32(r)                                                                                               \
    (f64 a) { return __double2uint_##r(a == a ? a : 0.0); }
#define DOUBLE_TO_S64(r)                                                                                               \
    (f64 a) { return (u64)__double2ll_##r(a == a ? a : 0.0); }
#define DOUBLE_TO_U64(r)                                                                                               \
    (f64 a) { return __double2ull_##r(a == a ? a : 0.0); }
#include "operations.h"

STEP f32 least(f32 a, f32 b) { return fminf(a, b); }
STEP f32 most(f32 a, f32 b) { return fmaxf(a, b); }
STEP f64 least64(f64 a, f64 b) { return fmin(a, b); }
STEP f64 most64(f64 a, f64 b) { return fmax(a, b); }

STEP f64 widen(f32 a) { return (f64)a; }
STEP f64 double_from_signed(u32 a) { return (f64)(s32)a; }
STEP f64 double_from_unsigned(u32 a) { return (f64)FROM_AFAR(a); }
STEP f32 through_half(f32 a) { return __half2float(__float2half_rn(a)); }
STEP f32 through_bfloat(f32 a) { return __bfloat162float(__float2bfloat16_rn(a)); }
STEP f32 half_sum(f32 a, f32 b) { return __half2float(__hadd_rn(__float2half_rn(a), __float2half_rn(b))); }
STEP f32 half_product(f32 a, f32 b) { return __half2float(__hmul_rn(__float2half_rn(a), __float2half_rn(b))); }

#endif
