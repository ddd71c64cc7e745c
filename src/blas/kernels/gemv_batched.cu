// Products of matrices and vectors in batches. Sums of narrow numbers are in FP32.
#include "gemv_batched.h"
#include "number.cuh"

namespace
{

enum { THREADS = GEMV_BATCHED_THREADS, LANES = 32, WARPS = THREADS / LANES };

static_assert(GEMV_BATCHED_ROWS == LANES && GEMV_BATCHED_COLUMNS == WARPS, "a lane has a row, and a warp a column");

template <typename T> __device__ inline T *one_of(const gemv_batch &b, long long z)
{
    return b.list != nullptr ? static_cast<T *>(b.list[z]) : static_cast<T *>(b.data) + z * b.stride;
}

template <typename T> __device__ inline T scalar(const void *at, const double (&value)[2])
{
    return at != nullptr ? *static_cast<const T *>(at) : number<T>::of(value[0], value[1]);
}

template <typename Sum> struct scalars {
    Sum alpha, beta;
    bool multiplies;   // else neither A nor x is read
    __device__ inline explicit scalars(const gemv_arguments &g)
        : alpha(scalar<Sum>(g.alpha_at, g.alpha)), beta(scalar<Sum>(g.beta_at, g.beta)),
          multiplies(!number<Sum>::is_zero(alpha))
    {
    }
};

template <typename Sum> __device__ inline void *result_of(const gemv_arguments &g, long long z)
{
    if (g.y.list != nullptr)
        return g.y.list[z];
    unsigned size = g.result_type == GEMM_F16 || g.result_type == GEMM_BF16 ? 2 : sizeof(Sum);
    return static_cast<char *>(g.y.data) + z * g.y.stride * size;
}

template <typename Sum>
__device__ inline void store(const gemv_arguments &g, const scalars<Sum> &s, long long z, long long i, Sum sum)
{
    void *y = result_of<Sum>(g, z);
    long long at = g.y.start + i * g.y.step;
    Sum result = s.alpha * sum;
    if (!number<Sum>::is_zero(s.beta))
        result = result + s.beta * memory<Sum>::read(y, g.result_type, at);
    memory<Sum>::write(y, g.result_type, at, result);
}

// op(A) = A: a block has 32 rows, a lane each, and its warps take columns in turn.
template <typename Sum, typename In> __device__ inline void by_rows(const gemv_arguments &g)
{
    __shared__ Sum sums[WARPS][LANES];
    const scalars<Sum> s(g);
    const unsigned lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
    const long long i = (long long)blockIdx.x * LANES + lane;
    for (long long z = blockIdx.y; z < g.batch; z += gridDim.y) {
        Sum sum = number<Sum>::of(0, 0);
        if (i < g.rows && s.multiplies) {
            const In *a = one_of<const In>(g.a, z), *x = one_of<const In>(g.x, z) + g.x.start;
            for (long long j = warp; j < g.columns; j += WARPS)
                add_product(sum, widened<Sum>(a[j * g.a.step + i]), widened<Sum>(x[j * g.x.step]));
        }
        sums[warp][lane] = sum;
        __syncthreads();
        for (int other = 1; warp == 0 && other < WARPS; other++)
            sum = sum + sums[other][lane];
        if (warp == 0 && i < g.rows)
            store(g, s, z, i, sum);
        __syncthreads();
    }
}

// op(A) = A': a warp has a column, and its lanes take rows in turn.
template <typename Sum, typename In> __device__ inline void by_columns(const gemv_arguments &g)
{
    __shared__ Sum sums[WARPS][LANES];
    const scalars<Sum> s(g);
    const unsigned lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
    const long long j = (long long)blockIdx.x * WARPS + warp;
    for (long long z = blockIdx.y; z < g.batch; z += gridDim.y) {
        Sum sum = number<Sum>::of(0, 0);
        if (j < g.columns && s.multiplies) {
            const In *a = one_of<const In>(g.a, z) + j * g.a.step, *x = one_of<const In>(g.x, z) + g.x.start;
            for (long long i = lane; i < g.rows; i += LANES) {
                Sum element = widened<Sum>(a[i]);
                add_product(sum, g.conjugate ? conjugated(element) : element, widened<Sum>(x[i * g.x.step]));
            }
        }
        sums[warp][lane] = sum;
        for (unsigned step = LANES / 2; step > 0; step /= 2) {
            __syncwarp();
            if (lane < step)
                sums[warp][lane] = sums[warp][lane] + sums[warp][lane + step];
        }
        if (lane == 0 && j < g.columns)
            store(g, s, z, j, sums[warp][0]);
        __syncwarp();
    }
}

}   // namespace

#define KERNEL(name, ...)                                                                                              \
    extern "C" __global__ void __launch_bounds__(THREADS)                                                              \
        subcore_gemv_batched_##name(const __grid_constant__ gemv_arguments g)                                          \
    {                                                                                                                  \
        __VA_ARGS__(g);                                                                                                \
    }
#define OF_TYPE(name, sum, in)                                                                                         \
    KERNEL(rows_##name, by_rows<sum, in>)                                                                              \
    KERNEL(columns_##name, by_columns<sum, in>)

OF_TYPE(f32, float, float)
OF_TYPE(f64, double, double)
OF_TYPE(c32, c32, c32)
OF_TYPE(c64, c64, c64)
OF_TYPE(f16, float, __half)
OF_TYPE(bf16, float, __nv_bfloat16)
