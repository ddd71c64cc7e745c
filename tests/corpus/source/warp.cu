// arch: 70 75 80 86 89 90 100a 120
// build plain:
// build debug: -G only=80,100
#include "kernels.cuh"
#include <cuda_fp16.h>
typedef unsigned long long u64;
#define ALL 0xffffffffu
#define SHUFFLES(T, tag)                                                                                               \
    __global__ void shuffle_##tag(T *out, const T *in, int k)                                                          \
    {                                                                                                                  \
        int i = threadIdx.x;                                                                                           \
        T v = in[i];                                                                                                   \
        out[i] = __shfl_sync(ALL, v, k) + __shfl_sync(ALL, v, i ^ 3) + __shfl_sync(ALL, v, 5, 8);                      \
        out[i + 32] = __shfl_up_sync(ALL, v, 1) + __shfl_up_sync(ALL, v, k, 16);                                       \
        out[i + 64] = __shfl_down_sync(ALL, v, 2) + __shfl_down_sync(ALL, v, k, 4);                                    \
        out[i + 96] = __shfl_xor_sync(ALL, v, 4) + __shfl_xor_sync(0x0f0f0f0fu, v, k) + __shfl_xor_sync(ALL, v, i, 2); \
    }
SHUFFLES(int, s32)
SHUFFLES(float, f32)
SHUFFLES(double, f64)
SHUFFLES(long long, s64)
SHUFFLES(unsigned, u32)
#define RAW(mode)                                                                                                      \
    __global__ void raw_##mode(int *out, int b, int c)                                                                 \
    {                                                                                                                  \
        int d;                                                                                                         \
        unsigned p;                                                                                                    \
        asm volatile("{.reg .pred q; shfl.sync." #mode ".b32 %0|q, %2, %3, %4, 0xffffffff; selp.u32 %1, 1, 0, q;}"     \
                     : "=r"(d), "=r"(p)                                                                                \
                     : "r"(out[threadIdx.x]), "r"(b + threadIdx.x), "r"(c));                                           \
        out[threadIdx.x] = d + p;                                                                                      \
        asm volatile("{.reg .pred q; shfl.sync." #mode ".b32 %0|q, %2, 3, %3, %4; selp.u32 %1, 1, 0, q;}"              \
                     : "=r"(d), "=r"(p)                                                                                \
                     : "r"(out[threadIdx.x + 1]), "r"(c + threadIdx.x), "r"(b));                                       \
        out[threadIdx.x] = d + p;                                                                                      \
    }
RAW(up)
RAW(down)
RAW(bfly)
RAW(idx)
__global__ void votes(unsigned *out, const int *in, unsigned mask)
{
    int i = threadIdx.x;
    bool p = in[i] > 4, q = in[i + 1] > in[i + 2];
    out[i] = __ballot_sync(ALL, p) + __ballot_sync(mask, q) + __all_sync(ALL, p) + __any_sync(mask, q) + __activemask();
    unsigned u;
    asm volatile("{.reg .pred p, q; setp.ne.s32 p, %1, 0; vote.sync.uni.pred q, p, 0xffffffff; selp.u32 %0, 1, 0, q;}"
                 : "=r"(u)
                 : "r"(in[i + 3]));
    out[i + 32] = u;
    if (__any_sync(ALL, p && !q))
        out[i + 64] = 5;
    if (__all_sync(ALL, in[i + 9] == 2))
        out[i + 65] = 7;
}
__global__ void matches(unsigned *out, const int *in, const u64 *wide, unsigned mask)
{
    int i = threadIdx.x, p, q;
    out[i] = __match_any_sync(ALL, in[i]);
    out[i + 32] = __match_any_sync(mask, wide[i]);
    out[i + 64] = __match_all_sync(ALL, in[i], &p) + p;
    out[i + 96] = __match_all_sync(mask, wide[i], &q) + q;
}
#if __CUDA_ARCH__ >= 800
__global__ void reductions(unsigned *out, const unsigned *in, unsigned mask)
{
    unsigned v = in[threadIdx.x];
    int s = (int)in[threadIdx.x + 32];
    out[0] = __reduce_add_sync(ALL, v);
    out[1] = __reduce_min_sync(ALL, v);
    out[2] = __reduce_max_sync(mask, v);
    out[3] = __reduce_and_sync(ALL, v);
    out[4] = __reduce_or_sync(ALL, v);
    out[5] = __reduce_xor_sync(ALL, v);
    out[6] = __reduce_add_sync(mask, s);
    out[7] = __reduce_min_sync(ALL, s);
    out[8] = __reduce_max_sync(ALL, s);
    out[threadIdx.x + 9] = __reduce_add_sync(ALL, v) * v;
}
#endif
#if __CUDA_ARCH__ == 1000
#define FREDUX(name, ptx)                                                                                              \
    __global__ void redux_##name(float *out, const float *in, unsigned mask)                                           \
    {                                                                                                                  \
        float d;                                                                                                       \
        asm volatile("redux.sync." ptx ".f32 %0, %1, %2;" : "=f"(d) : "f"(in[threadIdx.x]), "r"(mask));                \
        out[threadIdx.x] = d;                                                                                          \
    }
FREDUX(min, "min")
FREDUX(max, "max")
FREDUX(min_abs, "min.abs")
FREDUX(max_nan, "max.NaN")
FREDUX(max_abs_nan, "max.abs.NaN")
#endif
#if __CUDA_ARCH__ >= 900
__global__ void elected(unsigned *out, unsigned mask)
{
    unsigned lane, p;
    asm volatile("{.reg .pred q; elect.sync %0|q, %2; selp.u32 %1, 1, 0, q;}" : "=r"(lane), "=r"(p) : "r"(mask));
    out[threadIdx.x] = lane * p;
    asm volatile("{.reg .pred q; elect.sync _|q, 0xffffffff; selp.u32 %0, 1, 0, q;}" : "=r"(p));
    if (p)
        out[77] = 3;
}
#endif
__global__ void masked_sync(int *out, unsigned mask)
{
    out[threadIdx.x] = 3;
    __syncwarp(mask);
    int v = out[threadIdx.x ^ 1];
    __syncwarp();
    out[threadIdx.x + 32] = v;
    __syncwarp(0x000000ff);
    out[threadIdx.x + 64] = out[threadIdx.x + 33];
}
__global__ void butterfly(float *out, const float *in)
{
    float v = in[threadIdx.x];
    for (int d = 16; d; d /= 2)
        v += __shfl_xor_sync(ALL, v, d);
    if (threadIdx.x % 32 == 0)
        out[threadIdx.x / 32] = v;
}
__global__ void scan(int *out, const int *in)
{
    int v = in[threadIdx.x];
    for (int d = 1; d < 32; d *= 2) {
        int u = __shfl_up_sync(ALL, v, d);
        if (threadIdx.x % 32 >= d)
            v += u;
    }
    out[threadIdx.x] = v;
}
__global__ void compact(int *out, const int *in)
{
    int v = in[threadIdx.x];
    unsigned b = __ballot_sync(ALL, v > 0);
    if (v > 0)
        out[__popc(b & ((1u << (threadIdx.x & 31)) - 1))] = v;
}
__global__ void in_branch(int *out, const int *in)
{
    int v = in[threadIdx.x];
    if (v & 1) {
        unsigned m = __activemask();
        v = __shfl_sync(m, v, __ffs(m) - 1);
        __syncwarp(m);
    } else {
        v += __popc(__match_any_sync(__activemask(), v));
    }
    out[threadIdx.x] = v;
}
__global__ void sleeps(int *out, unsigned t)
{
    __nanosleep(100);
    __nanosleep(t);
    __nanosleep(out[threadIdx.x]);
    out[threadIdx.x] = 1;
}
