// A device assertion that does not hold: its text on stderr, error 710 from then on, and the program ends as it wants.
// functional: 33
// stderr~ assert\.cu:\d+: .*check.*: block: \[1,0,0\], thread: \[1,0,0\] Assertion `value != limit` failed
// exit: 5
// functional: 1000
// exit: 0
#include "ladder.cuh"
#undef NDEBUG
#include <cassert>

__global__ void check(int limit)
{
    int value = blockIdx.x * 32 + threadIdx.x;
    assert(value != limit);
}

int main(int argc, char **argv)
{
    int limit = (int)ladder_size(argc, argv, 33);
    check<<<2, 32>>>(limit);
    CHECK(cudaGetLastError());   // the launch itself is right
    cudaError_t error = cudaDeviceSynchronize();
    if (limit >= 64) {
        EXPECT(error == cudaSuccess);
        return ladder_result("assert");
    }
    EXPECT(error == cudaErrorAssert);
    EXPECT(cudaGetLastError() == cudaErrorAssert);
    EXPECT(cudaGetLastError() == cudaErrorAssert);   // stays
    void *memory;
    EXPECT(cudaMalloc(&memory, 4) == cudaErrorAssert);
    EXPECT(cudaDeviceSynchronize() == cudaErrorAssert);
    return ladder_result("assert") ? 1 : 5;
}
