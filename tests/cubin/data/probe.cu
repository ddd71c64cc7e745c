// One kernel for each fact that the reader of cubins must find; build.sh makes the fixtures from it.
struct triple { int x, y, z; };

__constant__ int weights[16] = {1, 2, 3};
__device__ int counter;
__device__ float initial[3] = {1.0f, 2.0f, 3.0f};

// Parameters at offsets 0, 2, 4, 16, 32, 40.
extern "C" __global__ void __launch_bounds__(96) mixed(char a, short b, triple c, float4 d, float *out, double e)
{
    out[threadIdx.x] = (float)(a + b + c.z + d.w + e) * initial[1];
}

namespace shapes {

template <int scale> __global__ void grow(int *data)
{
    data[threadIdx.x] = data[threadIdx.x] * scale;
}

__global__ void exchange(int *data)
{
    __shared__ int tile[24];
    tile[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = tile[23 - threadIdx.x] + weights[data[24]];
    counter = 1;
}

template __global__ void grow<3>(int *);
template __global__ void grow<5>(int *);

}
