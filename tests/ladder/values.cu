// Kernels and streams that wait for values in memory: the host's, another stream's, and the host for a kernel.
// functional: 100 detailed: 10
#include "ladder_driver.cuh"

__global__ void answer(volatile int *question, volatile int *reply, int rounds)
{
    for (int i = 1; i <= rounds; i++) {
        while (*question != i)
            __nanosleep(100);
        *reply = 10 * i;
        __threadfence_system();
    }
}

__global__ void set(int *word, int value) { *word = value; }

int main(int argc, char **argv)
{
    int rounds = (int)ladder_size(argc, argv, 100);
    volatile int *mailbox;   // [0] from the host, [16] from the kernel
    CHECK(cudaHostAlloc((void **)&mailbox, 4096, cudaHostAllocMapped));
    mailbox[0] = mailbox[16] = 0;
    cudaStream_t first, second;
    CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    answer<<<1, 1, 0, first>>>(mailbox, mailbox + 16, rounds);
    CHECK(cudaGetLastError());
    for (int i = 1; i <= rounds; i++) {
        mailbox[0] = i;
        while (mailbox[16] != 10 * i)
            ;
    }
    CHECK(cudaStreamSynchronize(first));
    EXPECT_EQUAL(mailbox[16], 10 * rounds, 0);

    // A stream waits for a word that a kernel of another stream writes, submitted later.
    int *device, got = 0;
    CHECK(cudaMalloc(&device, 64));
    CHECK(cudaMemset(device, 0, 64));
    CHECK(cudaDeviceSynchronize());
    DRIVER(cuStreamWaitValue32((CUstream)first, (CUdeviceptr)device, 5, CU_STREAM_WAIT_VALUE_GEQ));
    set<<<1, 1, 0, first>>>(device + 1, 77);
    EXPECT(cudaStreamQuery(first) == cudaErrorNotReady);
    (void)cudaGetLastError();
    set<<<1, 1, 0, second>>>(device, 6);
    CHECK(cudaStreamSynchronize(first));
    CHECK(cudaMemcpy(&got, device + 1, sizeof got, cudaMemcpyDeviceToHost));
    EXPECT_EQUAL(got, 77, 0);

    // And for one that a stream writes without a kernel, with a bit that must be set.
    DRIVER(cuStreamWaitValue32((CUstream)second, (CUdeviceptr)(device + 2), 4, CU_STREAM_WAIT_VALUE_AND));
    DRIVER(cuStreamWriteValue32((CUstream)second, (CUdeviceptr)(device + 3), 88, 0));
    DRIVER(cuStreamWriteValue32((CUstream)first, (CUdeviceptr)(device + 2), 12, 0));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(&got, device + 3, sizeof got, cudaMemcpyDeviceToHost));
    EXPECT_EQUAL(got, 88, 1);
    return ladder_result("values");
}
