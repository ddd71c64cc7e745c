// Objects that outlive main, a device that is reset and used again, and calls from destructors of static objects.
// functional: detailed:
#include "ladder.cuh"

__device__ int counter = 10;
__managed__ int shared_counter = 20;
__constant__ int step = 3;

__global__ void count()
{
    counter += step;
    shared_counter += step;
}

struct holder {
    int *memory = nullptr;
    cudaStream_t stream = nullptr;
    ~holder()   // after main, in any order with the runtime's own end
    {
        if (memory && cudaMemset(memory, 0, 64) == cudaSuccess) {
            cudaFree(memory);
            cudaStreamDestroy(stream);
        }
    }
};
static holder late;

static int read()
{
    int value = 0;
    CHECK(cudaMemcpyFromSymbol(&value, counter, sizeof value));
    return value;
}

int main()
{
    int count_before = 0;
    CHECK(cudaGetDeviceCount(&count_before));
    EXPECT_EQUAL(count_before, 1, 0);
    for (int round = 0; round < 3; round++) {
        int *memory, three = 3 + round;
        CHECK(cudaMalloc(&memory, 1 << 20));
        EXPECT_EQUAL(read(), 10, round);   // a new context has the variables as they start
        count<<<1, 1>>>();
        CHECK(cudaMemcpyToSymbol(step, &three, sizeof three));
        count<<<1, 1>>>();
        CHECK(cudaDeviceSynchronize());
        EXPECT_EQUAL(read(), 16 + round, round);
        EXPECT_EQUAL(shared_counter, 26 + round, round);
        CHECK(cudaDeviceReset());
        EXPECT_ERROR(cudaFree(memory), cudaErrorInvalidValue);   // the reset freed it
        EXPECT_ERROR(cudaGetLastError(), cudaErrorInvalidValue);
        EXPECT_ERROR(cudaGetLastError(), cudaSuccess);
    }
    CHECK(cudaMalloc(&late.memory, 4096));
    CHECK(cudaStreamCreate(&late.stream));
    count<<<1, 1, 0, late.stream>>>();   // still runs, perhaps, when main ends
    return ladder_result("lifetime");
}
