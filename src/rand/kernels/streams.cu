// Random numbers of XORWOW and MRG32k3a. A thread has a stream, of which it makes all elements of the result in turn.
#include "discrete.cuh"
#include "rand.h"
#include "recurrence.h"

namespace
{

enum { THREADS = RAND_THREADS };

template <typename R> struct pair_of {
    R first, second;
};

// ---- streams: bits, uniform numbers in (0, 1], and pairs of normal numbers (Box and Muller) -------------------------

__device__ inline pair_of<float> turned(float u, float angle)
{
    float size = sqrtf(-2.0f * logf(u)), sine, cosine;
    __sincosf(angle, &sine, &cosine);
    return {sine * size, cosine * size};
}

// `angle` counts half turns.
__device__ inline pair_of<double> turned(double u, double angle)
{
    double size = sqrt(-2.0 * log(u)), sine, cosine;
    sincospi(angle, &sine, &cosine);
    return {sine * size, cosine * size};
}

constexpr float TURN = 6.2831855f;

struct xorwow {
    rand_xorwow state;
    __device__ inline unsigned bits() { return rand_xorwow_next(&state); }
    __device__ inline double wide()
    {
        unsigned low = bits();
        return double(low ^ (unsigned long long)bits() << 21);
    }
    __device__ inline float uniform(float) { return fmaf(float(bits()), 0x1p-32f, 0x1p-33f); }
    __device__ inline double uniform(double) { return fma(wide(), 0x1p-53, 0x1p-54); }
    __device__ inline pair_of<float> normal(float)
    {
        float u = uniform(0.0f);
        return turned(u, fmaf(float(bits()), 0x1p-32f * TURN, 0x1p-33f * TURN));
    }
    __device__ inline pair_of<double> normal(double)
    {
        double u = uniform(0.0);
        return turned(u, fma(wide(), 0x1p-52, 0x1p-53));
    }
};

struct mrg32k3a {
    rand_mrg state;
    __device__ inline unsigned bits() { return unsigned(double(rand_mrg_next(&state)) * RAND_MRG_TO_BITS); }
    __device__ inline double uniform(double) { return double(rand_mrg_next(&state)) * RAND_MRG_TO_ONE; }
    __device__ inline float uniform(float) { return float(uniform(0.0)); }
    __device__ inline pair_of<float> normal(float)
    {
        float u = uniform(0.0f);
        return turned(u, uniform(0.0f) * TURN);
    }
    __device__ inline pair_of<double> normal(double)
    {
        double u = uniform(0.0);
        return turned(u, uniform(0.0) * 2.0);
    }
};

// ---- results: number i of a call, or pair i -------------------------------------------------------------------------

template <typename Stream> struct bits_of {
    static constexpr unsigned each = 1;
    static __device__ inline void write(const rand_arguments &g, unsigned long long i, Stream &s)
    {
        static_cast<unsigned *>(g.result)[i] = s.bits();
    }
};

template <typename Stream, typename R> struct uniform_of {
    static constexpr unsigned each = 1;
    static __device__ inline void write(const rand_arguments &g, unsigned long long i, Stream &s)
    {
        static_cast<R *>(g.result)[i] = s.uniform(R(0));
    }
};

template <typename Stream, typename R, bool LOG> struct normal_of {
    static constexpr unsigned each = 2;
    static __device__ inline R place(const rand_arguments &g, R x)
    {
        R placed = R(g.mean) + R(g.deviation) * x;
        return LOG ? exp(placed) : placed;
    }
    static __device__ inline void write(const rand_arguments &g, unsigned long long i, Stream &s)
    {
        pair_of<R> pair = s.normal(R(0));
        static_cast<R *>(g.result)[2 * i] = place(g, pair.first);
        static_cast<R *>(g.result)[2 * i + 1] = place(g, pair.second);
    }
};

template <typename Stream> struct poisson_of {
    static constexpr unsigned each = 1;
    static __device__ inline void write(const rand_arguments &g, unsigned long long i, Stream &s)
    {
        static_cast<unsigned *>(g.result)[i] = discrete(g, s.uniform(0.0));
    }
};

template <typename Stream, typename Result> __device__ inline void run(const rand_arguments &g)
{
    const unsigned long long count = g.count / Result::each;
    for (unsigned s = blockIdx.x * THREADS + threadIdx.x; s < g.streams; s += gridDim.x * THREADS) {
        unsigned long long i = s >= g.first ? s - g.first : s + g.streams - g.first;
        if (i >= count)
            continue;
        Stream stream;
        unsigned words[RAND_STATE_WORDS];
        static_assert(sizeof words == sizeof stream.state, "a state has six words");
        for (unsigned w = 0; w < RAND_STATE_WORDS; w++)
            words[w] = g.states[w * g.streams + s];
        memcpy(&stream.state, words, sizeof words);
        for (; i < count; i += g.streams)
            Result::write(g, i, stream);
        memcpy(words, &stream.state, sizeof words);
        for (unsigned w = 0; w < RAND_STATE_WORDS; w++)
            g.states[w * g.streams + s] = words[w];
    }
}

}   // namespace

#define KERNEL(name, ...)                                                                                              \
    extern "C" __global__ void __launch_bounds__(RAND_THREADS)                                                         \
        subcore_rand_##name(const __grid_constant__ rand_arguments g)                                                  \
    {                                                                                                                  \
        run<__VA_ARGS__>(g);                                                                                           \
    }
#define OF_STREAM(stream)                                                                                              \
    KERNEL(stream##_bits, stream, bits_of<stream>)                                                                     \
    KERNEL(stream##_uniform_f32, stream, uniform_of<stream, float>)                                                    \
    KERNEL(stream##_uniform_f64, stream, uniform_of<stream, double>)                                                   \
    KERNEL(stream##_normal_f32, stream, normal_of<stream, float, false>)                                               \
    KERNEL(stream##_normal_f64, stream, normal_of<stream, double, false>)                                              \
    KERNEL(stream##_lognormal_f32, stream, normal_of<stream, float, true>)                                             \
    KERNEL(stream##_lognormal_f64, stream, normal_of<stream, double, true>)                                            \
    KERNEL(stream##_poisson, stream, poisson_of<stream>)
OF_STREAM(xorwow)
OF_STREAM(mrg32k3a)
