// Random numbers by Philox 4x32-10 (Salmon and others, Parallel Random Numbers: As Easy as 1, 2, 3, SC 2011): bits, and
// uniform, normal, log-normal and Poisson numbers made of them. Each element is made apart, so that no run depends on
// another.
#include "discrete.cuh"
#include "rand.h"

namespace
{

enum { THREADS = RAND_THREADS };

struct words {
    unsigned w[4];
};

__device__ inline words philox(unsigned long long counter, unsigned long long seed)
{
    const unsigned first = 0xD2511F53u, second = 0xCD9E8D57u;
    words c = {{unsigned(counter), unsigned(counter >> 32), 0, 0}};
    unsigned key[2] = {unsigned(seed), unsigned(seed >> 32)};
    for (int round = 0; round < 10; round++) {
        unsigned a = __umulhi(first, c.w[0]), b = first * c.w[0], d = __umulhi(second, c.w[2]), e = second * c.w[2];
        c = {{d ^ c.w[1] ^ key[0], e, a ^ c.w[3] ^ key[1], b}};
        key[0] += 0x9E3779B9u;
        key[1] += 0xBB67AE85u;
    }
    return c;
}

__device__ inline unsigned word(const rand_arguments &g, unsigned long long at)
{
    at += g.offset;
    return philox(at / 4, g.seed).w[at % 4];
}

// In (0, 1]: zero never comes.
__device__ inline float uniform(const rand_arguments &g, unsigned long long i, float)
{
    return float(word(g, i)) * 0x1p-32f + 0x1p-33f;
}
__device__ inline double uniform(const rand_arguments &g, unsigned long long i, double)
{
    unsigned long long bits = (unsigned long long)word(g, 2 * i) << 32 | word(g, 2 * i + 1);
    return double(bits >> 11) * 0x1p-53 + 0x1p-54;
}

// Two uniform numbers make two normal ones (Box and Muller).
template <typename R> __device__ inline R normal(const rand_arguments &g, unsigned long long i)
{
    unsigned long long pair = i / 2 * 2;
    R size = sqrt(R(-2) * log(uniform(g, pair, R(0)))), sine, cosine;
    sincospi(2 * uniform(g, pair + 1, R(0)), &sine, &cosine);
    return R(g.mean) + R(g.deviation) * size * (i % 2 == 0 ? cosine : sine);
}

}   // namespace

#define KERNEL(name, type, ...)                                                                                        \
    extern "C" __global__ void __launch_bounds__(RAND_THREADS)                                                         \
        subcore_rand_##name(const __grid_constant__ rand_arguments g)                                                  \
    {                                                                                                                  \
        for (unsigned long long i = blockIdx.x * (unsigned long long)THREADS + threadIdx.x; i < g.count;               \
             i += gridDim.x * (unsigned long long)THREADS)                                                             \
            static_cast<type *>(g.result)[i] = __VA_ARGS__;                                                            \
    }
KERNEL(bits, unsigned, word(g, i))
KERNEL(uniform_f32, float, uniform(g, i, 0.0f))
KERNEL(uniform_f64, double, uniform(g, i, 0.0))
KERNEL(normal_f32, float, normal<float>(g, i))
KERNEL(normal_f64, double, normal<double>(g, i))
KERNEL(lognormal_f32, float, exp(normal<float>(g, i)))
KERNEL(lognormal_f64, double, exp(normal<double>(g, i)))
KERNEL(poisson, unsigned, discrete(g, uniform(g, i, 0.0)))
