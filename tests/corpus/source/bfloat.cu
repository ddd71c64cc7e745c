// arch: 80 86 89 90 100 120
// build plain:

// build debug: -G only=90a
#include "kernels.cuh"
#include <cuda_bf16.h>
typedef long long s64;
typedef unsigned long long u64;
#define H1(name, expr) UNARY(name, __nv_bfloat16, __nv_bfloat16, expr)
#define H2(name, expr) BINARY(name, __nv_bfloat16, __nv_bfloat16, __nv_bfloat16, 1.5f, expr)
#define H3(name, expr) TERNARY(name, __nv_bfloat16, __nv_bfloat16, __nv_bfloat16, __nv_bfloat16, 1.5f, expr)
#define P1(name, expr) UNARY(name##2, __nv_bfloat162, __nv_bfloat162, expr)
#define P2(name, expr) BINARY(name##2, __nv_bfloat162, __nv_bfloat162, __nv_bfloat162, __float2bfloat162_rn(1.5f), expr)
#define P3(name, expr)                                                                                                 \
    TERNARY(name##2, __nv_bfloat162, __nv_bfloat162, __nv_bfloat162, __nv_bfloat162, __float2bfloat162_rn(1.5f), expr)
#define E1(f) H1(k##f, f(a))
#define E2(f, g) H2(k##f, f(a, b)) P2(k##f, g(a, b))
E2(__hadd, __hadd2)
E2(__hsub, __hsub2)
E2(__hmul, __hmul2)
E2(__hadd_sat, __hadd2_sat)
E2(__hsub_sat, __hsub2_sat)
E2(__hmul_sat, __hmul2_sat)
E2(__hadd_rn, __hadd2_rn)
E2(__hmul_rn, __hmul2_rn)
E2(__hdiv, __h2div)
E2(__hmax, __hmax2)
E2(__hmin, __hmin2)
E2(__hmax_nan, __hmax2_nan)
E2(__hmin_nan, __hmin2_nan)
H3(fma1, __hfma(a, b, c))
P3(fma1, __hfma2(a, b, c))
H3(fma_sat, __hfma_sat(a, b, c))
P3(fma_sat, __hfma2_sat(a, b, c))
H3(fma_relu, __hfma_relu(a, b, c))
P3(fma_relu, __hfma2_relu(a, b, c))
P3(cmadd, __hcmadd(a, b, c))
H3(fma_neg, __hfma(__hneg(a), b, __habs(c)))
P3(fma_neg, __hfma2(__hneg2(a), b, __habs2(c)))
H1(negated, __hneg(a))
H1(absolute, __habs(a))
P1(negated, __hneg2(a))
P1(absolute, __habs2(a))
E1(hsqrt)
E1(hrsqrt)
E1(hrcp)
E1(hsin)
E1(hcos)
E1(hexp)
E1(hexp2)
E1(hexp10)
E1(hlog)
E1(hlog2)
E1(hlog10)
E1(htanh)
E1(htanh_approx)
E1(hceil)
E1(hfloor)
E1(htrunc)
E1(hrint)
P1(h2sqrt_, h2sqrt(a))
P1(h2exp_, h2exp(a))
P1(h2log_, h2log(a))
P1(h2rcp_, h2rcp(a))
P1(h2floor_, h2floor(a))
P1(tanh_, h2tanh_approx(a))
P2(swapped, __hadd2(__lowhigh2highlow(a), __high2bfloat162(b)))
P2(lows, __hmul2(__lows2bfloat162(a, b), __highs2bfloat162(a, b)))
P2(broad, __hfma2(__low2bfloat162(a), __high2bfloat162(b), __halves2bfloat162(__high2bfloat16(b), __low2bfloat16(a))))
#define C2(cmp)                                                                                                        \
    BINARY(cmp##_1, bool, __nv_bfloat16, __nv_bfloat16, 0.5f, __h##cmp(a, b))                                          \
    BINARY(cmp##u_1, bool, __nv_bfloat16, __nv_bfloat16, 0.5f, __h##cmp##u(a, b)) P2(cmp, __h##cmp##2(a, b))           \
        P2(cmp##u, __h##cmp##u2(a, b)) BINARY(cmp##_b, bool, __nv_bfloat162, __nv_bfloat162,                           \
                                              __float2bfloat162_rn(0.5f), __hb##cmp##2(a, b))                          \
            BINARY(cmp##_ub, bool, __nv_bfloat162, __nv_bfloat162, __float2bfloat162_rn(0.5f), __hb##cmp##u2(a, b))    \
                BINARY(cmp##_m, unsigned, __nv_bfloat162, __nv_bfloat162, __float2bfloat162_rn(0.5f),                  \
                       __h##cmp##2_mask(a, b))
C2(eq)
C2(ne)
C2(lt)
C2(le)
C2(gt)
C2(ge)
UNARY(nan1, bool, __nv_bfloat16, __hisnan(a))
UNARY(inf1, int, __nv_bfloat16, __hisinf(a))
P1(nan2, __hisnan2(a))
H3(chosen, a > b ? b : c)
H3(branchy, (a > b && b < c) ? b *c : a - c)
#define FROM(rm)                                                                                                       \
    UNARY(f_##rm, __nv_bfloat16, float, __float2bfloat16_##rm(a))                                                      \
    UNARY(i_##rm, __nv_bfloat16, int, __int2bfloat16_##rm(a))                                                          \
        UNARY(u_##rm, __nv_bfloat16, unsigned, __uint2bfloat16_##rm(a))                                                \
            UNARY(s_##rm, __nv_bfloat16, short, __short2bfloat16_##rm(a))                                              \
                UNARY(us_##rm, __nv_bfloat16, unsigned short, __ushort2bfloat16_##rm(a))                               \
                    UNARY(l_##rm, __nv_bfloat16, s64, __ll2bfloat16_##rm(a))                                           \
                        UNARY(ul_##rm, __nv_bfloat16, u64, __ull2bfloat16_##rm(a))                                     \
                            UNARY(hi_##rm, int, __nv_bfloat16, __bfloat162int_##rm(a))                                 \
                                UNARY(hu_##rm, unsigned, __nv_bfloat16, __bfloat162uint_##rm(a))                       \
                                    UNARY(hs_##rm, short, __nv_bfloat16, __bfloat162short_##rm(a))                     \
                                        UNARY(hus_##rm, unsigned short, __nv_bfloat16, __bfloat162ushort_##rm(a))      \
                                            UNARY(hl_##rm, s64, __nv_bfloat16, __bfloat162ll_##rm(a))                  \
                                                UNARY(hul_##rm, u64, __nv_bfloat16, __bfloat162ull_##rm(a))
FROM(rn)
FROM(rz)
FROM(rd)
FROM(ru)
UNARY(d2h, __nv_bfloat16, double, __double2bfloat16(a))
UNARY(h2d, double, __nv_bfloat16, (double)(float)a)
UNARY(h2f, float, __nv_bfloat16, __bfloat162float(a))
UNARY(h2c, signed char, __nv_bfloat16, __bfloat162char_rz(a))
UNARY(h2uc, unsigned char, __nv_bfloat16, __bfloat162uchar_rz(a))
UNARY(c2h, __nv_bfloat16, signed char, (__nv_bfloat16)(short)a)
BINARY(pair_rn, __nv_bfloat162, float, float, 2.f, __floats2bfloat162_rn(a, b))
UNARY(unpair, float2, __nv_bfloat162, __bfloat1622float2(a))
UNARY(pairf2, __nv_bfloat162, float2, __float22bfloat162_rn(a))
#define HPTX1(name, ptx) PTX1(name, ptx, unsigned short, "h", unsigned short, "h")
#define HPTX2(name, ptx) PTX2(name, ptx, unsigned short, "h", unsigned short, "h", unsigned short, "h", 0x3fc0)
#define HPTX3(name, ptx)                                                                                               \
    PTX3(name, ptx, unsigned short, "h", unsigned short, "h", unsigned short, "h", unsigned short, "h", 0x3fc0)
#define QPTX1(name, ptx) PTX1(name, ptx, unsigned, "r", unsigned, "r")
#define QPTX2(name, ptx) PTX2(name, ptx, unsigned, "r", unsigned, "r", unsigned, "r", 0x3fc03f80)
#define QPTX3(name, ptx) PTX3(name, ptx, unsigned, "r", unsigned, "r", unsigned, "r", unsigned, "r", 0x3fc03f80)
#if __CUDA_ARCH__ >= 800
HPTX2(min1, "min.bf16")
HPTX2(max_nan, "max.NaN.bf16")
QPTX2(min2, "min.bf16x2")
QPTX2(max_nan2, "max.NaN.bf16x2")
QPTX3(fma_relu2, "fma.rn.relu.bf16x2")
PTX2(cvt_pair, "cvt.rn.bf16x2.f32", unsigned, "r", float, "f", float, "f", 1.5f)
PTX2(cvt_pair_rz, "cvt.rz.bf16x2.f32", unsigned, "r", float, "f", float, "f", 1.5f)
PTX2(cvt_pair_relu, "cvt.rn.relu.bf16x2.f32", unsigned, "r", float, "f", float, "f", 1.5f)
PTX1(cvt_relu, "cvt.rz.relu.bf16.f32", unsigned short, "h", float, "f")
#endif
#if __CUDA_ARCH__ >= 860
QPTX2(xorsign2, "min.xorsign.abs.bf16x2")
HPTX2(xorsign_1, "max.NaN.xorsign.abs.bf16")
#endif
#if __CUDA_ARCH__ >= 900
QPTX3(oob2, "fma.rn.oob.bf16x2")
HPTX3(oob, "fma.rn.oob.relu.bf16")
#endif
__global__ void axpy(__nv_bfloat162 *y, const __nv_bfloat162 *x, __nv_bfloat162 k, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        y[i] = __hfma2(k, x[i], y[i]);
}
#if __CUDA_ARCH__ >= 800
PTX1(tf32, "cvt.rna.tf32.f32", unsigned, "r", float, "f")
QPTX1(neg_p, "neg.bf16x2")
QPTX1(abs_p, "abs.bf16x2")
QPTX3(fma_p, "fma.rn.bf16x2")
#endif
#if __CUDA_ARCH__ >= 900
PTX1(tf32_rn, "cvt.rn.tf32.f32", unsigned, "r", float, "f")
PTX1(tf32_relu, "cvt.rz.relu.tf32.f32", unsigned, "r", float, "f")
HPTX2(add_b, "add.rn.bf16")
QPTX2(add_b2, "add.rn.bf16x2")
HPTX2(mul_b, "mul.rn.bf16")
QPTX2(sub_b2, "sub.rn.bf16x2")
HPTX1(tanh_b, "tanh.approx.bf16")
QPTX1(tanh_b2, "tanh.approx.bf16x2")
HPTX1(ex2_b, "ex2.approx.ftz.bf16")
QPTX1(ex2_b2, "ex2.approx.ftz.bf16x2")
QPTX2(set_b, "set.lt.bf16x2.bf16x2")
PTX2(set_bu, "set.ne.u32.bf16", unsigned, "r", unsigned short, "h", unsigned short, "h", 0x3f80)
#endif
