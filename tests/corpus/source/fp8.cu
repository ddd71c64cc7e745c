// arch: 80 89 90 100a 120a
// build plain:
#include "kernels.cuh"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>
UNARY(e4m3, unsigned, float, __nv_cvt_float_to_fp8(a, __NV_SATFINITE, __NV_E4M3))
UNARY(e5m2, unsigned, float, __nv_cvt_float_to_fp8(a, __NV_SATFINITE, __NV_E5M2))
UNARY(e4m3x2, unsigned, float2, __nv_cvt_float2_to_fp8x2(a, __NV_SATFINITE, __NV_E4M3))
UNARY(e5m2x2, unsigned, float2, __nv_cvt_float2_to_fp8x2(a, __NV_SATFINITE, __NV_E5M2))
UNARY(e4m3_nosat, unsigned, float2, __nv_cvt_float2_to_fp8x2(a, __NV_NOSAT, __NV_E4M3))
UNARY(e4m3_half, unsigned, __half2_raw, __nv_cvt_halfraw2_to_fp8x2(a, __NV_SATFINITE, __NV_E4M3))
UNARY(e5m2_half, unsigned, __half2_raw, __nv_cvt_halfraw2_to_fp8x2(a, __NV_SATFINITE, __NV_E5M2))
UNARY(half_e4m3, __half2, unsigned short, __half2(__nv_cvt_fp8x2_to_halfraw2(a, __NV_E4M3)))
UNARY(half_e5m2, __half2, unsigned short, __half2(__nv_cvt_fp8x2_to_halfraw2(a, __NV_E5M2)))
UNARY(half1_e4m3, __half, unsigned char, __half(__nv_cvt_fp8_to_halfraw(a, __NV_E4M3)))
UNARY(e2m3, unsigned, float2, __nv_cvt_float2_to_fp6x2(a, __NV_E2M3, cudaRoundNearest))
UNARY(e3m2, unsigned, float2, __nv_cvt_float2_to_fp6x2(a, __NV_E3M2, cudaRoundNearest))
UNARY(e2m1, unsigned, float2, __nv_cvt_float2_to_fp4x2(a, __NV_E2M1, cudaRoundNearest))
UNARY(half_e2m3, __half2, unsigned short, __half2(__nv_cvt_fp6x2_to_halfraw2(a, __NV_E2M3)))
UNARY(half_e3m2, __half2, unsigned short, __half2(__nv_cvt_fp6x2_to_halfraw2(a, __NV_E3M2)))
UNARY(half_e2m1, __half2, unsigned char, __half2(__nv_cvt_fp4x2_to_halfraw2(a, __NV_E2M1)))
UNARY(e8m0, unsigned, float, __nv_cvt_float_to_e8m0(a, __NV_SATFINITE, cudaRoundPosInf))
UNARY(e8m0x2, unsigned, float2, __nv_cvt_float2_to_e8m0x2(a, __NV_SATFINITE, cudaRoundZero))
UNARY(bf16_e8m0, __nv_bfloat162, unsigned short, __nv_bfloat162(__nv_cvt_e8m0x2_to_bf162raw(a)))
#if __CUDA_ARCH__ >= 890
#define CVT8(name, ptx) PTX2(cvt_##name, "cvt." ptx, unsigned short, "h", float, "f", float, "f", 1.5f)
CVT8(e4m3, "rn.satfinite.e4m3x2.f32")
CVT8(e5m2, "rn.satfinite.e5m2x2.f32")
CVT8(e4m3_relu, "rn.satfinite.relu.e4m3x2.f32")
CVT8(e5m2_relu, "rn.satfinite.relu.e5m2x2.f32")
PTX1(cvt_e4m3_h, "cvt.rn.satfinite.e4m3x2.f16x2", unsigned short, "h", unsigned, "r")
PTX1(cvt_e5m2_hr, "cvt.rn.satfinite.relu.e5m2x2.f16x2", unsigned short, "h", unsigned, "r")
PTX1(cvt_h_e4m3, "cvt.rn.f16x2.e4m3x2", unsigned, "r", unsigned short, "h")
PTX1(cvt_h_e5m2r, "cvt.rn.relu.f16x2.e5m2x2", unsigned, "r", unsigned short, "h")
#endif
#if __CUDA_ARCH__ >= 1000
CVT8(e2m3, "rn.satfinite.e2m3x2.f32")
CVT8(e3m2_relu, "rn.satfinite.relu.e3m2x2.f32")
CVT8(ue8m0, "rz.satfinite.ue8m0x2.f32")
CVT8(ue8m0_rp, "rp.ue8m0x2.f32")
PTX1(cvt_h_e2m3, "cvt.rn.f16x2.e2m3x2", unsigned, "r", unsigned short, "h")
PTX1(cvt_h_e3m2, "cvt.rn.relu.f16x2.e3m2x2", unsigned, "r", unsigned short, "h")
PTX1(cvt_b_ue8, "cvt.rn.bf16x2.ue8m0x2", unsigned, "r", unsigned short, "h")
PTX1(cvt_ue8_b, "cvt.rz.satfinite.ue8m0x2.bf16x2", unsigned short, "h", unsigned, "r")
__global__ void fp4(unsigned *out, const float *in)
{
    unsigned d, e;
    asm volatile("{.reg .b8 b; cvt.rn.satfinite.e2m1x2.f32 b, %1, %2; cvt.u32.u8 %0, b;}"
                 : "=r"(d)
                 : "f"(in[threadIdx.x]), "f"(in[3]));
    asm volatile("{.reg .b8 b; cvt.u8.u32 b, %1; cvt.rn.relu.f16x2.e2m1x2 %0, b;}" : "=r"(e) : "r"(out[threadIdx.x]));
    out[threadIdx.x] = d + e;
}
#endif
#if __CUDA_ARCH__ == 1000
#define STOCHASTIC(name, ptx) PTX3(rs_##name, "cvt.rs." ptx, unsigned, "r", float, "f", float, "f", unsigned, "r", 12)
STOCHASTIC(f16, "f16x2.f32")
STOCHASTIC(bf16, "bf16x2.f32")
STOCHASTIC(bf16r, "relu.bf16x2.f32")
#endif
__global__ void scale(__nv_fp8_e4m3 *out, const __nv_fp8_e5m2 *in, float k)
{
    out[threadIdx.x] = __nv_fp8_e4m3(float(in[threadIdx.x]) * k);
}
__global__ void quantise(__nv_fp8x4_e4m3 *out, const float4 *in, __nv_fp8x2_e5m2 *to, const __half2 *h)
{
    out[threadIdx.x] = __nv_fp8x4_e4m3(in[threadIdx.x]);
    to[threadIdx.x] = __nv_fp8x2_e5m2(h[threadIdx.x]);
}
