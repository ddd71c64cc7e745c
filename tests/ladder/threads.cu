// Eight host threads, each with its own stream, memory, events and errors, at the same time.
// functional: 2000
// detailed: 100
#include "ladder.cuh"
#include <atomic>
#include <thread>

__device__ int total;

__global__ void mix(unsigned *data, unsigned seed, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = (data[i] ^ seed) * 2654435761u + i;
    if (i == 0)
        atomicAdd(&total, 1);
}

static std::atomic<long> wrong;

static void work(unsigned number, int n)
{
    cudaStream_t stream;
    cudaEvent_t event;
    unsigned *data, *host;
    size_t bytes = n * sizeof(unsigned);
    CHECK(cudaSetDevice(0));
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&event));
    CHECK(cudaMallocHost(&host, bytes));
    for (int round = 0; round < 3; round++) {
        CHECK(cudaMallocAsync(&data, bytes, stream));
        CHECK(cudaMemsetAsync(data, (int)number, bytes, stream));
        for (unsigned step = 0; step < 3; step++)
            mix<<<(n + 127) / 128, 128, 0, stream>>>(data, number + step, n);
        CHECK(cudaMemcpyAsync(host, data, bytes, cudaMemcpyDeviceToHost, stream));
        CHECK(cudaFreeAsync(data, stream));
        CHECK(cudaEventRecord(event, stream));
        CHECK(cudaEventSynchronize(event));
        for (int i = 0; i < n; i++) {
            unsigned want = number * 0x01010101u;
            for (unsigned step = 0; step < 3; step++)
                want = (want ^ (number + step)) * 2654435761u + i;
            wrong += host[i] != want;
        }
    }
    if (number % 2) {   // an error belongs to the thread that made it
        wrong += cudaMemcpy(nullptr, host, 4, cudaMemcpyHostToDevice) != cudaErrorInvalidValue;
        wrong += cudaPeekAtLastError() != cudaErrorInvalidValue;
        wrong += cudaGetLastError() != cudaErrorInvalidValue;
    }
    wrong += cudaGetLastError() != cudaSuccess;
    CHECK(cudaFreeHost(host));
    CHECK(cudaEventDestroy(event));
    CHECK(cudaStreamDestroy(stream));
}

int main(int argc, char **argv)
{
    int n = (int)ladder_size(argc, argv, 2000);
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < 8; i++)
        threads.emplace_back(work, i, n);
    for (std::thread &thread : threads)
        thread.join();
    EXPECT_EQUAL(wrong.load(), 0, 0);
    int launches = 0;
    CHECK(cudaMemcpyFromSymbol(&launches, total, sizeof launches));
    EXPECT_EQUAL(launches, 72, 0);
    return ladder_result("threads");
}
