// Built with -default-stream per-thread: each host thread's default stream is its own.
// functional: 3000
#include "ladder.cuh"
#include <thread>

__global__ void step(int *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] = 3 * data[i] + 1;
}

static void work(int number, int n, std::vector<int> *out)
{
    int *data;
    size_t bytes = n * sizeof(int);
    std::vector<int> in(n);
    for (int i = 0; i < n; i++)
        in[i] = number * 1000 + i;
    CHECK(cudaMalloc(&data, bytes));
    CHECK(cudaMemcpyAsync(data, in.data(), bytes, cudaMemcpyHostToDevice));
    for (int round = 0; round < 4; round++)
        step<<<(n + 127) / 128, 128>>>(data, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(out->data(), data, bytes, cudaMemcpyDeviceToHost, cudaStreamPerThread));
    CHECK(cudaStreamSynchronize(0));
    CHECK(cudaFree(data));
}

int main(int argc, char **argv)
{
    int n = (int)ladder_size(argc, argv, 3000);
    std::vector<std::vector<int>> outs(4, std::vector<int>(n));
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++)
        threads.emplace_back(work, i, n, &outs[i]);
    for (std::thread &thread : threads)
        thread.join();
    for (int thread = 0; thread < 4; thread++)
        for (int i = 0; i < n; i++) {
            int want = thread * 1000 + i;
            for (int round = 0; round < 4; round++)
                want = 3 * want + 1;
            EXPECT_EQUAL(outs[thread][i], want, i);
        }
    // In the main thread: the stream handle 0 is the per-thread stream, so a wait by its event works.
    cudaEvent_t event;
    CHECK(cudaEventCreate(&event));
    CHECK(cudaEventRecord(event));
    CHECK(cudaEventSynchronize(event));
    unsigned flags = 7;
    CHECK(cudaStreamGetFlags(0, &flags));
    EXPECT_EQUAL(flags, 0, 0);   // the per-thread stream is a blocking one
    return ladder_result("default_stream");
}
