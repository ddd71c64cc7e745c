// The steps between a sum and its store: scaling, addend, bias, activation and its gradient, auxiliary matrix.
#ifndef SUBCORE_BLAS_KERNELS_FINISH_CUH
#define SUBCORE_BLAS_KERNELS_FINISH_CUH

#include "number.cuh"

// GELU by its tanh form, and its derivative.
__device__ inline float gelu(float x)
{
    float t = tanhf(0.7978845608f * (x + 0.044715f * x * x * x));
    return 0.5f * x * (1.0f + t);
}

__device__ inline float gelu_slope(float x)
{
    float t = tanhf(0.7978845608f * (x + 0.044715f * x * x * x));
    return 0.5f * (1.0f + t) + 0.5f * x * (1.0f - t * t) * 0.7978845608f * (1.0f + 3.0f * 0.044715f * x * x);
}

template <typename Sum> struct finisher {
    const gemm_arguments &g;
    const void *addend;
    void *result;
    long long batch;
    Sum alpha, beta;
    bool adds;

    __device__ inline finisher(const gemm_arguments &arguments, unsigned z) : g(arguments), batch(z)
    {
        addend = g.addend.list ? g.addend.list[z] : g.addend.data;
        result = g.result.list ? g.result.list[z] : g.result.data;
        alpha = g.alpha_at ? *static_cast<const Sum *>(g.alpha_at) : number<Sum>::of(g.alpha[0], g.alpha[1]);
        beta = g.beta_at ? *static_cast<const Sum *>(g.beta_at) : number<Sum>::of(g.beta[0], g.beta[1]);
        adds = g.reads_addend && !number<Sum>::is_zero(beta);
        scale(alpha);
    }

    template <typename T> __device__ inline void scale(T &) {}
    __device__ inline void scale(float &x)
    {
        x *= (g.scale_left ? *g.scale_left : 1.0f) * (g.scale_right ? *g.scale_right : 1.0f);
        if (g.scale_addend)
            beta *= *g.scale_addend;
    }

    template <typename T> __device__ inline T steps(T x, unsigned, unsigned) const { return x; }
    __device__ inline float steps(float x, unsigned p, unsigned q) const
    {
        if (g.steps & GEMM_BIAS)
            x += memory<float>::read(g.bias, g.bias_type, batch * g.bias_stride + q);
        if (g.steps & (GEMM_GELU | GEMM_GELU_GRADIENT)) {
            long long at = batch * g.aux.stride + (long long)p * g.aux.pitch + q;
            if (g.steps & GEMM_GELU_GRADIENT) {
                x *= gelu_slope(memory<float>::read(g.aux.data, g.aux_type, at));
            } else {
                if (g.steps & GEMM_AUX)
                    memory<float>::write(g.aux.data, g.aux_type, at, x);
                x = gelu(x);
            }
        }
        if (g.steps & GEMM_RELU_GRADIENT) {
            long long bit = batch * g.aux.stride + (long long)p * g.aux.pitch + q;
            x = static_cast<const unsigned char *>(g.aux.data)[bit / 8] >> bit % 8 & 1 ? x : 0.0f;
        }
        if (g.steps & GEMM_RELU)
            x = x > 0.0f ? x : x == x ? 0.0f : x;
        return g.scale_result ? x * *g.scale_result : x;
    }

    // FP64 has two of the steps.
    __device__ inline double steps(double x, unsigned, unsigned q) const
    {
        if (g.steps & GEMM_BIAS)
            x += static_cast<const double *>(g.bias)[batch * g.bias_stride + q];
        return g.steps & GEMM_RELU && x < 0.0 ? 0.0 : x;
    }

    __device__ inline Sum value(Sum sum, unsigned p, unsigned q) const
    {
        Sum x = alpha * sum;
        if (adds) {
            long long at = (g.addend.list ? 0 : batch * g.addend.stride) + (long long)p * g.addend.pitch + q;
            x = x + beta * memory<Sum>::read(addend, g.addend_type, at);
        }
        return steps(x, p, q);
    }

    __device__ inline long long place(unsigned p, unsigned q) const
    {
        return (g.result.list ? 0 : batch * g.result.stride) + (long long)p * g.result.pitch + q;
    }

    // Two neighbours along q, from shared memory: one access if the result's place allows it.
    __device__ inline void store_two(const Sum *sums, unsigned p, unsigned q) const
    {
        if (p >= g.rows || q >= g.columns)
            return;
        unsigned count = min(g.columns - q, 2u);
        Sum x[2] = {value(sums[0], p, q), number<Sum>::of(0, 0)};
        if (count == 2)
            x[1] = value(sums[1], p, q + 1);
        if (count < 2 || !pair(x, place(p, q)))
            for (unsigned i = 0; i < count; i++)
                memory<Sum>::write(result, g.type, place(p, q + i), x[i]);
    }

    template <typename T> __device__ inline bool pair(const T *, long long) const { return false; }
    __device__ inline bool pair(const float *x, long long at) const
    {
        if (!g.pairs)
            return false;
        if (g.type == GEMM_F16)
            *reinterpret_cast<__half2 *>(static_cast<__half *>(result) + at) = __floats2half2_rn(x[0], x[1]);
        else if (g.type == GEMM_BF16)
            *reinterpret_cast<__nv_bfloat162 *>(static_cast<__nv_bfloat16 *>(result) + at) =
                __floats2bfloat162_rn(x[0], x[1]);
        else
            *reinterpret_cast<float2 *>(static_cast<float *>(result) + at) = make_float2(x[0], x[1]);
        return true;
    }
};

#endif
