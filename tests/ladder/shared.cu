// Dynamic shared memory above 48 KB: refused until the kernel asks for it, then all of it is there.
// functional:
// detailed:
#include "ladder.cuh"

extern __shared__ unsigned words[];

__global__ void reverse(const unsigned *in, unsigned *out, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        words[i] = in[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        out[i] = words[n - 1 - i];
}

__global__ void with_static(unsigned *out, int n)
{
    __shared__ unsigned fixed[1024];
    fixed[threadIdx.x] = threadIdx.x;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        words[i] = 2 * i;
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned bytes;
        asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(bytes));
        out[0] = bytes;
        out[1] = fixed[63] + words[n - 1];
    }
}

int main()
{
    cudaDeviceProp device;
    CHECK(cudaGetDeviceProperties(&device, 0));
    EXPECT_EQUAL(device.sharedMemPerBlock, 48 << 10, 0);
    EXPECT(device.sharedMemPerBlockOptin > device.sharedMemPerBlock);
    int most = (int)device.sharedMemPerBlockOptin, n = most / 4;
    std::vector<unsigned> in(n), out(n);
    for (int i = 0; i < n; i++)
        in[i] = i * 2654435761u;
    unsigned *din, *dout;
    CHECK(cudaMalloc(&din, most));
    CHECK(cudaMalloc(&dout, most));
    CHECK(cudaMemcpy(din, in.data(), most, cudaMemcpyHostToDevice));

    reverse<<<1, 128, 48 << 10>>>(din, dout, 12 << 10);   // exactly 48 KB needs no leave
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    reverse<<<1, 128, (48 << 10) + 4>>>(din, dout, 64);
    EXPECT_ERROR(cudaGetLastError(), cudaErrorInvalidValue);
    EXPECT_ERROR(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, most + 4),
                 cudaErrorInvalidValue);
    (void)cudaGetLastError();

    CHECK(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
    reverse<<<1, 128, most>>>(din, dout, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out.data(), dout, most, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        EXPECT_EQUAL(out[i], in[n - 1 - i], i);

    cudaFuncAttributes attributes;
    CHECK(cudaFuncGetAttributes(&attributes, with_static));
    EXPECT(attributes.sharedSizeBytes >= 4096 && attributes.sharedSizeBytes <= 4096 + 1024);
    CHECK(cudaFuncSetAttribute(with_static, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 << 10));
    CHECK(cudaFuncSetAttribute(with_static, cudaFuncAttributePreferredSharedMemoryCarveout, 100));
    with_static<<<1, 64, 64 << 10>>>(dout, 16 << 10);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out.data(), dout, 8, cudaMemcpyDeviceToHost));
    EXPECT_EQUAL(out[0], 64 << 10, 0);
    EXPECT_EQUAL(out[1], 63 + 2 * ((16 << 10) - 1), 0);
    return ladder_result("shared");
}
