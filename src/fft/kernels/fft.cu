// Discrete Fourier transforms of any size: Stockham's algorithm, whose stages need no reordering, with a stage for each
// factor. A thread computes one number of a stage. Numbers are FP32, of FP64 data FP64.
#include <cuda_fp16.h>

#include "arguments.h"

namespace {

template <typename S> struct alignas(2 * sizeof(S)) pair {
    S re, im;
};

template <typename T> struct element {
    typedef T sum;
    static __device__ inline T widened(T x) { return x; }
    static __device__ inline T narrowed(T x) { return x; }
};
template <> struct element<__half> {
    typedef float sum;
    static __device__ inline float widened(__half x) { return __half2float(x); }
    static __device__ inline __half narrowed(float x) { return __float2half_rn(x); }
};

struct place {
    unsigned at[FFT_RANK + 1];
};

__device__ inline place split(const fft_arguments &g, unsigned i)
{
    place p;
    for (int d = FFT_RANK; d > 0; d--) {
        p.at[d] = i % g.sizes[d - 1];
        i /= g.sizes[d - 1];
    }
    p.at[0] = i;
    return p;
}

__device__ inline long long offset(const fft_arguments &g, const place &p)
{
    long long sum = 0;
    for (int d = 0; d <= FFT_RANK; d++)
        sum += p.at[d] * g.steps[d];
    return sum;
}

#define EACH(i)                                                                                                        \
    for (unsigned i = blockIdx.x * FFT_THREADS + threadIdx.x; i < g.count; i += gridDim.x * FFT_THREADS)

// The half of a spectrum that is not stored is the conjugate of the other, mirrored in each dimension.
__device__ inline bool mirror(const fft_arguments &g, place &p)
{
    if (g.form != FFT_HERMITIAN || p.at[FFT_RANK] <= g.sizes[FFT_RANK - 1] / 2)
        return false;
    for (int d = 1; d <= FFT_RANK; d++)
        p.at[d] = p.at[d] == 0 ? 0 : g.sizes[d - 1] - p.at[d];
    return true;
}

template <typename T> __device__ inline void load(const fft_arguments &g)
{
    typedef typename element<T>::sum sum;
    EACH(i) {
        place p = split(g, i);
        bool mirrored = mirror(g, p);
        long long at = offset(g, p);
        pair<sum> x = {0, 0};
        if (g.form == FFT_REAL) {
            x.re = element<T>::widened(static_cast<const T *>(g.outside)[at]);
        } else {
            x.re = element<T>::widened(static_cast<const T *>(g.outside)[2 * at]);
            x.im = element<T>::widened(static_cast<const T *>(g.outside)[2 * at + 1]);
        }
        x.im = mirrored ? -x.im : x.im;
        static_cast<pair<sum> *>(g.to)[i] = x;
    }
}

template <typename T> __device__ inline void store(const fft_arguments &g)
{
    typedef typename element<T>::sum sum;
    EACH(i) {
        place p = split(g, i);
        if (mirror(g, p))
            continue;
        long long at = offset(g, p);
        pair<sum> x = static_cast<const pair<sum> *>(g.from)[i];
        if (g.form == FFT_REAL) {
            static_cast<T *>(g.outside)[at] = element<T>::narrowed(x.re);
        } else {
            static_cast<T *>(g.outside)[2 * at] = element<T>::narrowed(x.re);
            static_cast<T *>(g.outside)[2 * at + 1] = element<T>::narrowed(x.im);
        }
    }
}

__device__ inline void root(float turn, float *sine, float *cosine) { sincospif(turn, sine, cosine); }
__device__ inline void root(double turn, double *sine, double *cosine) { sincospi(turn, sine, cosine); }

// exp(sign * 2 pi i * x / n), where x is below n. The angle is taken between -pi and pi, where it is most precise.
template <typename S> __device__ inline pair<S> root_of_unity(unsigned x, unsigned n, int sign)
{
    long long centred = 2ll * x > n ? (long long)x - n : x;
    pair<S> w;
    root(S(2 * centred) / S(n), &w.im, &w.re);
    w.im = sign < 0 ? -w.im : w.im;
    return w;
}

// With `done` = L the buffer has, for each remainder t modulo m = length / L, the transform of the elements t, t + m,
// t + 2 m, ...: its number k at t + m k. The stage joins `radix` of these.
template <typename S> __device__ inline void stage(const fft_arguments &g)
{
    unsigned whole = g.done * g.radix, rest = g.length / whole, rest_before = g.length / g.done;
    EACH(i) {
        unsigned inside = i % g.inner, j = i / g.inner % g.length, outside = i / g.inner / g.length;
        unsigned t = j % rest, k = j / rest, before = t + rest_before * (k % g.done);
        const pair<S> *from = static_cast<const pair<S> *>(g.from) + (size_t)outside * g.length * g.inner + inside;
        pair<S> sum = from[(size_t)before * g.inner];
        for (unsigned r = 1; r < g.radix; r++) {
            pair<S> x = from[(size_t)(before + r * rest) * g.inner];
            pair<S> w = root_of_unity<S>(unsigned((unsigned long long)r * k % whole), whole, g.sign);
            sum.re = fma(x.re, w.re, fma(-x.im, w.im, sum.re));
            sum.im = fma(x.re, w.im, fma(x.im, w.re, sum.im));
        }
        static_cast<pair<S> *>(g.to)[i] = sum;
    }
}

} // namespace

#define KERNEL(name, ...)                                                                                              \
    extern "C" __global__ void __launch_bounds__(FFT_THREADS)                                                          \
        subcore_fft_##name(const __grid_constant__ fft_arguments g)                                                    \
    {                                                                                                                  \
        __VA_ARGS__(g);                                                                                                \
    }

KERNEL(load_f16, load<__half>)
KERNEL(load_f32, load<float>)
KERNEL(load_f64, load<double>)
KERNEL(stage_f32, stage<float>)
KERNEL(stage_f64, stage<double>)
KERNEL(store_f16, store<__half>)
KERNEL(store_f32, store<float>)
KERNEL(store_f64, store<double>)
