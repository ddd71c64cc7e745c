// build plain:
// build fast: -use_fast_math
// build unfused: -fmad=false -ftz=true
// build debug: -G only=70,75,90a,120a
#include "kernels.cuh"

BINARY(add, float, float, float, 1.5f, a + b)
BINARY(sub, float, float, float, 1.5f, a - b)
BINARY(mul, float, float, float, 1.5f, a *b)
BINARY(divide, float, float, float, 3.0f, a / b)
BINARY(negmul, float, float, float, 3.0f, -a *b)
BINARY(abs_add, float, float, float, 3.0f, fabsf(a) + fabsf(b))
BINARY(abs_sub, float, float, float, 3.0f, -fabsf(a) - b)
TERNARY(fused, float, float, float, float, 2.25f, fmaf(a, b, c))
TERNARY(fused_neg, float, float, float, float, 2.25f, fmaf(-a, b, c))
TERNARY(fused_sub, float, float, float, float, 2.25f, fmaf(a, b, -c))
TERNARY(fused_both, float, float, float, float, 2.25f, fmaf(-a, b, -c))
TERNARY(polynomial, float, float, float, float, 2.25f, ((a * b + c) * a + 0.5f) * a + 1.f)

#define ROUNDED(rm)                                                                                                    \
    BINARY(add_##rm, float, float, float, 1.5f, __fadd_##rm(a, b))                                                     \
    BINARY(sub_##rm, float, float, float, 1.5f, __fsub_##rm(a, b))                                                     \
    BINARY(mul_##rm, float, float, float, 1.5f, __fmul_##rm(a, b))                                                     \
    BINARY(div_##rm, float, float, float, 1.5f, __fdiv_##rm(a, b))                                                     \
    UNARY(rcp_##rm, float, float, __frcp_##rm(a))                                                                      \
    UNARY(sqrt_##rm, float, float, __fsqrt_##rm(a))                                                                    \
    TERNARY(fma_##rm, float, float, float, float, 1.5f, __fmaf_##rm(a, b, c))
ROUNDED(rn)
ROUNDED(rz)
ROUNDED(ru)
ROUNDED(rd)

#define SHAPED(op, rm, mode)                                                                                           \
    PTX2(op##_##rm##_##mode, #op "." #rm "." #mode ".f32", float, "f", float, "f", float, "f", 1.25f)
#define SHAPES(op, rm)                                                                                                 \
    PTX2(op##_##rm##_plain, #op "." #rm ".f32", float, "f", float, "f", float, "f", 1.25f)                             \
    SHAPED(op, rm, ftz)                                                                                                \
    SHAPED(op, rm, sat) PTX2(op##_##rm##_fs, #op "." #rm ".ftz.sat.f32", float, "f", float, "f", float, "f", 1.25f)
#define ALL_SHAPES(op) SHAPES(op, rn) SHAPES(op, rz) SHAPES(op, rm) SHAPES(op, rp)
ALL_SHAPES(add)
ALL_SHAPES(sub)
ALL_SHAPES(mul)
#define FUSED_SHAPE(rm, name, mode)                                                                                    \
    PTX3(fma_##rm##_##name, "fma." #rm mode ".f32", float, "f", float, "f", float, "f", float, "f", 0.75f)
#define FUSED_SHAPES(rm)                                                                                               \
    FUSED_SHAPE(rm, plain, "") FUSED_SHAPE(rm, ftz, ".ftz") FUSED_SHAPE(rm, sat, ".sat") FUSED_SHAPE(rm, fs, ".ftz.sat")
FUSED_SHAPES(rn)
FUSED_SHAPES(rz)
FUSED_SHAPES(rm)
FUSED_SHAPES(rp)
#define ROOT(op, name, mode) PTX1(op##_##name, #op mode ".f32", float, "f", float, "f")
ROOT(rcp, approx, ".approx")
ROOT(rcp, approx_ftz, ".approx.ftz")
ROOT(rcp, exact_ftz, ".rn.ftz")
ROOT(sqrt, approx, ".approx")
ROOT(sqrt, approx_ftz, ".approx.ftz")
ROOT(sqrt, exact_ftz, ".rn.ftz")
ROOT(rsqrt, approx, ".approx")
ROOT(rsqrt, approx_ftz, ".approx.ftz")
ROOT(sin, approx, ".approx")
ROOT(sin, approx_ftz, ".approx.ftz")
ROOT(cos, approx, ".approx")
ROOT(cos, approx_ftz, ".approx.ftz")
ROOT(lg2, approx, ".approx")
ROOT(lg2, approx_ftz, ".approx.ftz")
ROOT(ex2, approx, ".approx")
ROOT(ex2, approx_ftz, ".approx.ftz")
ROOT(abs, plain, "")
ROOT(abs, ftz, ".ftz")
ROOT(neg, plain, "")
ROOT(neg, ftz, ".ftz")
PTX2(div_approx, "div.approx.f32", float, "f", float, "f", float, "f", 3.0f)
PTX2(div_approx_ftz, "div.approx.ftz.f32", float, "f", float, "f", float, "f", 3.0f)
PTX2(div_full, "div.full.f32", float, "f", float, "f", float, "f", 3.0f)
PTX2(div_full_ftz, "div.full.ftz.f32", float, "f", float, "f", float, "f", 3.0f)

BINARY(minimum, float, float, float, 0.5f, fminf(a, b))
BINARY(maximum, float, float, float, 0.5f, fmaxf(a, b))
TERNARY(clamped, float, float, float, float, 0.5f, fminf(fmaxf(a, b), c))
TERNARY(largest, float, float, float, float, 0.5f, fmaxf(fmaxf(a, b), c))
TERNARY(smallest, float, float, float, float, 0.5f, fminf(fminf(a, -b), fabsf(c)))
PTX2(min_ftz, "min.ftz.f32", float, "f", float, "f", float, "f", 2.0f)
PTX2(max_ftz, "max.ftz.f32", float, "f", float, "f", float, "f", 2.0f)
#if __CUDA_ARCH__ >= 800
PTX2(min_nan, "min.NaN.f32", float, "f", float, "f", float, "f", 2.0f)
PTX2(max_nan, "max.NaN.f32", float, "f", float, "f", float, "f", 2.0f)
PTX2(max_ftz_nan, "max.ftz.NaN.f32", float, "f", float, "f", float, "f", 2.0f)
#endif
#if __CUDA_ARCH__ >= 860
PTX2(min_xorsign, "min.xorsign.abs.f32", float, "f", float, "f", float, "f", 2.0f)
PTX2(max_xorsign, "max.NaN.xorsign.abs.f32", float, "f", float, "f", float, "f", 2.0f)
#endif
#if __CUDA_ARCH__ >= 1000
PTX3(max3, "max.f32", float, "f", float, "f", float, "f", float, "f", 2.0f)
PTX3(min3, "min.f32", float, "f", float, "f", float, "f", float, "f", 2.0f)
PTX3(max3_nan, "max.NaN.f32", float, "f", float, "f", float, "f", float, "f", 2.0f)
PTX3(min3_ftz, "min.ftz.f32", float, "f", float, "f", float, "f", float, "f", 2.0f)
PTX3(max3_abs, "max.abs.f32", float, "f", float, "f", float, "f", float, "f", 2.0f)
#endif
UNARY(saturated, float, float, __saturatef(a))
TERNARY(saturated_fma, float, float, float, float, 2.f, __saturatef(fmaf(a, b, c)))
BINARY(saturated_add, float, float, float, 2.f, __saturatef(a + b))
BINARY(sign_copied, float, float, float, 2.f, copysignf(a, b))
UNARY(sign, bool, float, signbit(a))
UNARY(finite, bool, float, isfinite(a))
UNARY(infinite, bool, float, isinf(a))
UNARY(unordered, bool, float, isnan(a))

#define COMPARED(name, test) BINARY(name, float, float, float, 0.25f, (test) ? a * 3 : b + 7)
COMPARED(lt, a < b)
COMPARED(le, a <= b)
COMPARED(gt, a > b)
COMPARED(ge, a >= b)
COMPARED(eq, a == b)
COMPARED(ne, a != b)
COMPARED(not_lt, !(a < b))
COMPARED(not_ge, !(a >= b))
COMPARED(not_le, !(a <= b))
COMPARED(not_gt, !(a > b))
COMPARED(unord, isnan(a) || isnan(b))
COMPARED(abs_lt, fabsf(a) < -b)
COMPARED(in_range, a > 0 && a < b)
COMPARED(outside, a<-1 || a> b)
#define SET(cmp)                                                                                                       \
    PTX2(set_##cmp, "set." #cmp ".f32.f32", float, "f", float, "f", float, "f", 1.5f)                                  \
    PTX2(setu_##cmp, "set." #cmp ".ftz.u32.f32", unsigned, "r", float, "f", float, "f", 1.5f)
SET(eq)
SET(ne)
SET(lt)
SET(le)
SET(gt)
SET(ge)
SET(equ)
SET(neu)
SET(ltu)
SET(leu)
SET(gtu)
SET(geu)
SET(num)
SET(nan)
TERNARY(selected, float, float, float, float, 3.f, a > 0 ? b : c)
PTX3(slct, "slct.f32.f32", float, "f", float, "f", float, "f", float, "f", 3.f)
PTX3(slct_ftz, "slct.ftz.s32.f32", int, "r", int, "r", int, "r", float, "f", 3)
PTX2(copysign_, "copysign.f32", float, "f", float, "f", float, "f", 3.f)
PTX1(testp, "{.reg .pred p; testp.subnormal.f32 p, %1; selp.u32 %0, 1, 0, p;} //", unsigned, "r", float, "f")
#if __CUDA_ARCH__ >= 750
PTX1(tanh_approx, "tanh.approx.f32", float, "f", float, "f")
#endif

__global__ void dot(float *out, const float4 *x, const float4 *y, int n)
{
    float s = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        s += x[i].x * y[i].x + x[i].y * y[i].y + x[i].z * y[i].z + x[i].w * y[i].w;
    out[threadIdx.x] = s;
}

__global__ void uniform_float(float *out, const float *x, float a, float b, float c, int n)
{
    float k = a * b + c, m = fminf(a, b), t = a > b ? b : c, r = rintf(a), v = (float)n * b;
    out[threadIdx.x] = x[threadIdx.x] * k + m - t * r + v + (float)(int)(a + c);
}

#if __CUDA_ARCH__ >= 1000
#define PAIR2(name, op)                                                                                                \
    BINARY(name, unsigned long long, unsigned long long, unsigned long long, 0x3f8000003f000000ull, ({                 \
               unsigned long long d;                                                                                   \
               asm volatile(op " %0, %1, %2;" : "=l"(d) : "l"(a), "l"(b));                                             \
               d;                                                                                                      \
           }))
PAIR2(pair_add, "add.rn.f32x2")
PAIR2(pair_add_ftz, "add.rn.ftz.f32x2")
PAIR2(pair_add_rz, "add.rz.f32x2")
PAIR2(pair_add_rm, "add.rm.f32x2")
PAIR2(pair_add_rp, "add.rp.ftz.f32x2")
PAIR2(pair_sub, "sub.rn.f32x2")
PAIR2(pair_mul, "mul.rn.f32x2")
PAIR2(pair_mul_rz, "mul.rz.ftz.f32x2")
#define PAIR3(name, op)                                                                                                \
    TERNARY(name, unsigned long long, unsigned long long, unsigned long long, unsigned long long,                      \
            0x3f8000003f000000ull, ({                                                                                  \
                unsigned long long d;                                                                                  \
                asm volatile(op " %0, %1, %2, %3;" : "=l"(d) : "l"(a), "l"(b), "l"(c));                                \
                d;                                                                                                     \
            }))
PAIR3(pair_fma, "fma.rn.f32x2")
PAIR3(pair_fma_ftz, "fma.rn.ftz.f32x2")
PAIR3(pair_fma_rm, "fma.rm.f32x2")
PAIR3(pair_fma_rp, "fma.rp.f32x2")
#endif
