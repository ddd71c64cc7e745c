// build plain:
// build debug: -G only=70,75,90,120
#include "kernels.cuh"
#include <cuda_bf16.h>
#include <cuda_fp16.h>
typedef unsigned long long u64;
/* With and without use of the result, on global, shared and generic memory. */
#define ATOMIC(name, T, call)                                                                                          \
    __global__ void name##_atom(T *out, T *to, T v)                                                                    \
    {                                                                                                                  \
        T *p = to + threadIdx.x % 7;                                                                                   \
        v += (T)(int)threadIdx.x;                                                                                      \
        out[threadIdx.x] = call;                                                                                       \
    }                                                                                                                  \
    __global__ void name##_red(T *to, T v)                                                                             \
    {                                                                                                                  \
        T *p = to + 4;                                                                                                 \
        v += (T)(int)threadIdx.x;                                                                                      \
        call;                                                                                                          \
    }                                                                                                                  \
    __global__ void name##_uniform(T *to, T v)                                                                         \
    {                                                                                                                  \
        T *p = to;                                                                                                     \
        call;                                                                                                          \
    }                                                                                                                  \
    __global__ void name##_shared(T *out, T v)                                                                         \
    {                                                                                                                  \
        __shared__ T s[32];                                                                                            \
        T *p = s + threadIdx.x % 5;                                                                                    \
        s[threadIdx.x] = v;                                                                                            \
        __syncthreads();                                                                                               \
        v += (T)(int)threadIdx.x;                                                                                      \
        T r = call;                                                                                                    \
        out[threadIdx.x + 32] = r;                                                                                     \
        call;                                                                                                          \
        __syncthreads();                                                                                               \
        out[threadIdx.x] = s[threadIdx.x];                                                                             \
    }                                                                                                                  \
    __global__ void name##_generic(T *out, T *to, T v, int k)                                                          \
    {                                                                                                                  \
        __shared__ T s[32];                                                                                            \
        s[threadIdx.x] = v;                                                                                            \
        __syncthreads();                                                                                               \
        T *p = k ? s + k : to + threadIdx.x;                                                                           \
        T r = call;                                                                                                    \
        out[threadIdx.x] = r + s[k + 1];                                                                               \
        call;                                                                                                          \
    }
#define INTS(op, f) ATOMIC(op##_s32, int, f(p, v)) ATOMIC(op##_u32, unsigned, f(p, v)) ATOMIC(op##_u64, u64, f(p, v))
#define SIGNED64(op, f) ATOMIC(op##_s64, long long, f(p, v))
INTS(exchange, atomicExch)
INTS(minimum, atomicMin)
INTS(maximum, atomicMax)
INTS(conjunction, atomicAnd)
INTS(disjunction, atomicOr)
INTS(exclusive, atomicXor)
SIGNED64(minimum, atomicMin)
SIGNED64(maximum, atomicMax)
INTS(add, atomicAdd)
INTS(add_block, atomicAdd_block)
INTS(add_system, atomicAdd_system)
INTS(maximum_block, atomicMax_block)
INTS(maximum_system, atomicMax_system)
ATOMIC(subtract, int, atomicSub(p, v))
ATOMIC(increment, unsigned, atomicInc(p, v))
ATOMIC(decrement, unsigned, atomicDec(p, v))
ATOMIC(add_one, unsigned, atomicAdd(p, 1u))
ATOMIC(add_f32, float, atomicAdd(p, v))
ATOMIC(add_f64, double, atomicAdd(p, v))
ATOMIC(exch_f32, float, atomicExch(p, v))
ATOMIC(cas_u32, unsigned, atomicCAS(p, v, v + 3))
ATOMIC(cas_u64, u64, atomicCAS(p, v, v + 3))
ATOMIC(cas_block, unsigned, atomicCAS_block(p, v, 1u))
ATOMIC(cas_system, u64, atomicCAS_system(p, v, 1ull))
ATOMIC(cas_u16, unsigned short, atomicCAS(p, v, (unsigned short)7))
#define PACKED(name, T)                                                                                                \
    __global__ void name##_atom(T *out, T *p, T v) { out[threadIdx.x] = atomicAdd(p + threadIdx.x, v); }               \
    __global__ void name##_red(T *p, T v) { atomicAdd(p + threadIdx.x, v); }                                           \
    __global__ void name##_shared(T *out, T v)                                                                         \
    {                                                                                                                  \
        __shared__ T s[32];                                                                                            \
        s[threadIdx.x] = v;                                                                                            \
        __syncthreads();                                                                                               \
        out[threadIdx.x] = atomicAdd(s + (threadIdx.x ^ 1), v);                                                        \
    }
PACKED(add_half2, __half2)
PACKED(add_half, __half)
#if __CUDA_ARCH__ >= 800
PACKED(add_bf162, __nv_bfloat162)
PACKED(add_bf16, __nv_bfloat16)
#endif
#define PATOM(name, ptx, T, r)                                                                                         \
    __global__ void name##_patom(T *out, T *to, T v)                                                                   \
    {                                                                                                                  \
        T d;                                                                                                           \
        asm volatile("atom." ptx " %0, [%1+8], %2;" : "=" r(d) : "l"(to + threadIdx.x), r(v) : "memory");              \
        out[threadIdx.x] = d;                                                                                          \
    }                                                                                                                  \
    __global__ void name##_pred(T *to, T v)                                                                            \
    {                                                                                                                  \
        asm volatile("red." ptx " [%0+8], %1;" : : "l"(to + threadIdx.x), r((T)(v + threadIdx.x)) : "memory");         \
    }
#define SEMS(op, T, r)                                                                                                 \
    PATOM(op##_relaxed_cta, "relaxed.cta.global." #op, T, r)                                                           \
    PATOM(op##_relaxed_sys, "relaxed.sys.global." #op, T, r) PATOM(op##_release_gpu, "release.gpu.global." #op, T, r)
#define NAMED(tag, ptx, T, r)                                                                                          \
    PATOM(tag##_relaxed_cta, "relaxed.cta.global." ptx, T, r)                                                          \
    PATOM(tag##_relaxed_gpu, "relaxed.gpu." ptx, T, r) PATOM(tag##_release_gpu, "release.gpu.global." ptx, T, r)       \
        PATOM(tag##_relaxed_sys, "relaxed.sys.global." ptx, T, r)
NAMED(pand, "and.b32", unsigned, "r")
NAMED(por64, "or.b64", u64, "l")
NAMED(padd, "add.u32", unsigned, "r")
NAMED(padd64, "add.u64", u64, "l")
NAMED(pmin, "min.s32", int, "r")
NAMED(pmax64, "max.s64", long long, "l")
NAMED(pinc, "inc.u32", unsigned, "r")
NAMED(pfadd, "add.f32", float, "f")
NAMED(pdadd, "add.f64", double, "d")
NAMED(phadd2, "add.noftz.f16x2", unsigned, "r")
#define ACQ(sem, scope)                                                                                                \
    __global__ void acq_##sem##_##scope(unsigned *out, unsigned *to, unsigned v)                                       \
    {                                                                                                                  \
        unsigned d, e, f;                                                                                              \
        asm volatile("atom." #sem "." #scope ".global.add.u32 %0, [%1], %2;"                                           \
                     : "=r"(d)                                                                                         \
                     : "l"(to + threadIdx.x), "r"(v)                                                                   \
                     : "memory");                                                                                      \
        asm volatile("atom." #sem "." #scope ".cas.b32 %0, [%1], %2, %3;"                                              \
                     : "=r"(e)                                                                                         \
                     : "l"(to + threadIdx.x + 9), "r"(v), "r"(d)                                                       \
                     : "memory");                                                                                      \
        asm volatile("atom." #sem "." #scope ".global.exch.b32 %0, [%1], %2;"                                          \
                     : "=r"(f)                                                                                         \
                     : "l"(to + 4), "r"(v)                                                                             \
                     : "memory");                                                                                      \
        out[threadIdx.x] = d + e + f;                                                                                  \
    }
ACQ(acquire, cta)
ACQ(acquire, gpu)
ACQ(acquire, sys)
ACQ(release, cta)
ACQ(release, gpu)
ACQ(acq_rel, cta)
ACQ(acq_rel, gpu)
ACQ(acq_rel, sys)
ACQ(relaxed, gpu)
__global__ void histogram(unsigned *out, const unsigned char *in, int n)
{
    __shared__ unsigned bins[256];
    bins[threadIdx.x] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        atomicAdd(&bins[in[i]], 1);
    __syncthreads();
    atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}
__global__ void aggregated(unsigned *counter, const int *x)
{
    if (x[threadIdx.x] > 0)
        atomicAdd(counter, 1);
}
__global__ void total(float *sum, const float *x) { atomicAdd(sum, x[threadIdx.x]); }
__device__ double maximum_by_cas(double *p, double v)
{
    u64 *q = (u64 *)p, old = *q, seen;
    do {
        seen = old;
        old = atomicCAS(q, seen, (u64)__double_as_longlong(fmax(v, __longlong_as_double(seen))));
    } while (old != seen);
    return __longlong_as_double(old);
}
__global__ void cas_loop(double *p, double *x) { x[threadIdx.x] = maximum_by_cas(p, x[threadIdx.x]); }
__global__ void lock(int *mutex, int *count)
{
    bool done = false;
    while (!done) {
        if (atomicCAS(mutex, 0, 1) == 0) {
            *count += 1;
            __threadfence();
            atomicExch(mutex, 0);
            done = true;
        }
    }
}
__global__ void fences(int *x)
{
    x[0] = 1;
    __threadfence_block();
    x[1] = 2;
    __threadfence();
    x[2] = 3;
    __threadfence_system();
    x[3] = 4;
    asm volatile("fence.sc.cta;" ::: "memory");
    x[4] = 5;
    asm volatile("fence.sc.gpu;" ::: "memory");
    x[5] = 6;
    asm volatile("fence.acq_rel.sys;" ::: "memory");
    x[6] = 7;
    asm volatile("membar.sys;" ::: "memory");
    x[7] = 8;
    asm volatile("fence.sc.sys;" ::: "memory");
    x[8] = 9;
#if __CUDA_ARCH__ >= 900
    asm volatile("fence.sc.cluster;" ::: "memory");
    x[9] = 1;
    asm volatile("fence.acq_rel.cluster;" ::: "memory");
    x[10] = 1;
    asm volatile("fence.proxy.alias;" ::: "memory");
    x[11] = 1;
    asm volatile("fence.proxy.async;" ::: "memory");
    x[12] = 3;
    asm volatile("fence.proxy.async.global;" ::: "memory");
    x[13] = 3;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    x[14] = 3;
#endif
}
#if __CUDA_ARCH__ >= 900
__global__ void wide128(ulonglong2 *out, ulonglong2 *to, ulonglong2 v)
{
    ulonglong2 r;
    asm volatile("{.reg .b128 a, d; mov.b128 a, {%2, %3}; atom.global.exch.b128 d, [%4], a; mov.b128 {%0, %1}, d;}"
                 : "=l"(r.x), "=l"(r.y)
                 : "l"(v.x), "l"(v.y), "l"(to + threadIdx.x)
                 : "memory");
    out[threadIdx.x] = r;
    asm volatile("{.reg .b128 a, b, d; mov.b128 a, {%2, %3}; mov.b128 b, {%3, %2}; atom.global.cas.b128 d, [%4], a, b; "
                 "mov.b128 {%0, %1}, d;}"
                 : "=l"(r.x), "=l"(r.y)
                 : "l"(v.x), "l"(v.y), "l"(to + threadIdx.x)
                 : "memory");
    out[threadIdx.x + 64] = r;
    asm volatile("{.reg .b128 a, b, d; mov.b128 a, {%2, %3}; mov.b128 b, {%3, %2}; atom.cas.b128 d, [%4], a, b; "
                 "mov.b128 {%0, %1}, d;}"
                 : "=l"(r.x), "=l"(r.y)
                 : "l"(v.x), "l"(v.y), "l"(to + threadIdx.x)
                 : "memory");
    out[threadIdx.x + 164] = r;
}
__global__ void vectors(float *out, float *to, float v, unsigned h)
{
    float a, b, c, d;
    unsigned p, q, r, s;
    float *t = to + threadIdx.x * 4;
    asm volatile("atom.global.v2.f32.add {%0,%1}, [%2], {%3,%3};" : "=f"(a), "=f"(b) : "l"(t), "f"(v) : "memory");
    out[threadIdx.x] = a + b;
    asm volatile("atom.global.v4.f32.add {%0,%1,%2,%3}, [%4], {%5,%5,%5,%5};"
                 : "=f"(a), "=f"(b), "=f"(c), "=f"(d)
                 : "l"(t), "f"(v)
                 : "memory");
    out[threadIdx.x + 1] = a + b + c + d;
    asm volatile("atom.global.v4.f16x2.add.noftz {%0,%1,%2,%3}, [%4], {%5,%5,%5,%5};"
                 : "=r"(p), "=r"(q), "=r"(r), "=r"(s)
                 : "l"(t), "r"(h)
                 : "memory");
    out[threadIdx.x + 2] = p + q + r + s;
    asm volatile("atom.global.v2.bf16x2.max.noftz {%0,%1}, [%2], {%3,%3};"
                 : "=r"(p), "=r"(q)
                 : "l"(t), "r"(h)
                 : "memory");
    out[threadIdx.x + 3] = p + q;
    asm volatile("red.global.v2.f32.add [%0], {%1,%1};" ::"l"(t), "f"(v) : "memory");
    asm volatile("red.global.v4.f32.add [%0], {%1,%1,%1,%1};" ::"l"(t), "f"(v) : "memory");
    asm volatile("red.global.v2.f16x2.add.noftz [%0], {%1,%1};" ::"l"(t), "r"(h) : "memory");
    asm volatile("red.global.v4.bf16x2.min.noftz [%0], {%1,%1,%1,%1};" ::"l"(t), "r"(h) : "memory");
    asm volatile("red.global.v8.f16.max.noftz [%0], {%1,%1,%1,%1,%1,%1,%1,%1};" ::"l"(t), "h"((short)h) : "memory");
    asm volatile("red.global.v8.bf16.add.noftz [%0], {%1,%1,%1,%1,%1,%1,%1,%1};" ::"l"(t), "h"((short)h) : "memory");
    asm volatile("red.global.v4.f16.add.noftz [%0], {%1,%1,%1,%1};" ::"l"(t), "h"((short)h) : "memory");
}
#endif
