// Stores FP32 results as FP8, scaled, and finds the largest size among them. The order of threads does not matter to a
// maximum.
#include "amax.h"
#include "number.cuh"

// Sizes are compared by their bits: these grow with the size, and those of NaN are the largest.
extern "C" __global__ void __launch_bounds__(AMAX_THREADS) subcore_amax(const __grid_constant__ amax_arguments g)
{
    const float scale = g.scale != nullptr ? *g.scale : 1.0f;
    unsigned largest = 0;
    for (long long j = blockIdx.x; j < g.columns * g.batch; j += gridDim.x)
        for (long long i = threadIdx.x; i < g.rows; i += AMAX_THREADS) {
            float x = g.from[j * g.rows + i];
            largest = max(largest, unsigned(__float_as_int(fabsf(x))));
            memory<float>::write(g.to, g.type, j % g.columns * g.pitch + j / g.columns * g.stride + i, x * scale);
        }
    for (unsigned mask = 16; mask > 0; mask /= 2)
        largest = max(largest, __shfl_xor_sync(0xffffffff, largest, mask));
    if (threadIdx.x % 32 == 0)
        atomicMax(reinterpret_cast<unsigned *>(g.amax), largest);
}
