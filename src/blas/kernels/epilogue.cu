// Kernels that follow a product: sums over rows or columns for bias gradients, and a bit for each positive element.
#include "block_sum.cuh"
#include "epilogue.h"
#include "number.cuh"

namespace {

enum { THREADS = EPILOGUE_THREADS };

template <typename In> __device__ inline const In *matrix(const epilogue_arguments &g, unsigned z)
{
    return static_cast<const In *>(g.list != nullptr ? g.list[z] : g.data) + (g.list != nullptr ? 0 : z * g.stride);
}

template <typename Sum> __device__ inline void write(const epilogue_arguments &g, unsigned z, unsigned v, Sum x)
{
    memory<Sum>::write(g.result, g.result_type, z * g.result_stride + v, x);
}

// Each warp has a vector with consecutive elements.
template <typename In, typename Sum> __device__ inline void along(const epilogue_arguments &g, unsigned z)
{
    unsigned v = blockIdx.x * EPILOGUE_ALONG + threadIdx.x / 32;
    if (v >= g.vectors)
        return;
    const In *x = matrix<In>(g, z) + v * g.pitch;
    Sum sum = 0;
    for (unsigned l = threadIdx.x % 32; l < g.depth; l += 32)
        sum += widened<Sum>(x[l]);
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0)
        write(g, z, v, sum);
}

// Each lane has a vector, and the warps take its elements in turn.
template <typename In, typename Sum> __device__ inline void across(const epilogue_arguments &g, unsigned z)
{
    __shared__ Sum sums[THREADS / 32][32];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, v = blockIdx.x * EPILOGUE_VECTORS + lane;
    const In *x = matrix<In>(g, z) + v;
    Sum sum = 0;
    for (unsigned l = warp; v < g.vectors && l < g.depth; l += THREADS / 32)
        sum += widened<Sum>(x[l * g.pitch]);
    __syncthreads(); // those of the matrix before have been read
    sums[warp][lane] = sum;
    __syncthreads();
    if (warp > 0 || v >= g.vectors)
        return;
    for (unsigned other = 1; other < THREADS / 32; other++)
        sum += sums[other][lane];
    write(g, z, v, sum);
}

template <typename In, typename Sum> __device__ inline void sums(const epilogue_arguments &g)
{
    for (unsigned z = blockIdx.y; z < g.batch; z += gridDim.y)
        if (g.along)
            along<In, Sum>(g, z);
        else
            across<In, Sum>(g, z);
}

// A thread writes eight bits, which a column's elements have behind each other. The last ones of a column may be less.
template <typename In> __device__ inline void positive(const epilogue_arguments &g)
{
    unsigned first = 8 * (blockIdx.x * THREADS + threadIdx.x);
    for (unsigned z = blockIdx.z; first < g.depth && z < g.batch; z += gridDim.z)
        for (unsigned v = blockIdx.y; v < g.vectors; v += gridDim.y) {
            const In *x = matrix<In>(g, z) + v * g.pitch + first;
            unsigned bits = 0;
            for (unsigned i = 0; i < min(8u, g.depth - first); i++)
                bits |= unsigned(widened<float>(x[i]) > 0.0f) << i;
            static_cast<unsigned char *>(g.result)[(z * g.result_stride + v * g.result_pitch + first) / 8] = bits;
        }
}

} // namespace

#define KERNEL(name, ...)                                                                                              \
    extern "C" __global__ void __launch_bounds__(EPILOGUE_THREADS)                                                     \
        subcore_##name(const __grid_constant__ epilogue_arguments g)                                                   \
    {                                                                                                                  \
        __VA_ARGS__(g);                                                                                                \
    }
#define SUMS(name, in, sum) KERNEL(sums_##name, sums<in, sum>)
#define POSITIVE(name, in) KERNEL(positive_##name, positive<in>)
SUMS(f32, float, float)
SUMS(f64, double, double)
SUMS(f16, __half, float)
SUMS(bf16, __nv_bfloat16, float)
POSITIVE(f32, float)
POSITIVE(f16, __half)
POSITIVE(bf16, __nv_bfloat16)
