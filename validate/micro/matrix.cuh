// Matrix multiplications by a warp (mma.sync). See units.cuh.

#pragma once

#include "units.cuh"

// Steps of the short and of the long run; as many chains beside each other as `streams` says, 1 to 6.
enum { SHORT_MATRIX = 2, LONG_MATRIX = 10, MATRIX_CHAINS = 6 };

template <class T> struct fragments {
    T a[4], b[2];
};

__device__ __forceinline__ u64 bits_of(u32 value) { return value; }
__device__ __forceinline__ u64 bits_of(double value) { return __double_as_longlong(value); }

// FORM: what stands behind mma.sync.aligned. The accumulators are A, B and C of the fragments.
#define MMA_442(NAME, FORM)                                                                                            \
    struct mma_##NAME {                                                                                                \
        typedef u32 value;                                                                                             \
        enum { ACCUMULATORS = 4 };                                                                                     \
        static __device__ __forceinline__ void run(u32 *x, const fragments<u32> &f)                                    \
        {                                                                                                              \
            asm volatile("mma.sync.aligned." FORM " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"    \
                         : "+r"(x[0]), "+r"(x[1]), "+r"(x[2]), "+r"(x[3])                                              \
                         : "r"(f.a[0]), "r"(f.a[1]), "r"(f.a[2]), "r"(f.a[3]), "r"(f.b[0]), "r"(f.b[1]));              \
        }                                                                                                              \
    };
#define MMA_242(NAME, FORM)                                                                                            \
    struct mma_##NAME {                                                                                                \
        typedef u32 value;                                                                                             \
        enum { ACCUMULATORS = 2 };                                                                                     \
        static __device__ __forceinline__ void run(u32 *x, const fragments<u32> &f)                                    \
        {                                                                                                              \
            asm volatile("mma.sync.aligned." FORM " {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"                    \
                         : "+r"(x[0]), "+r"(x[1])                                                                      \
                         : "r"(f.a[0]), "r"(f.a[1]), "r"(f.a[2]), "r"(f.a[3]), "r"(f.b[0]), "r"(f.b[1]));              \
        }                                                                                                              \
    };
#define MMA_421(NAME, FORM)                                                                                            \
    struct mma_##NAME {                                                                                                \
        typedef u32 value;                                                                                             \
        enum { ACCUMULATORS = 4 };                                                                                     \
        static __device__ __forceinline__ void run(u32 *x, const fragments<u32> &f)                                    \
        {                                                                                                              \
            asm volatile("mma.sync.aligned." FORM " {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"                \
                         : "+r"(x[0]), "+r"(x[1]), "+r"(x[2]), "+r"(x[3])                                              \
                         : "r"(f.a[0]), "r"(f.a[1]), "r"(f.b[0]));                                                     \
        }                                                                                                              \
    };
#define MMA_221(NAME, FORM)                                                                                            \
    struct mma_##NAME {                                                                                                \
        typedef u32 value;                                                                                             \
        enum { ACCUMULATORS = 2 };                                                                                     \
        static __device__ __forceinline__ void run(u32 *x, const fragments<u32> &f)                                    \
        {                                                                                                              \
            asm volatile("mma.sync.aligned." FORM " {%0, %1}, {%2, %3}, {%4}, {%0, %1};"                                \
                         : "+r"(x[0]), "+r"(x[1])                                                                      \
                         : "r"(f.a[0]), "r"(f.a[1]), "r"(f.b[0]));                                                     \
        }                                                                                                              \
    };
#define MMA_211(NAME, VALUE, LETTER, FORM)                                                                             \
    struct mma_##NAME {                                                                                                \
        typedef VALUE value;                                                                                           \
        enum { ACCUMULATORS = 2 };                                                                                     \
        static __device__ __forceinline__ void run(VALUE *x, const fragments<VALUE> &f)                                \
        {                                                                                                              \
            asm volatile("mma.sync.aligned." FORM " {%0, %1}, {%2}, {%3}, {%0, %1};"                                    \
                         : "+" LETTER(x[0]), "+" LETTER(x[1])                                                          \
                         : LETTER(f.a[0]), LETTER(f.b[0]));                                                            \
        }                                                                                                              \
    };

template <class MMA, int STEPS, int COUNT>
__device__ __forceinline__ void time_matrix(typename MMA::value (&x)[COUNT * MMA::ACCUMULATORS],
                                            const fragments<typename MMA::value> &f, u64 *out)
{
    TWICE(round)
    {
        __syncthreads();
        u64 begin = clock64();
#pragma unroll
        for (int step = 0; step < STEPS; step++)
#pragma unroll
            for (int k = 0; k < COUNT; k++)
                MMA::run(x + k * MMA::ACCUMULATORS, f);
        u64 sum = 0;
#pragma unroll
        for (int k = 0; k < COUNT; k++)
            sum ^= bits_of(x[k * MMA::ACCUMULATORS]);
        u64 end = clock_after(sum, out + 1);
        if (threadIdx.x % 32 == 0) {
            out[0] = begin;
            out[1] = end;
        }
    }
}

template <class MMA, int COUNT> __device__ __forceinline__ void run_chains(const unit &p)
{
    if (p.streams != COUNT)
        return;
    typename MMA::value x[COUNT * MMA::ACCUMULATORS];
    fragments<typename MMA::value> f;
    for (int i = 0; i < 4; i++)
        f.a[i] = (threadIdx.x + i) * p.b;
    for (int i = 0; i < 2; i++)
        f.b[i] = (threadIdx.x + i) * p.c;
    for (int i = 0; i < COUNT * MMA::ACCUMULATORS; i++)
        x[i] = p.first + i * p.step;
    time_matrix<MMA, SHORT_MATRIX, COUNT>(x, f, times_of(p, 0));
    time_matrix<MMA, LONG_MATRIX, COUNT>(x, f, times_of(p, 1));
}

#define MATRIX(NAME)                                                                                                   \
    KERNEL __launch_bounds__(1024) matrix_##NAME(const __grid_constant__ unit p)                                       \
    {                                                                                                                  \
        run_chains<mma_##NAME, 1>(p);                                                                                  \
        run_chains<mma_##NAME, 2>(p);                                                                                  \
        run_chains<mma_##NAME, 3>(p);                                                                                  \
        run_chains<mma_##NAME, 4>(p);                                                                                  \
        run_chains<mma_##NAME, 5>(p);                                                                                  \
        run_chains<mma_##NAME, 6>(p);                                                                                  \
    }

#if __CUDA_ARCH__ >= 750
MMA_421(f16_f32_1688, "m16n8k8.row.col.f32.f16.f16.f32")
MMA_221(f16_f16_1688, "m16n8k8.row.col.f16.f16.f16.f16")
MMA_211(s8_8816, u32, "r", "m8n8k16.row.col.s32.s8.s8.s32")

MATRIX(f16_f32_1688)
MATRIX(f16_f16_1688)
MATRIX(s8_8816)
#elif __CUDA_ARCH__ >= 700
// The only shape of Volta: a product of each of the four quad pairs.
struct mma_f16_f32_884 {
    typedef u32 value;
    enum { ACCUMULATORS = 8 };
    static __device__ __forceinline__ void run(u32 *x, const fragments<u32> &f)
    {
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, "
                     "{%10, %11}, {%0, %1, %2, %3, %4, %5, %6, %7};"
                     : "+r"(x[0]), "+r"(x[1]), "+r"(x[2]), "+r"(x[3]), "+r"(x[4]), "+r"(x[5]), "+r"(x[6]), "+r"(x[7])
                     : "r"(f.a[0]), "r"(f.a[1]), "r"(f.b[0]), "r"(f.b[1]));
    }
};
struct mma_f16_f16_884 {
    typedef u32 value;
    enum { ACCUMULATORS = 4 };
    static __device__ __forceinline__ void run(u32 *x, const fragments<u32> &f)
    {
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 {%0, %1, %2, %3}, {%4, %5}, {%6, %7}, "
                     "{%0, %1, %2, %3};"
                     : "+r"(x[0]), "+r"(x[1]), "+r"(x[2]), "+r"(x[3])
                     : "r"(f.a[0]), "r"(f.a[1]), "r"(f.b[0]), "r"(f.b[1]));
    }
};

MATRIX(f16_f32_884)
MATRIX(f16_f16_884)
#endif
