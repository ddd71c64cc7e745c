// Products of Volta's quad pairs, through wmma in each layout and shape: the compiler's own loads and stores put the
// elements where HMMA.884 wants them. tests/exec/quadpair.c knows the right results. Made by
//   ../../tools/cubins.sh cubin quadpair.cu quadpair 70
#include <mma.h>

using namespace nvcuda;

struct operands {
    half a[32 * 16], b[16 * 32];
    float c[256], d[256]; // halves where the sums are halves
};

template <class A, class B> struct same {
    enum { yes = false };
};
template <class A> struct same<A, A> {
    enum { yes = true };
};

template <int M, int N, class SUM, class LEFT, class RIGHT> __device__ void multiply(operands *o)
{
    constexpr bool rows_a = same<LEFT, wmma::row_major>::yes,
                   rows_b = same<RIGHT, wmma::row_major>::yes;
    wmma::fragment<wmma::matrix_a, M, N, 16, half, LEFT> a;
    wmma::fragment<wmma::matrix_b, M, N, 16, half, RIGHT> b;
    wmma::fragment<wmma::accumulator, M, N, 16, SUM> sum;
    wmma::load_matrix_sync(a, o->a, rows_a ? 16 : M);
    wmma::load_matrix_sync(b, o->b, rows_b ? N : 16);
    wmma::load_matrix_sync(sum, (SUM *)o->c, N, wmma::mem_row_major);
    wmma::mma_sync(sum, a, b, sum);
    wmma::store_matrix_sync((SUM *)o->d, sum, N, wmma::mem_row_major);
}

#define PRODUCT(name, M, N, SUM, LEFT, RIGHT)                                                                          \
    extern "C" __global__ void name(operands *o) { multiply<M, N, SUM, wmma::LEFT, wmma::RIGHT>(o); }
#define LAYOUTS(name, M, N, SUM)                                                                                       \
    PRODUCT(name##_row_row, M, N, SUM, row_major, row_major)                                                           \
    PRODUCT(name##_row_col, M, N, SUM, row_major, col_major)                                                           \
    PRODUCT(name##_col_row, M, N, SUM, col_major, row_major)                                                           \
    PRODUCT(name##_col_col, M, N, SUM, col_major, col_major)
LAYOUTS(f32_16x16, 16, 16, float)
LAYOUTS(f32_32x8, 32, 8, float)
LAYOUTS(f32_8x32, 8, 32, float)
LAYOUTS(f16_16x16, 16, 16, half)
LAYOUTS(f16_32x8, 32, 8, half)
LAYOUTS(f16_8x32, 8, 32, half)

// Half-precision sums as addends for FP32 sums: mma.m8n8k4 alone has it. Each lane stores its registers.
extern "C" __global__ void mixed(unsigned *o)
{
    unsigned t = threadIdx.x, *a = o, *b = o + 64, *c = o + 128;
    float d[8];
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, "
                 "{%10, %11}, {%12, %13, %14, %15};"
                 : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3]), "=f"(d[4]), "=f"(d[5]), "=f"(d[6]), "=f"(d[7])
                 : "r"(a[2 * t]), "r"(a[2 * t + 1]), "r"(b[2 * t]), "r"(b[2 * t + 1]), "r"(c[4 * t]),
                   "r"(c[4 * t + 1]), "r"(c[4 * t + 2]), "r"(c[4 * t + 3]));
    for (int i = 0; i < 8; i++)
        ((float *)o)[256 + 8 * t + i] = d[i];
}
