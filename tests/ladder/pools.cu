// Memory in the order of streams: the device's pool, a pool of one's own, trims and thresholds.
// functional: 1000
// detailed: 200
#include "ladder.cuh"

__global__ void write(int *data, int value, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = value + i;
}

int main(int argc, char **argv)
{
    int n = (int)ladder_size(argc, argv, 1000), supported = 0;
    CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, 0));
    EXPECT_EQUAL(supported, 1, 0);
    size_t bytes = n * sizeof(int);
    std::vector<int> got(n), more(n);
    cudaStream_t stream, other;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamCreate(&other));
    for (int round = 0; round < 3; round++) {
        int *a, *b;
        CHECK(cudaMallocAsync(&a, bytes, stream));
        CHECK(cudaMallocAsync(&b, bytes, stream));
        EXPECT(a && b && a != b);
        write<<<(n + 127) / 128, 128, 0, stream>>>(a, 10 * round, n);
        write<<<(n + 127) / 128, 128, 0, stream>>>(b, 20 * round, n);
        CHECK(cudaMemcpyAsync(got.data(), a, bytes, cudaMemcpyDeviceToHost, stream));
        CHECK(cudaFreeAsync(a, stream));
        CHECK(cudaMemcpyAsync(more.data(), b, bytes, cudaMemcpyDeviceToHost, stream));
        CHECK(cudaStreamSynchronize(stream));
        CHECK(round ? cudaFreeAsync(b, other) : cudaFree(b));
        for (int i = 0; i < n; i++) {
            EXPECT_EQUAL(got[i], 10 * round + i, i);
            EXPECT_EQUAL(more[i], 20 * round + i, i);
        }
    }
    CHECK(cudaDeviceSynchronize());

    cudaMemPool_t pool, standard, current;
    CHECK(cudaDeviceGetDefaultMemPool(&standard, 0));
    CHECK(cudaDeviceGetMemPool(&current, 0));
    EXPECT(standard == current);
    unsigned long long threshold = 1 << 20, told = 0, used = 1, reserved = 0;
    CHECK(cudaMemPoolSetAttribute(standard, cudaMemPoolAttrReleaseThreshold, &threshold));
    CHECK(cudaMemPoolGetAttribute(standard, cudaMemPoolAttrReleaseThreshold, &told));
    EXPECT_EQUAL(told, threshold, 0);
    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    CHECK(cudaMemPoolCreate(&pool, &properties));
    int *data;
    CHECK(cudaMallocFromPoolAsync(&data, bytes, pool, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved));
    EXPECT(used >= bytes && reserved >= used);
    write<<<1, 128, 0, stream>>>(data, 5, 128);
    CHECK(cudaMemcpyAsync(got.data(), data, 128 * sizeof(int), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaFreeAsync(data, stream));
    CHECK(cudaStreamSynchronize(stream));
    EXPECT_EQUAL(got[127], 132, 127);
    CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    EXPECT_EQUAL(used, 0, 0);
    CHECK(cudaMemPoolTrimTo(pool, 0));
    CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved));
    EXPECT_EQUAL(reserved, 0, 0);
    CHECK(cudaDeviceSetMemPool(0, pool));
    CHECK(cudaDeviceGetMemPool(&current, 0));
    EXPECT(current == pool);
    CHECK(cudaDeviceSetMemPool(0, standard));
    CHECK(cudaMemPoolDestroy(pool));

    size_t free_before = 0, free_after = 0, total = 0;
    CHECK(cudaMemGetInfo(&free_before, &total));
    CHECK(cudaMalloc(&data, 8 << 20));
    CHECK(cudaMemGetInfo(&free_after, &total));
    EXPECT(free_before <= total && free_before - free_after >= 8 << 20);
    EXPECT_ERROR(cudaMalloc(&data, total + 1), cudaErrorMemoryAllocation);
    EXPECT_ERROR(cudaGetLastError(), cudaErrorMemoryAllocation);
    CHECK(cudaGetLastError());
    return ladder_result("pools");
}
