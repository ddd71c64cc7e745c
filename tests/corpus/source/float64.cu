// build plain:
// build unfused: -fmad=false
// build debug: -G only=70,80,100a
#include "kernels.cuh"

BINARY(add, double, double, double, 1.5, a + b)
BINARY(sub, double, double, double, 1.5, a - b)
BINARY(mul, double, double, double, 1.5, a *b)
BINARY(divide, double, double, double, 3.0, a / b)
BINARY(abs_add, double, double, double, 3.0, fabs(a) + fabs(b))
BINARY(neg_abs, double, double, double, 3.0, -fabs(a) * -b)
TERNARY(fused, double, double, double, double, 2.25, fma(a, b, c))
TERNARY(fused_neg, double, double, double, double, 2.1, fma(-a, b, c))
TERNARY(fused_sub, double, double, double, double, 2.25, fma(a, b, -c))
TERNARY(fused_both, double, double, double, double, 2.25, fma(a, -b, -c))
TERNARY(polynomial, double, double, double, double, 2.25, ((a * b + c) * a + 0.1) * a + 1.)
#define ROUNDED(rm)                                                                                                    \
    BINARY(add_##rm, double, double, double, 1.5, __dadd_##rm(a, b))                                                   \
    BINARY(sub_##rm, double, double, double, 1.5, __dsub_##rm(a, b))                                                   \
    BINARY(mul_##rm, double, double, double, 1.5, __dmul_##rm(a, b))                                                   \
    BINARY(div_##rm, double, double, double, 1.5, __ddiv_##rm(a, b))                                                   \
    UNARY(rcp_##rm, double, double, __drcp_##rm(a))                                                                    \
    UNARY(sqrt_##rm, double, double, __dsqrt_##rm(a))                                                                  \
    TERNARY(fma_##rm, double, double, double, double, 1.5, __fma_##rm(a, b, c))
ROUNDED(rn)
ROUNDED(rz)
ROUNDED(ru)
ROUNDED(rd)
BINARY(minimum, double, double, double, 0.5, fmin(a, b))
BINARY(maximum, double, double, double, 0.5, fmax(a, b))
BINARY(sign_copied, double, double, double, 0.5, copysign(a, b))
#define COMPARED(name, test) BINARY(name, double, double, double, 0.25, (test) ? a * 3 : b + 7)
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
COMPARED(ord, !isnan(a) && !isnan(b))
COMPARED(abs_lt, fabs(a) < -b)
COMPARED(range, a > 0 && a < b)
COMPARED(either, a<0 || b> 4)
COMPARED(equ, !(a < b || a > b))
PTX1(rcp_ftz, "rcp.approx.ftz.f64", double, "d", double, "d")
PTX1(rsqrt_ftz, "rsqrt.approx.ftz.f64", double, "d", double, "d")
PTX2(set_lt, "set.lt.f32.f64", float, "f", double, "d", double, "d", 1.5)
PTX2(set_ge, "set.geu.u32.f64", unsigned, "r", double, "d", double, "d", 1.5)
TERNARY(chosen, double, double, double, double, 3., a > 0 ? b : c)
__global__ void dot(double *out, const double2 *x, const double2 *y, int n)
{
    double s = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        s += x[i].x * y[i].x + x[i].y * y[i].y;
    out[threadIdx.x] = s;
}
