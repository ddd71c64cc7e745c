// arch: 75 80 86 89 90 100a 120a
// build plain:
#include <cuda_bf16.h>
#include <mma.h>
using namespace nvcuda;
typedef unsigned long long u64;
#define A1 "{%0}"
/* D and C are arrays with `nd` registers of one kind, A and B of `na` and `nb` 32-bit registers. */
#define IO_R2 "=r"(d[0]), "=r"(d[1])
#define BODY(T, text, outs, ...) asm volatile(text:outs : __VA_ARGS__);
#define D2R "=r"(d[0]), "=r"(d[1])
#define D4R "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
#define D4F "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
#define C2R "r"(c[0]), "r"(c[1])
#define C4R "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3])
#define C4F "f"(c[0]), "f"(c[1]), "f"(c[2]), "f"(c[3])
#define AB11 "r"(a[0]), "r"(b[0])
#define AB21 "r"(a[0]), "r"(a[1]), "r"(b[0])
#define AB42 "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1])
#define AB44 AB42, "r"(b[2]), "r"(b[3])
#define KERNEL(name, T, N, text, outs, ...)                                                                            \
    __global__ void name(T *out, const unsigned *x, const unsigned *y, const T *z)                                     \
    {                                                                                                                  \
        unsigned a[4], b[4], e = x[threadIdx.x + 9];                                                                   \
        T c[4], d[4];                                                                                                  \
        for (int i = 0; i < 4; i++) {                                                                                  \
            a[i] = x[threadIdx.x * 4 + i];                                                                             \
            b[i] = y[threadIdx.x * 4 + i];                                                                             \
            c[i] = z[threadIdx.x * 4 + i];                                                                             \
        }                                                                                                              \
        asm volatile(text:outs : __VA_ARGS__);                                                                         \
        for (int i = 0; i < N; i++)                                                                                    \
            out[threadIdx.x * 4 + i] = d[i];                                                                           \
        for (int i = 0; i < N; i++)                                                                                    \
            c[i] = 0;                                                                                                  \
        asm volatile(text:outs : __VA_ARGS__);                                                                         \
        for (int i = 0; i < N; i++)                                                                                    \
            out[threadIdx.x * 4 + i + 128] = d[i];                                                                     \
    }
#define MMA_2_21_2(name, ptx)                                                                                          \
    KERNEL(name, unsigned, 2, "mma.sync.aligned." ptx " {%0,%1}, {%2,%3}, {%4}, {%5,%6};", D2R, AB21, C2R)
#define MMA_2_42_2(name, ptx)                                                                                          \
    KERNEL(name, unsigned, 2, "mma.sync.aligned." ptx " {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%8,%9};", D2R, AB42, C2R)
#define MMA_4F_21(name, ptx)                                                                                           \
    KERNEL(name, float, 4, "mma.sync.aligned." ptx " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};", D4F, AB21, C4F)
#define MMA_4F_42(name, ptx)                                                                                           \
    KERNEL(name, float, 4, "mma.sync.aligned." ptx " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};", D4F,  \
           AB42, C4F)
#define MMA_2R_11(name, ptx)                                                                                           \
    KERNEL(name, int, 2, "mma.sync.aligned." ptx " {%0,%1}, {%2}, {%3}, {%4,%5};", D2R, AB11, C2R)
#define MMA_4R_21(name, ptx)                                                                                           \
    KERNEL(name, int, 4, "mma.sync.aligned." ptx " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};", D4R, AB21, C4R)
#define MMA_4R_42(name, ptx)                                                                                           \
    KERNEL(name, int, 4, "mma.sync.aligned." ptx " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};", D4R,    \
           AB42, C4R)
MMA_2_21_2(h1688_h, "m16n8k8.row.col.f16.f16.f16.f16")
MMA_4F_21(h1688_f, "m16n8k8.row.col.f32.f16.f16.f32")
#define INT8(tail) MMA_2R_11(i8816_s8s8##tail, "m8n8k16.row.col" tail2
#define I8(t, ta, tb, sat, s) MMA_2R_11(i8816##t##s, "m8n8k16.row.col" sat ".s32." ta "." tb ".s32")
I8(uu, "u8", "u8", "", _)
I8(us, "u8", "s8", "", _)
I8(su, "s8", "u8", ".satfinite", s)
I8(ss, "s8", "s8", "", _)
#define I4(t, ta, tb, sat, s) MMA_2R_11(i8832##t##s, "m8n8k32.row.col" sat ".s32." ta "." tb ".s32")
I4(uu, "u4", "u4", "", _)
I4(us, "u4", "s4", "", _)
I4(su, "s4", "u4", ".satfinite", s)
I4(ss, "s4", "s4", "", _)
MMA_2R_11(b88128, "m8n8k128.row.col.s32.b1.b1.s32.xor.popc")
__global__ void h884(float *out, const unsigned *x)
{
    unsigned a0 = x[threadIdx.x], a1 = x[threadIdx.x + 1], b0 = x[threadIdx.x + 2], b1 = x[threadIdx.x + 3];
    float d[8] = {};
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9}, {%10,%11}, "
                 "{%0,%1,%2,%3,%4,%5,%6,%7};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])
                 : "r"(a0), "r"(a1), "r"(b0), "r"(b1));
    for (int i = 0; i < 8; i++)
        out[i * 32 + threadIdx.x] = d[i];
}
#if __CUDA_ARCH__ >= 800
MMA_2_42_2(h16816_h, "m16n8k16.row.col.f16.f16.f16.f16")
MMA_4F_42(h16816_f, "m16n8k16.row.col.f32.f16.f16.f32")
MMA_4F_21(bf1688, "m16n8k8.row.col.f32.bf16.bf16.f32")
MMA_4F_42(bf16816, "m16n8k16.row.col.f32.bf16.bf16.f32")
MMA_4F_21(tf1684, "m16n8k4.row.col.f32.tf32.tf32.f32")
MMA_4F_42(tf1688, "m16n8k8.row.col.f32.tf32.tf32.f32")
#define I16(k, t, ta, tb, sat, s, na) MMA_4R_##na(i168##k##t##s, "m16n8k" #k ".row.col" sat ".s32." ta "." tb ".s32")
I16(16, uu, "u8", "u8", "", _, 21)
I16(16, us, "u8", "s8", "", _, 21)
I16(16, su, "s8", "u8", ".satfinite", s, 21)
I16(16, ss, "s8", "s8", "", _, 21)
I16(32, uu, "u8", "u8", "", _, 42)
I16(32, us, "u8", "s8", ".satfinite", s, 42)
I16(32, su, "s8", "u8", "", _, 42)
I16(32, ss, "s8", "s8", "", _, 42)
I16(32, quu, "u4", "u4", "", _, 21)
I16(32, qus, "u4", "s4", "", _, 21)
I16(32, qss, "s4", "s4", ".satfinite", s, 21)
I16(64, quu, "u4", "u4", "", _, 42)
I16(64, qsu, "s4", "u4", "", _, 42)
I16(64, qss, "s4", "s4", ".satfinite", s, 42)
MMA_4R_21(b168128x, "m16n8k128.row.col.s32.b1.b1.s32.xor.popc")
MMA_4R_42(b168256x, "m16n8k256.row.col.s32.b1.b1.s32.xor.popc")
MMA_4R_42(b168256a, "m16n8k256.row.col.s32.b1.b1.s32.and.popc")
MMA_2R_11(b88128a, "m8n8k128.row.col.s32.b1.b1.s32.and.popc")
#define SP "e"
#define SPARSE_2(name, ptx, sel)                                                                                       \
    KERNEL(name, unsigned, 2,                                                                                          \
           "mma.sp" SPKIND ".sync.aligned." ptx " {%0,%1}, {%2,%3}, {%4,%5}, {%6,%7}, %8, " sel ";", D2R, "r"(a[0]),   \
           "r"(a[1]), "r"(b[0]), "r"(b[1]), C2R, "r"(e))
#define SPARSE_H(name, ptx, sel)                                                                                       \
    KERNEL(name, unsigned, 2,                                                                                          \
           "mma.sp" SPKIND ".sync.aligned." ptx " {%0,%1}, {%2,%3,%4,%5}, {%6,%7,%8,%9}, {%10,%11}, %12, " sel ";",    \
           D2R, AB44, C2R, "r"(e))
#define SPARSE_F(name, ptx, sel)                                                                                       \
    KERNEL(name, float, 4,                                                                                             \
           "mma.sp" SPKIND ".sync.aligned." ptx " {%0,%1,%2,%3}, {%4,%5}, {%6,%7}, {%8,%9,%10,%11}, %12, " sel ";",    \
           D4F, "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]), C4F, "r"(e))
#define SPARSE_F4(name, ptx, sel)                                                                                      \
    KERNEL(name, float, 4,                                                                                             \
           "mma.sp" SPKIND ".sync.aligned." ptx                                                                        \
           " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9,%10,%11}, {%12,%13,%14,%15}, %16, " sel ";",                         \
           D4F, AB44, C4F, "r"(e))
#define SPARSE_R(name, ptx, sel)                                                                                       \
    KERNEL(name, int, 4,                                                                                               \
           "mma.sp" SPKIND ".sync.aligned." ptx " {%0,%1,%2,%3}, {%4,%5}, {%6,%7}, {%8,%9,%10,%11}, %12, " sel ";",    \
           D4R, "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]), C4R, "r"(e))
#define SPARSE_R4(name, ptx, sel)                                                                                      \
    KERNEL(name, int, 4,                                                                                               \
           "mma.sp" SPKIND ".sync.aligned." ptx                                                                        \
           " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9,%10,%11}, {%12,%13,%14,%15}, %16, " sel ";",                         \
           D4R, AB44, C4R, "r"(e))
#define SPKIND "::ordered_metadata"
SPARSE_2(sph16816_0, "m16n8k16.row.col.f16.f16.f16.f16", "0x0")
SPARSE_2(sph16816_1, "m16n8k16.row.col.f16.f16.f16.f16", "0x1")
SPARSE_2(sph16816_3, "m16n8k16.row.col.f16.f16.f16.f16", "0x3")
SPARSE_H(sph16832, "m16n8k32.row.col.f16.f16.f16.f16", "0x1")
SPARSE_F(spf16816, "m16n8k16.row.col.f32.f16.f16.f32", "0x2")
SPARSE_F4(spf16832, "m16n8k32.row.col.f32.f16.f16.f32", "0x0")
SPARSE_F(spbf16816, "m16n8k16.row.col.f32.bf16.bf16.f32", "0x0")
SPARSE_F4(spbf16832, "m16n8k32.row.col.f32.bf16.bf16.f32", "0x1")
SPARSE_F(sptf1688, "m16n8k8.row.col.f32.tf32.tf32.f32", "0x1")
SPARSE_F4(sptf16816, "m16n8k16.row.col.f32.tf32.tf32.f32", "0x0")
SPARSE_R(spi16832, "m16n8k32.row.col.s32.s8.u8.s32", "0x1")
SPARSE_R4(spi16864, "m16n8k64.row.col.satfinite.s32.u8.s8.s32", "0x0")
SPARSE_R(spq16864, "m16n8k64.row.col.s32.s4.s4.s32", "0x1")
SPARSE_R4(spq168128, "m16n8k128.row.col.s32.u4.s4.s32", "0x0")
__global__ void d884(double *out, const double *x)
{
    double c0 = x[threadIdx.x], c1 = x[threadIdx.x + 1];
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                 : "+d"(c0), "+d"(c1)
                 : "d"(x[threadIdx.x + 2]), "d"(x[threadIdx.x + 3]));
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64.rz {%0,%1}, {%2}, {%3}, {%0,%1};"
                 : "+d"(c0), "+d"(c1)
                 : "d"(x[threadIdx.x + 2]), "d"(x[threadIdx.x + 3]));
    out[threadIdx.x] = c0 + c1;
}
#endif
#if __CUDA_ARCH__ >= 890
#define F8(ta, tb)                                                                                                     \
    MMA_4F_42(q16832_##ta##tb, "m16n8k32.row.col.f32." #ta "." #tb ".f32")                                             \
    MMA_4F_21(q16816_##ta##tb, "m16n8k16.row.col.f32." #ta "." #tb ".f32")                                             \
        MMA_2_42_2(q16832h_##ta##tb, "m16n8k32.row.col.f16." #ta "." #tb ".f16")                                       \
            MMA_2_21_2(q16816h_##ta##tb, "m16n8k16.row.col.f16." #ta "." #tb ".f16")                                   \
                SPARSE_F4(spq_##ta##tb, "m16n8k64.row.col.f32." #ta "." #tb ".f32", "0x0")
F8(e4m3, e4m3)
F8(e4m3, e5m2)
F8(e5m2, e4m3)
F8(e5m2, e5m2)
#endif
#if __CUDA_ARCH__ >= 900
__global__ void d16(double *out, const double *x)
{
    double c[4], a[8], b[4];
    for (int i = 0; i < 4; i++) {
        c[i] = x[threadIdx.x + i];
        b[i] = x[threadIdx.x * 2 + i];
    }
    for (int i = 0; i < 8; i++)
        a[i] = x[threadIdx.x * 3 + i];
    asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                 : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
                 : "d"(a[0]), "d"(a[1]), "d"(b[0]));
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64.rm {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64.rp {%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, "
                 "{%12,%13,%14,%15}, {%0,%1,%2,%3};"
                 : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
                 : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]), "d"(b[0]),
                   "d"(b[1]), "d"(b[2]), "d"(b[3]));
    for (int i = 0; i < 4; i++)
        out[threadIdx.x + i] = c[i];
}
#endif
#if __CUDA_ARCH__ == 1200
#define F6(ta, tb)                                                                                                     \
    MMA_4F_42(f6_##ta##tb, "m16n8k32.row.col.kind::f8f6f4.f32." #ta "." #tb ".f32")                                    \
    MMA_2_42_2(f6h_##ta##tb, "m16n8k32.row.col.kind::f8f6f4.f16." #ta "." #tb ".f16")                                  \
        SPARSE_F4(spf6_##ta##tb, "m16n8k64.row.col.kind::f8f6f4.f32." #ta "." #tb ".f32", "0x0")
F6(e4m3, e3m2)
F6(e3m2, e4m3)
F6(e2m3, e2m1)
F6(e2m1, e2m3)
F6(e5m2, e2m1)
F6(e3m2, e2m3)
F6(e2m1, e2m1)
#define SCALED(name, ptx, ba, ta)                                                                                      \
    KERNEL(mx_##name, float, 4,                                                                                        \
           "{.reg .b16 i, j; mov.b16 i, " ba "; mov.b16 j, " ta "; mma.sync.aligned." ptx                              \
           " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13}, {%14}, {" ba ", " ta "}, {%15}, {" ba ", " ta   \
           "};}",                                                                                                      \
           D4F, AB42, C4F, "r"(e), "r"(e ^ 5))
SCALED(f8, "m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e5m2.f32.ue8m0", "0", "1")
SCALED(f6, "m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e3m2.e2m1.f32.ue8m0", "2", "0")
SCALED(f4, "m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0", "0", "1")
SCALED(nv4, "m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3", "0", "0")
SCALED(nv2, "m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0", "2", "0")
#endif
#define MATRIX(n, dst, ...)
__global__ void moves(unsigned *out, int k)
{
    __shared__ __align__(16) unsigned s[1024];
    s[threadIdx.x] = k;
    __syncthreads();
    unsigned a = (unsigned)__cvta_generic_to_shared(s + threadIdx.x * 4), r[4];
#define KEEP(n)                                                                                                        \
    for (int i = 0; i < n; i++)                                                                                        \
        out[threadIdx.x * 4 + i] = r[i];
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r[0]) : "r"(a));
    KEEP(1)
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2+64];"
                 : "=r"(r[0]), "=r"(r[1])
                 : "r"(a));
    KEEP(2)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(a));
    KEEP(4)
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(r[0]) : "r"(a));
    KEEP(1)
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
                 : "=r"(r[0]), "=r"(r[1])
                 : "r"(a));
    KEEP(2)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4+512];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(a));
    KEEP(4)
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(r[0]) : "r"(r[1]));
    KEEP(1)
#if __CUDA_ARCH__ >= 900
    asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(a), "r"(r[0]) : "memory");
    asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0+32], {%1,%2};" ::"r"(a), "r"(r[0]), "r"(r[1])
                 : "memory");
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(a), "r"(r[0]), "r"(r[1]),
                 "r"(r[2]), "r"(r[3])
                 : "memory");
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(a), "r"(r[0]), "r"(r[1]),
                 "r"(r[2]), "r"(r[3])
                 : "memory");
    asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};" ::"r"(a), "r"(r[3]) : "memory");
#endif
#if __CUDA_ARCH__ >= 1000
    asm volatile("ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(a));
    KEEP(2)
    asm volatile("ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(a));
    KEEP(4)
    asm volatile("ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8x16.b6x16_p32 {%0,%1}, [%2];"
                 : "=r"(r[0]), "=r"(r[1])
                 : "r"(a));
    KEEP(2)
    asm volatile("ldmatrix.sync.aligned.m8n16.x4.shared.b8x16.b4x16_p64 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(a));
    KEEP(4) asm volatile("ldmatrix.sync.aligned.m8n16.x1.shared.b8x16.b6x16_p32 {%0}, [%1];" : "=r"(r[0]) : "r"(a));
    KEEP(1)
    asm volatile("stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [%0], {%1};" ::"r"(a), "r"(r[0]) : "memory");
    asm volatile("stmatrix.sync.aligned.m16n8.x4.trans.shared.b8 [%0], {%1,%2,%3,%4};" ::"r"(a), "r"(r[0]), "r"(r[1]),
                 "r"(r[2]), "r"(r[3])
                 : "memory");
#endif
    out[0] = s[k];
}
template <int M, int N, int K, class T, class Acc, class LA, class LB>
__global__ void fragments(Acc *out, const T *a, const T *b, const Acc *c, int ld)
{
    wmma::fragment<wmma::matrix_a, M, N, K, T, LA> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, T, LB> fb;
    wmma::fragment<wmma::accumulator, M, N, K, Acc> fc, fz;
    wmma::load_matrix_sync(fa, a, ld);
    wmma::load_matrix_sync(fb, b, 32);
    wmma::load_matrix_sync(fc, c, ld, wmma::mem_row_major);
    wmma::fill_fragment(fz, (Acc)0);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::mma_sync(fz, fa, fb, fz);
    for (int i = 0; i < fc.num_elements; i++)
        fc.x[i] += fz.x[i] + fz.x[i];
    wmma::store_matrix_sync(out, fc, ld, wmma::mem_row_major);
    wmma::store_matrix_sync(out + 64, fz, ld, wmma::mem_col_major);
}
#define FRAGMENTS(M, N, K, T, Acc, LA, LB)                                                                             \
    template __global__ void fragments<M, N, K, T, Acc, wmma::LA, wmma::LB>(Acc *, const T *, const T *, const Acc *,  \
                                                                            int);
FRAGMENTS(16, 16, 16, half, float, row_major, col_major)
FRAGMENTS(16, 16, 16, half, half, col_major, row_major)
FRAGMENTS(32, 8, 16, half, float, row_major, row_major)
FRAGMENTS(8, 32, 16, half, half, col_major, col_major)
FRAGMENTS(16, 16, 16, signed char, int, row_major, col_major)
FRAGMENTS(32, 8, 16, unsigned char, int, col_major, row_major)
#if __CUDA_ARCH__ >= 800
FRAGMENTS(16, 16, 16, __nv_bfloat16, float, row_major, col_major)
FRAGMENTS(8, 8, 4, double, double, row_major, col_major)
FRAGMENTS(8, 32, 16, __nv_bfloat16, float, col_major, row_major)
__global__ void tf32(float *out, const float *a, const float *b)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 8, float> fc;
    wmma::fill_fragment(fc, 0.f);
    wmma::load_matrix_sync(fa, a, 8);
    wmma::load_matrix_sync(fb, b, 8);
    for (int i = 0; i < fa.num_elements; i++)
        fa.x[i] = wmma::__float_to_tf32(fa.x[i]);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(out, fc, 16, wmma::mem_row_major);
}
#endif
