// The kernel of driver.cu, compiled to a cubin, a fatbin and PTX.
extern "C" {
__device__ float driver_bias = 100;

__global__ void driver_vecadd(const float *a, const float *b, char tag, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i] * (float)tag + driver_bias;
}
}
