// build plain:
// build ftz: -ftz=true -fmad=false
// build debug: -G only=70,89
#include "kernels.cuh"
#include <cuda_fp16.h>
typedef long long s64;
typedef unsigned long long u64;
#define H1(name, expr) UNARY(name, __half, __half, expr)
#define H2(name, expr) BINARY(name, __half, __half, __half, 1.5f, expr)
#define H3(name, expr) TERNARY(name, __half, __half, __half, __half, 1.5f, expr)
#define P1(name, expr) UNARY(name##2, __half2, __half2, expr)
#define P2(name, expr) BINARY(name##2, __half2, __half2, __half2, __float2half2_rn(1.5f), expr)
#define P3(name, expr) TERNARY(name##2, __half2, __half2, __half2, __half2, __float2half2_rn(1.5f), expr)
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
#if __CUDA_ARCH__ >= 750
E1(htanh_approx)
#endif
E1(hceil)
E1(hfloor)
E1(htrunc)
E1(hrint)
P1(h2sqrt_, h2sqrt(a))
P1(h2exp_, h2exp(a))
P1(h2log_, h2log(a))
P1(h2rcp_, h2rcp(a))
P1(h2floor_, h2floor(a))
#if __CUDA_ARCH__ >= 750
P1(tanh_, h2tanh_approx(a))
#endif
P2(swapped, __hadd2(__lowhigh2highlow(a), __high2half2(b)))
P2(lows, __hmul2(__lows2half2(a, b), __highs2half2(a, b)))
P2(broad, __hfma2(__low2half2(a), __high2half2(b), __halves2half2(__high2half(b), __low2half(a))))
#define C2(cmp)                                                                                                        \
    BINARY(cmp##_1, bool, __half, __half, 0.5f, __h##cmp(a, b))                                                        \
    BINARY(cmp##u_1, bool, __half, __half, 0.5f, __h##cmp##u(a, b)) P2(cmp, __h##cmp##2(a, b))                         \
        P2(cmp##u, __h##cmp##u2(a, b))                                                                                 \
            BINARY(cmp##_b, bool, __half2, __half2, __float2half2_rn(0.5f), __hb##cmp##2(a, b))                        \
                BINARY(cmp##_ub, bool, __half2, __half2, __float2half2_rn(0.5f), __hb##cmp##u2(a, b))                  \
                    BINARY(cmp##_m, unsigned, __half2, __half2, __float2half2_rn(0.5f), __h##cmp##2_mask(a, b))
C2(eq)
C2(ne)
C2(lt)
C2(le)
C2(gt)
C2(ge)
UNARY(nan1, bool, __half, __hisnan(a))
UNARY(inf1, int, __half, __hisinf(a))
P1(nan2, __hisnan2(a))
H3(chosen, a > b ? b : c)
H3(branchy, (a > b && b < c) ? b *c : a - c)
#define FROM(rm)                                                                                                       \
    UNARY(f_##rm, __half, float, __float2half_##rm(a))                                                                 \
    UNARY(i_##rm, __half, int, __int2half_##rm(a)) UNARY(u_##rm, __half, unsigned, __uint2half_##rm(a))                \
        UNARY(s_##rm, __half, short, __short2half_##rm(a))                                                             \
            UNARY(us_##rm, __half, unsigned short, __ushort2half_##rm(a))                                              \
                UNARY(l_##rm, __half, s64, __ll2half_##rm(a)) UNARY(ul_##rm, __half, u64, __ull2half_##rm(a))          \
                    UNARY(hi_##rm, int, __half, __half2int_##rm(a))                                                    \
                        UNARY(hu_##rm, unsigned, __half, __half2uint_##rm(a))                                          \
                            UNARY(hs_##rm, short, __half, __half2short_##rm(a))                                        \
                                UNARY(hus_##rm, unsigned short, __half, __half2ushort_##rm(a))                         \
                                    UNARY(hl_##rm, s64, __half, __half2ll_##rm(a))                                     \
                                        UNARY(hul_##rm, u64, __half, __half2ull_##rm(a))
FROM(rn)
FROM(rz)
FROM(rd)
FROM(ru)
UNARY(d2h, __half, double, __double2half(a))
UNARY(h2d, double, __half, (double)a)
UNARY(h2f, float, __half, __half2float(a))
UNARY(h2c, signed char, __half, __half2char_rz(a))
UNARY(h2uc, unsigned char, __half, __half2uchar_rz(a))
UNARY(c2h, __half, signed char, (__half)(short)a)
BINARY(pair_rn, __half2, float, float, 2.f, __floats2half2_rn(a, b))
UNARY(unpair, float2, __half2, __half22float2(a))
UNARY(pairf2, __half2, float2, __float22half2_rn(a))
#define HPTX1(name, ptx) PTX1(name, ptx, unsigned short, "h", unsigned short, "h")
#define HPTX2(name, ptx) PTX2(name, ptx, unsigned short, "h", unsigned short, "h", unsigned short, "h", 0x3e00)
#define HPTX3(name, ptx)                                                                                               \
    PTX3(name, ptx, unsigned short, "h", unsigned short, "h", unsigned short, "h", unsigned short, "h", 0x3e00)
#define QPTX1(name, ptx) PTX1(name, ptx, unsigned, "r", unsigned, "r")
#define QPTX2(name, ptx) PTX2(name, ptx, unsigned, "r", unsigned, "r", unsigned, "r", 0x3e003c00)
#define QPTX3(name, ptx) PTX3(name, ptx, unsigned, "r", unsigned, "r", unsigned, "r", unsigned, "r", 0x3e003c00)
HPTX2(add_ftz, "add.ftz.f16")
QPTX2(add_ftz2, "add.ftz.f16x2")
HPTX2(mul_ftz_sat, "mul.ftz.sat.f16")
QPTX2(sub_ftz2, "sub.ftz.sat.f16x2")
HPTX3(fma_ftz, "fma.rn.ftz.f16")
QPTX3(fma_ftz2, "fma.rn.ftz.f16x2")
QPTX3(fma_ftz_sat2, "fma.rn.ftz.sat.f16x2")
HPTX1(neg_ftz, "neg.ftz.f16")
QPTX1(abs_ftz2, "abs.ftz.f16x2")
#if __CUDA_ARCH__ >= 750
HPTX1(ex2, "ex2.approx.f16")
QPTX1(ex22, "ex2.approx.f16x2")
HPTX1(tanh1, "tanh.approx.f16")
QPTX1(tanh2, "tanh.approx.f16x2")
#endif
QPTX2(set_lt, "set.lt.f16x2.f16x2")
QPTX2(set_ftz, "set.geu.ftz.f16x2.f16x2")
PTX2(set_u, "set.ne.u32.f16", unsigned, "r", unsigned short, "h", unsigned short, "h", 0x3c00)
#if __CUDA_ARCH__ >= 800
HPTX2(min1, "min.f16")
HPTX2(max_nan, "max.NaN.f16")
QPTX2(min2, "min.f16x2")
QPTX2(max_nan2, "max.NaN.f16x2")
QPTX2(min_ftz2, "min.ftz.f16x2")
QPTX3(fma_relu2, "fma.rn.relu.f16x2")
QPTX3(fma_ftz_relu2, "fma.rn.ftz.relu.f16x2")
PTX2(cvt_pair, "cvt.rn.f16x2.f32", unsigned, "r", float, "f", float, "f", 1.5f)
PTX2(cvt_pair_rz, "cvt.rz.f16x2.f32", unsigned, "r", float, "f", float, "f", 1.5f)
PTX2(cvt_pair_relu, "cvt.rn.relu.f16x2.f32", unsigned, "r", float, "f", float, "f", 1.5f)
PTX1(cvt_relu, "cvt.rz.relu.f16.f32", unsigned short, "h", float, "f")
#endif
#if __CUDA_ARCH__ >= 860
QPTX2(xorsign2, "min.xorsign.abs.f16x2")
HPTX2(xorsign_ftz, "max.ftz.NaN.xorsign.abs.f16")
#endif
#if __CUDA_ARCH__ >= 900
QPTX3(oob2, "fma.rn.oob.f16x2")
HPTX3(oob, "fma.rn.oob.relu.f16")
#endif
__global__ void axpy(__half2 *y, const __half2 *x, __half2 k, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        y[i] = __hfma2(k, x[i], y[i]);
}
