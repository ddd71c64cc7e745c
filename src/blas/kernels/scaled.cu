// Widens FP8 and FP4 with scales by block to FP32. The conversions are exact; only products with FP32 scales round.
#include "scaled.h"

namespace {

// A number with these bits of exponent and mantissa. There is no infinity; the caller handles NaN.
__device__ inline float value_of(unsigned bits, unsigned mantissa, int bias, unsigned sign)
{
    unsigned body = bits & (sign - 1), fraction = body & ((1u << mantissa) - 1);
    int exponent = int(body >> mantissa);
    float size = exponent == 0 ? ldexpf(float(fraction), 1 - bias - int(mantissa))
                               : ldexpf(float((1u << mantissa) + fraction), exponent - bias - int(mantissa));
    return bits & sign ? -size : size;
}

__device__ inline float nan_of() { return __int_as_float(0x7fffffff); }

__device__ inline float e4m3(unsigned bits) { return (bits & 0x7f) == 0x7f ? nan_of() : value_of(bits, 3, 7, 0x80); }

__device__ inline float e5m2(unsigned bits)
{
    if ((bits & 0x7c) != 0x7c)
        return value_of(bits, 2, 15, 0x80);
    return bits & 3 ? nan_of() : __int_as_float(bits & 0x80 ? 0xff800000 : 0x7f800000);
}

__device__ inline float element(const scaled_arguments &g, long long at)
{
    const unsigned char *bytes = static_cast<const unsigned char *>(g.data);
    switch (g.type) {
    case SCALED_E4M3: return e4m3(bytes[at]);
    case SCALED_E5M2: return e5m2(bytes[at]);
    default: return value_of(bytes[at / 2] >> at % 2 * 4 & 15, 1, 1, 8);
    }
}

__device__ inline long long blocks(long long count, long long each) { return (count + each - 1) / each; }

// Scales of one byte lie in tiles of 128 vectors and 4 blocks along the sum; four vectors 32 apart are neighbours.
__device__ inline unsigned tiled(const scaled_arguments &g, long long v, long long block, long long each)
{
    long long tile = v / 128 * blocks(blocks(g.depth, each), 4) + block / 4;
    long long at = tile * 512 + v % 32 * 16 + v % 128 / 32 * 4 + block % 4;
    return static_cast<const unsigned char *>(g.scales)[at];
}

__device__ inline float scale(const scaled_arguments &g, long long v, long long l)
{
    const float *scales = static_cast<const float *>(g.scales);
    unsigned bits;
    switch (g.mode) {
    case SCALED_16_UE4M3: return e4m3(tiled(g, v, l / 16, 16) & 0x7f);
    case SCALED_32_UE8M0:
        bits = tiled(g, v, l / 32, 32);
        return bits == 255 ? nan_of() : ldexpf(1.0f, int(bits) - 127);
    case SCALED_VECTOR: return scales[v];
    case SCALED_128: return scales[l / 128 * g.vectors + v];
    case SCALED_SQUARE: return scales[v / 128 * (blocks(blocks(g.depth, 128), 4) * 4) + l / 128];
    default: return scales != nullptr ? *scales : 1.0f;
    }
}

} // namespace

extern "C" __global__ void __launch_bounds__(SCALED_THREADS)
    subcore_widen_scaled(const __grid_constant__ scaled_arguments g)
{
    for (long long v = blockIdx.x; v < g.vectors; v += gridDim.x)
        for (long long l = threadIdx.x; l < g.depth; l += SCALED_THREADS)
            g.result[v * g.depth + l] = element(g, v * g.pitch + l) * scale(g, v, l);
}
