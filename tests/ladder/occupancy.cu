// Occupancy, function attributes and properties, against the documented numbers of the compute capability. functional:
#include "ladder.cuh"

__global__ void plain(float *data) { data[threadIdx.x] += 1; }

__global__ void __launch_bounds__(128, 2) bounded(float *data)
{
    __shared__ float part[2048];
    part[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = part[127 - threadIdx.x];
}

__global__ void with_local(int *data, int at)
{
    int own[200];
    for (int i = 0; i < 200; i++)
        own[i] = data[i];
    data[0] = own[at] + own[at / 2];
}

// Of the CUDA programming guide's table of compute capabilities: threads, blocks and KB of shared memory on an SM.
struct capability {
    int major, minor, threads, blocks, shared, optin;
};
static const capability capabilities[] = {
    {8, 0, 2048, 32, 164, 163}, {8, 6, 1536, 16, 100, 99},  {8, 9, 1536, 24, 100, 99},
    {9, 0, 2048, 32, 228, 227}, {12, 0, 1536, 24, 100, 99},
};

int main()
{
    cudaDeviceProp device;
    CHECK(cudaGetDeviceProperties(&device, 0));
    const capability *known = nullptr;
    for (const capability &each : capabilities)
        if (each.major == device.major && each.minor == device.minor)
            known = &each;
    EXPECT(known != nullptr);
    EXPECT(device.name[0] && device.multiProcessorCount > 0 && device.totalGlobalMem > 1 << 28);
    EXPECT(device.warpSize == 32 && device.maxThreadsPerBlock == 1024 && device.regsPerMultiprocessor == 65536);
    EXPECT(device.maxGridSize[0] == 2147483647 && device.maxGridSize[1] == 65535 && device.maxThreadsDim[2] == 64);
    EXPECT(device.unifiedAddressing && device.managedMemory && device.canMapHostMemory);
    if (!known)
        return ladder_result("occupancy");
    EXPECT_EQUAL(device.maxThreadsPerMultiProcessor, known->threads, 0);
    EXPECT_EQUAL(device.maxBlocksPerMultiProcessor, known->blocks, 0);
    EXPECT_EQUAL(device.sharedMemPerMultiprocessor, known->shared << 10, 0);
    EXPECT_EQUAL(device.sharedMemPerBlockOptin, known->optin << 10, 0);
    int value = 0;
    CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrComputeCapabilityMajor, 0));
    EXPECT_EQUAL(value, known->major, 0);
    CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerMultiProcessor, 0));
    EXPECT_EQUAL(value, known->threads, 0);

    int blocks = 0;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 1024, 0));
    EXPECT_EQUAL(blocks, known->threads / 1024, 1024);
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 256, 0));
    EXPECT_EQUAL(blocks, known->threads / 256, 256);
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 32, 0));
    EXPECT_EQUAL(blocks, known->blocks, 32);
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 32, 47 << 10));
    EXPECT_EQUAL(blocks, known->shared / 48, 47);   // with the KB that the system takes of each block
    CHECK(cudaFuncSetAttribute(plain, cudaFuncAttributeMaxDynamicSharedMemorySize, known->optin << 10));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 32, known->optin << 10));
    EXPECT_EQUAL(blocks, 1, known->optin);
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, bounded, 128, 0));
    EXPECT(blocks >= 2);
    int grid = 0, size = 0;
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &size, plain, 0, 0));
    EXPECT(size % 32 == 0 && size > 0);
    EXPECT_EQUAL(grid * size, device.multiProcessorCount * known->threads, 0);
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &size, bounded, 0, 0));
    EXPECT(size <= 128);
    size_t dynamic = 0;
    CHECK(cudaOccupancyAvailableDynamicSMemPerBlock(&dynamic, plain, 2, 64));
    EXPECT(dynamic > 40 << 10 && dynamic <= (size_t)known->shared << 9);

    cudaFuncAttributes attributes;
    CHECK(cudaFuncGetAttributes(&attributes, plain));
    EXPECT(attributes.numRegs > 0 && attributes.numRegs <= 32);
    EXPECT_EQUAL(attributes.maxThreadsPerBlock, 1024, 0);
    EXPECT_EQUAL(attributes.localSizeBytes, 0, 0);
    EXPECT_EQUAL(attributes.binaryVersion, 10 * known->major + known->minor, 0);
    EXPECT(attributes.ptxVersion >= 80 && attributes.ptxVersion <= attributes.binaryVersion);
    CHECK(cudaFuncGetAttributes(&attributes, bounded));
    EXPECT_EQUAL(attributes.maxThreadsPerBlock, 128, 1);
    EXPECT(attributes.sharedSizeBytes >= 8192);
    CHECK(cudaFuncGetAttributes(&attributes, with_local));
    EXPECT(attributes.localSizeBytes >= 800);

    float *data;
    CHECK(cudaMalloc(&data, 4096));
    bounded<<<1, 256>>>(data);
    EXPECT(cudaGetLastError() != cudaSuccess);   // more threads than its bounds
    plain<<<1, 256>>>(data);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    return ladder_result("occupancy");
}
