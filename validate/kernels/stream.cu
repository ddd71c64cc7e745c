// Vectors through memory, four numbers a thread and step, the grid as large as the GPU: copy, triad, axpy, dot; and a
// copy whose accesses lie apart.

constexpr unsigned ALL = 0xffffffffu;

// Each thread goes over the vector in steps of the grid; n counts float4.
extern "C" __global__ void __launch_bounds__(256)
stream_copy(const float4 *__restrict__ a, float4 *__restrict__ c, int n)
{
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
        c[i] = a[i];
}

extern "C" __global__ void __launch_bounds__(256)
stream_triad(const float4 *__restrict__ a, const float4 *__restrict__ b, float4 *__restrict__ c, float s, int n)
{
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
        const float4 p = a[i], q = b[i];
        c[i] = make_float4(p.x + s * q.x, p.y + s * q.y, p.z + s * q.z, p.w + s * q.w);
    }
}

// y += s * x, one number a thread; n counts floats.
extern "C" __global__ void __launch_bounds__(256)
stream_axpy(const float *__restrict__ x, float *__restrict__ y, float s, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n)
        y[i] += s * x[i];
}

// Adds the product of a and b to *sum, with one atomic for each CTA; n counts float4.
extern "C" __global__ void __launch_bounds__(256)
stream_dot(const float4 *__restrict__ a, const float4 *__restrict__ b, float *sum, int n)
{
    __shared__ float part[8];
    float own = 0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
        const float4 p = a[i], q = b[i];
        own += p.x * q.x + p.y * q.y + p.z * q.z + p.w * q.w;
    }
    for (int mask = 16; mask > 0; mask /= 2)
        own += __shfl_xor_sync(ALL, own, mask);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = own;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < 8; i++)
            own += part[i];
        atomicAdd(sum, own);
    }
}

// A copy of floats, `stride` apart: neighbouring threads have neighbouring sectors or further ones. n is a multiple of
// the stride.
extern "C" __global__ void __launch_bounds__(256)
stream_strided(const float *__restrict__ a, float *__restrict__ c, int stride, int n)
{
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i >= n)
        return;
    const int at = i % (n / stride) * stride + i / (n / stride);
    c[at] = a[at];
}
