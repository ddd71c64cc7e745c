// arch: 70
// build plain:
// build debug: -G
#include <mma.h>
using namespace nvcuda;
/* Products by quad pairs, each shape, layout and type of accumulators. */
#define D8 "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])
#define C8 "f"(c[0]), "f"(c[1]), "f"(c[2]), "f"(c[3]), "f"(c[4]), "f"(c[5]), "f"(c[6]), "f"(c[7])
#define D4 "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
#define C4 "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3])
#define AB "r"(x[t]), "r"(x[t + 32]), "r"(x[t + 64]), "r"(x[t + 96])
#define KERNEL(name, T, N, text, outs, ins)                                                                            \
    __global__ void name(T *out, const unsigned *x, const T *z)                                                        \
    {                                                                                                                  \
        unsigned t = threadIdx.x;                                                                                      \
        T c[N], d[N];                                                                                                  \
        for (int i = 0; i < N; i++)                                                                                    \
            c[i] = z[t * N + i];                                                                                       \
        asm volatile("mma.sync.aligned.m8n8k4." text : outs : AB, ins);                                                \
        for (int i = 0; i < N; i++)                                                                                    \
            out[t * N + i] = d[i];                                                                                     \
    }
#define LAYOUT(a, b)                                                                                                   \
    KERNEL(single_##a##b, float, 8, #a "." #b ".f32.f16.f16.f32 {%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9}, {%10,%11}, "       \
           "{%12,%13,%14,%15,%16,%17,%18,%19};", D8, C8)                                                               \
    KERNEL(half_##a##b, unsigned, 4, #a "." #b ".f16.f16.f16.f16 {%0,%1,%2,%3}, {%4,%5}, {%6,%7}, {%8,%9,%10,%11};",   \
           D4, C4)                                                                                                     \
    __global__ void mixed_##a##b(float *out, const unsigned *x, const unsigned *z)                                     \
    {                                                                                                                  \
        unsigned t = threadIdx.x, c[4];                                                                                \
        float d[8];                                                                                                    \
        for (int i = 0; i < 4; i++)                                                                                    \
            c[i] = z[t * 4 + i];                                                                                       \
        asm volatile("mma.sync.aligned.m8n8k4." #a "." #b ".f32.f16.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9}, "      \
                     "{%10,%11}, {%12,%13,%14,%15};"                                                                   \
                     : D8 : AB, C4);                                                                                   \
        for (int i = 0; i < 8; i++)                                                                                    \
            out[t * 8 + i] = d[i];                                                                                     \
    }
LAYOUT(row, col)
LAYOUT(row, row)
LAYOUT(col, row)
LAYOUT(col, col)
template <int M, int N, int K, class Acc, class LA, class LB>
__global__ void fragments(Acc *out, const half *a, const half *b, const Acc *c, int ld)
{
    wmma::fragment<wmma::matrix_a, M, N, K, half, LA> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, half, LB> fb;
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
#define FRAGMENTS(M, N, K, Acc, LA, LB)                                                                                \
    template __global__ void fragments<M, N, K, Acc, wmma::LA, wmma::LB>(Acc *, const half *, const half *,            \
                                                                         const Acc *, int);
#define SHAPES(Acc, LA, LB)                                                                                            \
    FRAGMENTS(16, 16, 16, Acc, LA, LB) FRAGMENTS(32, 8, 16, Acc, LA, LB) FRAGMENTS(8, 32, 16, Acc, LA, LB)
#define ACCUMULATORS(LA, LB) SHAPES(float, LA, LB) SHAPES(half, LA, LB)
ACCUMULATORS(row_major, col_major)
ACCUMULATORS(col_major, row_major)
ACCUMULATORS(row_major, row_major)
ACCUMULATORS(col_major, col_major)
