// Device printf: the texts in the order of their launches, between the host's own.
// functional:
// detailed:
// stdout: host before
// stdout: nothing to format, 100%
// stdout: block 0 thread 0: -7 0x2a o=52 u=4294967295
// stdout: block 0 thread 0: 3.500000 1.250000e-03 2.5 c=x s=a string
// stdout: block 0 thread 0: 123456789012345   42|42   |00042 +1.50 p=0x1234
// stdout~ lane [0-3]
// stdout~ lane [0-3]
// stdout~ lane [0-3]
// stdout~ lane [0-3]
// stdout: many 1 2 3 4 5 6 7 8 9 10 11 12
// stdout: (null) and empty ''
// stdout: host between
// stdout: round 0
// stdout: round 1
// stdout: round 2
// stdout: printf: 5 checks are right
#include "ladder.cuh"

__device__ const char *const texts[2] = {"a string", ""};

__global__ void formats(int *answers)
{
    answers[0] = printf("nothing to format, 100%%\n");
    answers[1] = printf("block %d thread %d: %d %#x o=%o u=%u\n", blockIdx.x, threadIdx.x, -7, 42, 42, 0xffffffffu);
    printf("block %d thread %d: %f %e %g c=%c s=%s\n", blockIdx.x, threadIdx.x, 3.5f, 0.00125, 2.5, 'x', texts[0]);
    printf("block %d thread %d: %lld %4d|%-5d|%05d %+.2f p=%p\n", blockIdx.x, threadIdx.x, 123456789012345ll, 42, 42,
           42, 1.5, (void *)0x1234);
}

__global__ void lanes() { printf("lane %d\n", threadIdx.x); }

__global__ void many(int *answers)
{
    answers[2] = printf("many %d %d %d %d %d %d %d %d %d %d %d %d\n", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
    printf("(null) and empty '%s'\n", texts[1]);
}

__global__ void round(int number) { printf("round %d\n", number); }

int main()
{
    int *answers, host[3];
    size_t fifo = 0;
    CHECK(cudaDeviceGetLimit(&fifo, cudaLimitPrintfFifoSize));
    EXPECT(fifo >= 1 << 20);
    CHECK(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 2 << 20));
    CHECK(cudaDeviceGetLimit(&fifo, cudaLimitPrintfFifoSize));
    EXPECT(fifo >= 2 << 20);
    CHECK(cudaMalloc(&answers, sizeof host));
    printf("host before\n");
    formats<<<1, 1>>>(answers);
    lanes<<<1, 4>>>();
    many<<<1, 1>>>(answers);
    CHECK(cudaDeviceSynchronize());
    printf("host between\n");
    for (int i = 0; i < 3; i++)
        round<<<1, 1>>>(i);
    CHECK(cudaMemcpy(host, answers, sizeof host, cudaMemcpyDeviceToHost));   // synchronises as well
    EXPECT_EQUAL(host[0], 0, 0);   // the number of arguments
    EXPECT_EQUAL(host[1], 6, 1);
    EXPECT_EQUAL(host[2], 12, 2);
    return ladder_result("printf");
}
