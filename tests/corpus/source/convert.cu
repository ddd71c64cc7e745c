// build plain:
// build ftz: -ftz=true
// build debug: -G only=86,120a
#include "kernels.cuh"

#define CAST(from, to) UNARY(cast_##from##_to_##to, to, from, a)
#define ALL_CASTS(from)                                                                                                \
    CAST(from, s8)                                                                                                     \
    CAST(from, u8) CAST(from, s16) CAST(from, u16) CAST(from, s32) CAST(from, u32) CAST(from, s64) CAST(from, u64)     \
        CAST(from, float) CAST(from, double)
typedef signed char s8;
typedef unsigned char u8;
typedef short s16;
typedef unsigned short u16;
typedef int s32;
typedef unsigned u32;
typedef long long s64;
typedef unsigned long long u64;
ALL_CASTS(s8)
ALL_CASTS(u8)
ALL_CASTS(s16)
ALL_CASTS(u16)
ALL_CASTS(s32)
ALL_CASTS(u32)
ALL_CASTS(s64)
ALL_CASTS(u64)
ALL_CASTS(float)
ALL_CASTS(double)

#define TO_INT(rm)                                                                                                     \
    UNARY(f2s_##rm, int, float, __float2int_##rm(a))                                                                   \
    UNARY(f2u_##rm, unsigned, float, __float2uint_##rm(a)) UNARY(f2s64_##rm, s64, float, __float2ll_##rm(a))           \
        UNARY(f2u64_##rm, u64, float, __float2ull_##rm(a)) UNARY(d2s_##rm, int, double, __double2int_##rm(a))          \
            UNARY(d2u_##rm, unsigned, double, __double2uint_##rm(a))                                                   \
                UNARY(d2s64_##rm, s64, double, __double2ll_##rm(a))                                                    \
                    UNARY(d2u64_##rm, u64, double, __double2ull_##rm(a))                                               \
                        UNARY(s2f_##rm, float, int, __int2float_##rm(a))                                               \
                            UNARY(u2f_##rm, float, unsigned, __uint2float_##rm(a))                                     \
                                UNARY(s642f_##rm, float, s64, __ll2float_##rm(a))                                      \
                                    UNARY(u642f_##rm, float, u64, __ull2float_##rm(a))                                 \
                                        UNARY(s642d_##rm, double, s64, __ll2double_##rm(a))                            \
                                            UNARY(u642d_##rm, double, u64, __ull2double_##rm(a))                       \
                                                UNARY(d2f_##rm, float, double, __double2float_##rm(a))
TO_INT(rn)
TO_INT(rz)
TO_INT(ru)
TO_INT(rd)

#define CVT(name, ptx, R, r, A, a_) PTX1(cvt_##name, "cvt." ptx, R, r, A, a_)
#define CVT_SMALL(mode, tag)                                                                                           \
    CVT(tag##_u8_f32, mode ".u8.f32", unsigned, "r", float, "f")                                                       \
    CVT(tag##_s8_f32, mode ".s8.f32", int, "r", float, "f") CVT(tag##_u16_f32, mode ".u16.f32", u16, "h", float, "f")  \
        CVT(tag##_s16_f32, mode ".s16.f32", s16, "h", float, "f")                                                      \
            CVT(tag##_u8_f64, mode ".u8.f64", unsigned, "r", double, "d")                                              \
                CVT(tag##_s16_f64, mode ".s16.f64", s16, "h", double, "d")
CVT_SMALL("rni", rni)
CVT_SMALL("rzi", rzi)
CVT_SMALL("rmi", rmi)
CVT_SMALL("rpi", rpi)
CVT(sat_f32_f32, "sat.f32.f32", float, "f", float, "f")
CVT(ftz_sat_f32, "ftz.sat.f32.f32", float, "f", float, "f")
CVT(rni_f32, "rni.f32.f32", float, "f", float, "f")
CVT(rni_ftz_f32, "rni.ftz.f32.f32", float, "f", float, "f")
CVT(rzi_sat_f32, "rzi.sat.f32.f32", float, "f", float, "f")
CVT(rmi_f64, "rmi.f64.f64", double, "d", double, "d")
CVT(rpi_f64, "rpi.sat.f64.f64", double, "d", double, "d")
CVT(f64_ftz, "ftz.f64.f32", double, "d", float, "f")
CVT(f32_ftz, "rn.ftz.f32.f64", float, "f", double, "d")
CVT(f32_sat, "rz.ftz.sat.f32.f64", float, "f", double, "d")
CVT(sat_s8_s32, "sat.s8.s32", int, "r", int, "r")
CVT(sat_u8_s32, "sat.u8.s32", unsigned, "r", int, "r")
CVT(sat_s16_s32, "sat.s16.s32", s16, "h", int, "r")
CVT(sat_u16_s32, "sat.u16.s32", u16, "h", int, "r")
CVT(sat_u16_u32, "sat.u16.u32", u16, "h", unsigned, "r")
CVT(sat_s32_s64, "sat.s32.s64", int, "r", s64, "l")
CVT(sat_u32_s64, "sat.u32.s64", unsigned, "r", s64, "l")
CVT(sat_u32_u64, "sat.u32.u64", unsigned, "r", u64, "l")
CVT(sat_s32_u32, "sat.s32.u32", int, "r", unsigned, "r")
CVT(sat_s8_s64, "sat.s8.s64", int, "r", s64, "l")
CVT(f32_u8, "rn.f32.u8", float, "f", unsigned, "r")
CVT(f32_s8, "rz.f32.s8", float, "f", int, "r")
CVT(f32_s16, "rp.f32.s16", float, "f", s16, "h")
CVT(f64_u16, "rn.f64.u16", double, "d", u16, "h")
__global__ void bytes_to_float(float4 *out, const uchar4 *x, const char4 *y, const ushort2 *z)
{
    uchar4 v = x[threadIdx.x];
    char4 w = y[threadIdx.x];
    ushort2 h = z[threadIdx.x];
    out[2 * threadIdx.x] = make_float4(v.x, v.y, v.z, v.w);
    out[2 * threadIdx.x + 1] = make_float4(w.x + h.x, w.y + h.y, w.z, w.w);
}
__global__ void float_to_bytes(uchar4 *out, const float4 *x, short2 *y)
{
    float4 v = x[threadIdx.x];
    out[threadIdx.x] = make_uchar4(v.x, v.y, v.z, v.w);
    y[threadIdx.x] = make_short2(v.x, v.w);
}
#if __CUDA_ARCH__ >= 750
PTX3(pack_s8, "cvt.pack.sat.s8.s32.b32", unsigned, "r", int, "r", int, "r", unsigned, "r", 7)
PTX3(pack_u8, "cvt.pack.sat.u8.s32.b32", unsigned, "r", int, "r", int, "r", unsigned, "r", 7)
PTX3(pack_s4, "cvt.pack.sat.s4.s32.b32", unsigned, "r", int, "r", int, "r", unsigned, "r", 7)
PTX3(pack_u4, "cvt.pack.sat.u4.s32.b32", unsigned, "r", int, "r", int, "r", unsigned, "r", 7)
PTX3(pack_s2, "cvt.pack.sat.s2.s32.b32", unsigned, "r", int, "r", int, "r", unsigned, "r", 7)
PTX3(pack_u2, "cvt.pack.sat.u2.s32.b32", unsigned, "r", int, "r", int, "r", unsigned, "r", 7)
PTX2(pack_s16, "cvt.pack.sat.s16.s32", unsigned, "r", int, "r", int, "r", 7)
PTX2(pack_u16, "cvt.pack.sat.u16.s32", unsigned, "r", int, "r", int, "r", 7)
#endif
BINARY(bits, float, unsigned, float, 2.f, __uint_as_float(a) + b)
BINARY(halves, int, double, double, 2., __double2hiint(a) + __double2loint(b))
BINARY(joined, double, int, int, 2, __hiloint2double(a, b))
