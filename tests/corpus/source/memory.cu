// build plain:
// build debug: -G only=70,75,80,90,100,120
#include "kernels.cuh"
#include <cstdint>
typedef unsigned long long u64;

/* Copies of every width through every kind of memory. */
template <class T> __global__ void copy_global(T *out, const T *in) { out[threadIdx.x + 3] = in[threadIdx.x * 7 + 1]; }
template <class T> __global__ void copy_restrict(T *__restrict__ out, const T *__restrict__ in)
{
    out[threadIdx.x] = in[threadIdx.x ^ 5];
}
template <class T> __global__ void copy_volatile(volatile T *out, volatile T *in)
{
    out[threadIdx.x + 8] = in[threadIdx.x + 100];
}
template <class T> __global__ void copy_shared(T *out, const T *in, int k)
{
    __shared__ T tile[64];
    tile[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x ^ k];
    out[threadIdx.x + 64] = tile[17];
}
template <class T> __global__ void copy_local(T *out, const T *in, int k)
{
    T mine[24];
    for (int i = 0; i < 24; i++)
        mine[i] = in[threadIdx.x + i * k];
    out[threadIdx.x] = mine[k];
    mine[k & 7] = mine[threadIdx.x & 15];
    for (int i = 0; i < 24; i++)
        out[threadIdx.x + i * 3] = mine[(i + k) % 24];
}
template <class T> __global__ void copy_generic(T *out, const T *in, int k)
{
    __shared__ T tile[32];
    T mine[8];
    for (int i = 0; i < 8; i++)
        mine[i] = in[i];
    T *from = k < 3 ? tile : k < 6 ? mine : out;
    from[threadIdx.x & k] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = from[k];
}
__constant__ unsigned char table_bytes[4096];
template <class T> __global__ void copy_constant(T *out, int k)
{
    const T *table = (const T *)table_bytes;
    out[threadIdx.x] = table[threadIdx.x];
    out[threadIdx.x + 32] = table[k];
    out[threadIdx.x + 64] = table[11];
    out[threadIdx.x + 96] = table[threadIdx.x * 3 + 5];
}
template <class T> __global__ void copy_hints(T *out, const T *in)
{
    int i = threadIdx.x;
    T a = __ldg(in + i), b = __ldcg(in + i + 32), c = __ldca(in + i + 64), d = __ldcs(in + i + 96),
      e = __ldlu(in + i + 128), f = __ldcv(in + i + 160);
    __stwb(out + i, a);
    __stcg(out + i + 32, b);
    __stcs(out + i + 64, c);
    __stwt(out + i + 96, d);
    out[i + 128] = e;
    out[i + 160] = f;
}
#define EACH(T)                                                                                                        \
    template __global__ void copy_global<T>(T *, const T *);                                                           \
    template __global__ void copy_restrict<T>(T *, const T *);                                                         \
    template __global__ void copy_shared<T>(T *, const T *, int);                                                      \
    template __global__ void copy_local<T>(T *, const T *, int);                                                       \
    template __global__ void copy_generic<T>(T *, const T *, int);                                                     \
    template __global__ void copy_constant<T>(T *, int);                                                               \
    template __global__ void copy_hints<T>(T *, const T *);
EACH(signed char)
EACH(unsigned char)
EACH(short)
EACH(unsigned short)
EACH(int)
EACH(float)
EACH(long long)
EACH(double)
EACH(int2)
EACH(float4)
EACH(double2)
EACH(short4)
EACH(uchar2)
template __global__ void copy_volatile<char>(volatile char *, volatile char *);
template __global__ void copy_volatile<unsigned short>(volatile unsigned short *, volatile unsigned short *);
template __global__ void copy_volatile<int>(volatile int *, volatile int *);
template __global__ void copy_volatile<double>(volatile double *, volatile double *);

#define LOAD(name, ptx, T, r)                                                                                          \
    __global__ void load_##name(T *out, const T *in)                                                                   \
    {                                                                                                                  \
        T v;                                                                                                           \
        asm volatile("ld" ptx " %0, [%1+16];" : "=" r(v) : "l"(in + threadIdx.x) : "memory");                          \
        out[threadIdx.x] = v;                                                                                          \
    }
#define STORE(name, ptx, T, r)                                                                                         \
    __global__ void store_##name(T *out, T in)                                                                         \
    {                                                                                                                  \
        asm volatile("st" ptx " [%1+16], %0;" : : r((T)(in + threadIdx.x)), "l"(out + threadIdx.x) : "memory");        \
    }
#define LS(name, mode)                                                                                                 \
    LOAD(name##_32, mode ".b32", unsigned, "r")                                                                        \
    LOAD(name##_64, mode ".b64", u64, "l") LOAD(name##_u8, mode ".u8", unsigned short, "h")                            \
        LOAD(name##_s16, mode ".s16", short, "h") STORE(name##_16, mode ".b16", short, "h")                            \
            STORE(name##_32, mode ".b32", unsigned, "r") STORE(name##_64, mode ".b64", u64, "l")
LS(relaxed_cta, ".relaxed.cta.global")
LS(relaxed_gpu, ".relaxed.gpu.global")
LS(relaxed_sys, ".relaxed.sys.global")
LS(relaxed_generic, ".relaxed.gpu")
LS(weak, ".weak.global")
LS(vol, ".volatile.global")
LS(vol_generic, ".volatile")
#define ACQUIRE(scope)                                                                                                 \
    LOAD(acquire_##scope, ".acquire." #scope ".global.b32", unsigned, "r")                                             \
    LOAD(acquire_g_##scope, ".acquire." #scope ".b64", u64, "l")                                                       \
        STORE(release_##scope, ".release." #scope ".global.b32", unsigned, "r")                                        \
            STORE(release_g_##scope, ".release." #scope ".b64", u64, "l")
ACQUIRE(cta)
ACQUIRE(gpu)
ACQUIRE(sys)
LOAD(mmio, ".mmio.relaxed.sys.global.b32", unsigned, "r")
STORE(mmio, ".mmio.relaxed.sys.global.b32", unsigned, "r")
LOAD(ef, ".global.L1::evict_first.b32", unsigned, "r")
LOAD(el, ".global.L1::evict_last.b32", unsigned, "r")
LOAD(eu, ".global.L1::evict_unchanged.b32", unsigned, "r")
LOAD(na, ".global.L1::no_allocate.b32", unsigned, "r")
LOAD(enorm, ".global.L1::evict_normal.b64", u64, "l")
LOAD(nc_na, ".global.nc.L1::no_allocate.b32", unsigned, "r")
LOAD(nc_el, ".global.nc.L1::evict_last.b64", u64, "l")
LOAD(nc_ca, ".global.ca.nc.b32", unsigned, "r")
LOAD(nc_cg, ".global.cg.nc.b32", unsigned, "r")
STORE(ef, ".global.L1::evict_first.b32", unsigned, "r")
STORE(el, ".global.L1::evict_last.b64", u64, "l")
STORE(na, ".global.L1::no_allocate.b32", unsigned, "r")
LOAD(local_generic, ".b32", unsigned, "r")
STORE(local_generic, ".b32", unsigned, "r")
#if __CUDA_ARCH__ >= 750
LOAD(l2_64, ".global.L2::64B.b32", unsigned, "r")
LOAD(l2_128, ".global.L2::128B.b32", unsigned, "r")
#endif
#if __CUDA_ARCH__ >= 800
LOAD(l2_256, ".global.L2::256B.b32", unsigned, "r")
LOAD(ef_l2, ".global.L1::evict_first.L2::128B.b64", u64, "l")
#define POLICY(name, ptx)                                                                                              \
    __global__ void policy_##name(unsigned *out, const unsigned *in, float f)                                          \
    {                                                                                                                  \
        u64 p;                                                                                                         \
        unsigned v;                                                                                                    \
        asm volatile("createpolicy." ptx : "=l"(p) : "f"(f), "l"(in), "r"(out[0]));                                    \
        asm volatile("ld.global.L2::cache_hint.b32 %0, [%1], %2;" : "=r"(v) : "l"(in + threadIdx.x), "l"(p));          \
        asm volatile("st.global.L2::cache_hint.b32 [%1], %0, %2;"                                                      \
                     :                                                                                                 \
                     : "r"(v), "l"(out + threadIdx.x), "l"(p)                                                          \
                     : "memory");                                                                                      \
    }
POLICY(last, "fractional.L2::evict_last.b64 %0, 1.0;")
POLICY(first, "fractional.L2::evict_first.b64 %0, 0.5;")
POLICY(normal, "fractional.L2::evict_normal.L2::evict_unchanged.b64 %0, 0.25;")
POLICY(var, "fractional.L2::evict_last.L2::evict_first.b64 %0, %1;")
POLICY(range, "range.global.L2::evict_last.b64 %0, [%2], 0x100000, 0x200000;")
POLICY(range_u, "range.L2::evict_last.L2::evict_unchanged.b64 %0, [%2], %3, 0x200000;")
__global__ void policy_convert(unsigned *out, const unsigned *in, u64 p)
{
    u64 q;
    asm volatile("createpolicy.cvt.L2.b64 %0, %1;" : "=l"(q) : "l"(p));
    uint4 v;
    asm volatile("ld.global.nc.L1::no_allocate.L2::cache_hint.L2::256B.v4.b32 {%0,%1,%2,%3}, [%4], %5;"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(in + threadIdx.x * 4), "l"(q));
    out[threadIdx.x] = v.x + v.y * v.z - v.w;
}
__global__ void applied(unsigned *p)
{
    asm volatile("applypriority.global.L2::evict_normal [%0], 128;" ::"l"(p));
    asm volatile("discard.global.L2 [%0], 128;" ::"l"(p + 128));
}
#endif
__global__ void prefetches(const char *p)
{
    asm volatile("prefetch.global.L1 [%0];" ::"l"(p));
    asm volatile("prefetch.global.L2 [%0+128];" ::"l"(p));
    asm volatile("prefetch.L1 [%0];" ::"l"(p + threadIdx.x));
    asm volatile("prefetch.L2 [%0];" ::"l"(p + threadIdx.x));
    asm volatile("prefetchu.L1 [%0];" ::"l"(p));
#if __CUDA_ARCH__ >= 800
    asm volatile("prefetch.global.L2::evict_last [%0+256];" ::"l"(p));
    asm volatile("prefetch.global.L2::evict_normal [%0+512];" ::"l"(p));
#endif
}
#if __CUDA_ARCH__ >= 1000
__global__ void wide(unsigned *out, const unsigned *in)
{
    unsigned v[8];
    u64 w[4];
    asm volatile("ld.global.v8.b32 {%0,%1,%2,%3,%4,%5,%6,%7}, [%8];"
                 : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]), "=r"(v[4]), "=r"(v[5]), "=r"(v[6]), "=r"(v[7])
                 : "l"(in + threadIdx.x * 8));
    asm volatile("st.global.v8.b32 [%8], {%0,%1,%2,%3,%4,%5,%6,%7};" ::"r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]),
                 "r"(v[7]), "r"(v[5]), "r"(v[6]), "r"(v[4]), "l"(out + threadIdx.x * 8)
                 : "memory");
    asm volatile("ld.global.L1::no_allocate.L2::evict_last.v4.b64 {%0,%1,%2,%3}, [%4+64];"
                 : "=l"(w[0]), "=l"(w[1]), "=l"(w[2]), "=l"(w[3])
                 : "l"(in + threadIdx.x * 8));
    asm volatile("st.global.L2::evict_first.v4.b64 [%4+64], {%0,%1,%2,%3};" ::"l"(w[0]), "l"(w[1]), "l"(w[2]),
                 "l"(w[3]), "l"(out + threadIdx.x * 8)
                 : "memory");
    asm volatile("ld.global.nc.v4.b64 {%0,%1,%2,%3}, [%4+128];"
                 : "=l"(w[0]), "=l"(w[1]), "=l"(w[2]), "=l"(w[3])
                 : "l"(in));
    asm volatile("st.global.v4.b64 [%4+32], {%0,%1,%2,%3};" ::"l"(w[3]), "l"(w[1]), "l"(w[2]), "l"(w[0]), "l"(out)
                 : "memory");
}
#endif
__global__ void kinds(unsigned *out, void *p)
{
    out[0] = __isGlobal(p) + 2 * __isShared(p) + 4 * __isConstant(p) + 8 * __isLocal(p);
    __shared__ int s[4];
    int l[4];
    l[threadIdx.x & 3] = 3;
    out[1] = (unsigned)__cvta_generic_to_shared(s + threadIdx.x) + l[out[0] & 3];
    out[2] = (unsigned)__cvta_generic_to_global(p);
    u64 g;
    asm("cvta.to.local.u64 %0, %1;" : "=l"(g) : "l"(p));
    out[3] = (unsigned)g;
    asm("cvta.to.const.u64 %0, %1;" : "=l"(g) : "l"(p));
    out[4] = (unsigned)g;
    asm("cvta.shared.u64 %0, %1;" : "=l"(g) : "l"((u64)out[9]));
    out[5] = *(int *)g;
    asm("cvta.local.u64 %0, %1;" : "=l"(g) : "l"((u64)out[10]));
    out[6] = *(int *)g;
}
__global__ void dynamic_shared(float *out, int n)
{
    extern __shared__ float s[];
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        s[i] = out[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        out[i] = s[n - 1 - i] + s[2 * i + 1] + s[4 * i + 2] * s[8 * i];
}
struct parameters {
    int a[20];
    float4 b;
    double c;
    short d[7];
};
__global__ void by_value(parameters p, float *out, int k)
{
    out[threadIdx.x] = p.a[k] + p.b.y + p.c + p.d[k & 3] + p.a[threadIdx.x];
}
__device__ int device_word;
__device__ __managed__ int managed_word;
__device__ float device_array[256];
__global__ void symbols(int *out)
{
    device_word += 3;
    managed_word = device_word;
    out[threadIdx.x] = managed_word;
    device_array[threadIdx.x] = device_array[255 - threadIdx.x];
}
