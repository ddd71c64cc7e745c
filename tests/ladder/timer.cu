// Clocks that kernels read: cycles go forward, and the global timer moves with the simulated time of the events.
// functional: 100
// detailed: 100
#include "ladder.cuh"

struct times {
    long long clocks[2];
    unsigned long long global[2];
    int sum;
};

__device__ unsigned long long global_timer()
{
    unsigned long long time;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time)::"memory");
    return time;
}

__global__ void measure(times *out, int steps)
{
    out->global[0] = global_timer();
    long long start = clock64();
    int sum = 0;
    for (int i = 0; i < steps; i++)
        sum += (int)(clock() & 3) + i;
    out->clocks[0] = start;
    out->clocks[1] = clock64();
    out->sum = sum;
    __threadfence();
    out->global[1] = global_timer();
}

int main(int argc, char **argv)
{
    int steps = (int)ladder_size(argc, argv, 100);
    times *device, got[2];
    cudaEvent_t start, end;
    CHECK(cudaMalloc(&device, sizeof got));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaEventRecord(start));
    measure<<<1, 1>>>(device, steps);
    CHECK(cudaMemsetAsync(device + 1, 0, sizeof(times)));
    measure<<<1, 1>>>(device + 1, 10 * steps);
    CHECK(cudaEventRecord(end));
    CHECK(cudaMemcpy(got, device, sizeof got, cudaMemcpyDeviceToHost));
    float milliseconds = 0;
    CHECK(cudaEventElapsedTime(&milliseconds, start, end));
    for (int i = 0; i < 2; i++) {
        EXPECT(got[i].clocks[1] > got[i].clocks[0]);
        EXPECT(got[i].global[1] >= got[i].global[0]);
    }
    EXPECT(got[1].clocks[1] - got[1].clocks[0] > got[0].clocks[1] - got[0].clocks[0]);
    EXPECT(got[1].global[0] >= got[0].global[1]);   // the second kernel begins when the first has ended
    double between = (double)(got[1].global[1] - got[0].global[0]);
    EXPECT(milliseconds > 0 && between <= 1e6 * milliseconds + 2000);   // the timer has steps of its own
    return ladder_result("timer");
}
