// Virtual memory by the driver API: reserved addresses, physical pieces mapped into them, and their rights.
// functional:
// detailed:
#include "ladder_driver.cuh"

__global__ void fill(int *data, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        data[i] = i ^ 0x5a5a;
}

int main()
{
    CHECK(cudaFree(0));   // the primary context
    CUdevice device;
    DRIVER(cuCtxGetDevice(&device));
    int supported = 0;
    DRIVER(cuDeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, device));
    EXPECT_EQUAL(supported, 1, 0);
    CUmemAllocationProp property = {};
    property.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    property.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    property.location.id = device;
    size_t grain = 0;
    DRIVER(cuMemGetAllocationGranularity(&grain, &property, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    EXPECT(grain >= 4096 && (grain & (grain - 1)) == 0);

    CUdeviceptr base;
    DRIVER(cuMemAddressReserve(&base, 4 * grain, 0, 0, 0));
    EXPECT(base % grain == 0);
    CUmemGenericAllocationHandle pieces[2];
    for (int i = 0; i < 2; i++)
        DRIVER(cuMemCreate(&pieces[i], grain, &property, 0));
    EXPECT(cuMemCreate(&pieces[0], grain + 1, &property, 0) == CUDA_ERROR_INVALID_VALUE);
    DRIVER(cuMemMap(base, grain, 0, pieces[0], 0));
    DRIVER(cuMemMap(base + grain, grain, 0, pieces[1], 0));
    CUmemAccessDesc access = {};
    access.location = property.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    DRIVER(cuMemSetAccess(base, 2 * grain, &access, 1));
    unsigned long long rights = 0;
    DRIVER(cuMemGetAccess(&rights, &property.location, base));
    EXPECT_EQUAL(rights, CU_MEM_ACCESS_FLAGS_PROT_READWRITE, 0);

    // A kernel writes across the border of both pieces.
    int n = 512, *data = (int *)(base + grain - 1024);
    fill<<<1, 64>>>(data, n);
    CHECK(cudaDeviceSynchronize());
    std::vector<int> got(n);
    CHECK(cudaMemcpy(got.data(), data, n * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        EXPECT_EQUAL(got[i], i ^ 0x5a5a, i);

    // The second piece moves to another place and keeps its bytes.
    DRIVER(cuMemUnmap(base + grain, grain));
    DRIVER(cuMemMap(base + 3 * grain, grain, 0, pieces[1], 0));
    DRIVER(cuMemSetAccess(base + 3 * grain, grain, &access, 1));
    DRIVER(cuMemcpyDtoH(got.data(), base + 3 * grain, 1024));
    for (int i = 0; i < 256; i++)
        EXPECT_EQUAL(got[i], (i + 256) ^ 0x5a5a, i);
    DRIVER(cuMemUnmap(base, grain));
    DRIVER(cuMemUnmap(base + 3 * grain, grain));
    for (CUmemGenericAllocationHandle piece : pieces)
        DRIVER(cuMemRelease(piece));
    DRIVER(cuMemAddressFree(base, 4 * grain));
    return ladder_result("vmm");
}
