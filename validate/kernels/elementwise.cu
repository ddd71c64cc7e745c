// Layers that treat each number for itself, four at a time where memory allows it.

// out = gelu(in + bias of its column), by the error function.
static __device__ float gelu(float x)
{
    return 0.5f * x * (1.0f + erff(x * 0.70710678f));
}

extern "C" __global__ void __launch_bounds__(256)
bias_gelu(const float4 *__restrict__ in, const float4 *__restrict__ bias, float4 *__restrict__ out, int columns)
{
    const int at = blockIdx.x * 256 + threadIdx.x;
    const float4 p = in[at], q = bias[at % (columns / 4)];
    out[at] = make_float4(gelu(p.x + q.x), gelu(p.y + q.y), gelu(p.z + q.z), gelu(p.w + q.w));
}

// The bits of a counter-based generator: each number's own, whatever thread makes it.
static __device__ unsigned mix(unsigned x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

// residual + in where the generator keeps it, scaled. A bit mask of the kept elements. One number a thread.
extern "C" __global__ void __launch_bounds__(256)
dropout_residual(const float *__restrict__ in, const float *__restrict__ residual, float *__restrict__ out,
                 unsigned *__restrict__ kept, unsigned seed, unsigned threshold, float scale)
{
    const unsigned at = blockIdx.x * 256 + threadIdx.x;
    const bool keep = mix(at ^ seed) >= threshold;
    const unsigned mask = __ballot_sync(0xffffffffu, keep);
    out[at] = residual[at] + (keep ? in[at] * scale : 0.0f);
    if (at % 32 == 0)
        kept[at / 32] = mask;
}

// gate and value lie beside each other in rows of 2 * columns: out = gate * sigmoid(gate) * value.
extern "C" __global__ void __launch_bounds__(256)
swiglu(const float *__restrict__ in, float *__restrict__ out, int columns)
{
    const int at = blockIdx.x * 256 + threadIdx.x, row = at / columns, column = at % columns;
    const float gate = in[(size_t)row * 2 * columns + column];
    const float value = in[(size_t)row * 2 * columns + columns + column];
    out[at] = gate / (1.0f + __expf(-gate)) * value;
}
