// Kernels that go wrong: the documented error, once more for every later call, a message, and a program that goes on.
// functional: wild
// stderr~ subcore: error 700 \(CUDA_ERROR_ILLEGAL_ADDRESS\): kernel .*wild.*\bSTG?\..*lane.*0x123456789a00
// exit: 3
// functional: null
// stderr~ subcore: error 700 \(CUDA_ERROR_ILLEGAL_ADDRESS\): kernel .*\bSTG?\..*lane
// exit: 3
// functional: read
// stderr~ subcore: error 700 \(CUDA_ERROR_ILLEGAL_ADDRESS\): kernel .*\bLDG?\..*lane
// exit: 3
// functional: freed
// stderr~ subcore: error 700 \(CUDA_ERROR_ILLEGAL_ADDRESS\): kernel .*lane
// exit: 3
// functional: host
// stderr~ subcore: error 700 \(CUDA_ERROR_ILLEGAL_ADDRESS\): kernel .*lane
// exit: 3
// functional: misaligned
// stderr~ subcore: error 716 \(CUDA_ERROR_MISALIGNED_ADDRESS\): kernel .*lane
// exit: 3
// functional: trap
// stderr~ subcore: error 719 \(CUDA_ERROR_LAUNCH_FAILED\): kernel
// exit: 3
// functional: stack
// stderr~ subcore: error 7\d\d .*kernel
// exit: 3
// functional: space
// stderr~ subcore: error 717 \(CUDA_ERROR_INVALID_ADDRESS_SPACE\): kernel
// exit: 3
// functional: pc
// stderr~ subcore: error 718 \(CUDA_ERROR_INVALID_PC\): kernel
// exit: 3
// functional: shared
// stderr~ subcore: error 700 .*kernel .*lane
// exit: 3
// detailed: wild
// stderr~ subcore: error 700 \(CUDA_ERROR_ILLEGAL_ADDRESS\): kernel .*wild.*\bSTG?\..*lane.*0x123456789a00
// exit: 3
// detailed: misaligned
// stderr~ subcore: error 716 \(CUDA_ERROR_MISALIGNED_ADDRESS\): kernel .*lane
// exit: 3
// detailed: trap
// stderr~ subcore: error 719 \(CUDA_ERROR_LAUNCH_FAILED\): kernel
// exit: 3
#include "ladder.cuh"

__global__ void wild(int *pointer)
{
    if (threadIdx.x == 5)
        *pointer = 1;
}

__global__ void read(const int *pointer, int *out) { out[threadIdx.x] = pointer[threadIdx.x]; }

__global__ void misaligned(char *bytes) { *(long long *)(bytes + 8 * threadIdx.x + 1) = 1; }

__global__ void trap()
{
    if (threadIdx.x == 3)
        __trap();
}

__device__ __noinline__ int deeper(int n, volatile int *keep)
{
    volatile int frame[100];
    frame[n % 100] = n;
    return deeper(n + 1, keep) + frame[n % 50];
}
__global__ void stack(int *out) { out[0] = deeper(0, out); }

__global__ void space(int *out)
{
    int own[8];
    own[threadIdx.x % 8] = 1;
    int *generic = own + out[0];
    asm volatile("atom.add.u32 %0, [%1], 1;" : "=r"(out[1]) : "l"(generic) : "memory");   // of local memory
    out[2] = own[threadIdx.x % 8];
}

typedef void (*function)(int);
__global__ void pc(function f) { f(3); }

__global__ void shared(int at, int *out)
{
    __shared__ int words[32];
    words[threadIdx.x] = 1;
    __syncthreads();
    out[0] = words[threadIdx.x + at];
}

__global__ void good(int *out) { out[threadIdx.x] = threadIdx.x; }

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "wild";
    std::vector<int> guard(1024, 1234);   // host memory, which must stay as it is
    int *memory, *freed;
    CHECK(cudaMalloc(&memory, 4096));
    CHECK(cudaMalloc(&freed, 4 << 20));
    CHECK(cudaFree(freed));
    good<<<1, 32>>>(memory);
    CHECK(cudaDeviceSynchronize());
    int code = cudaErrorIllegalAddress;
    if (!std::strcmp(kind, "wild"))
        wild<<<2, 32>>>((int *)0x123456789a00);
    else if (!std::strcmp(kind, "null"))
        wild<<<1, 32>>>(nullptr);
    else if (!std::strcmp(kind, "read"))
        read<<<1, 32>>>((const int *)0x4400000000, memory);
    else if (!std::strcmp(kind, "freed"))
        wild<<<1, 32>>>(freed + 1000);
    else if (!std::strcmp(kind, "host"))
        wild<<<1, 32>>>(guard.data() + 500);
    else if (!std::strcmp(kind, "misaligned")) {
        misaligned<<<1, 32>>>((char *)memory);
        code = cudaErrorMisalignedAddress;
    } else if (!std::strcmp(kind, "trap")) {
        trap<<<1, 32>>>();
        code = cudaErrorLaunchFailure;
    } else if (!std::strcmp(kind, "stack")) {
        stack<<<1, 1>>>(memory);
        code = cudaErrorHardwareStackError;
    } else if (!std::strcmp(kind, "space")) {
        space<<<1, 1>>>(memory);
        code = cudaErrorInvalidAddressSpace;
    } else if (!std::strcmp(kind, "pc")) {
        pc<<<1, 1>>>((function)0x7fffffff0000);
        code = cudaErrorInvalidPc;
    } else if (!std::strcmp(kind, "shared"))
        shared<<<1, 32>>>(1 << 20, memory);
    else
        return 1;
    CHECK(cudaGetLastError());   // a launch does not wait for its kernel

    EXPECT_ERROR(cudaDeviceSynchronize(), code);
    EXPECT_ERROR(cudaPeekAtLastError(), code);
    EXPECT_ERROR(cudaGetLastError(), code);
    EXPECT_ERROR(cudaGetLastError(), code);   // reading it does not take it away
    void *more = nullptr;
    int word = 77;
    EXPECT_ERROR(cudaMalloc(&more, 16), code);
    EXPECT_ERROR(cudaMemcpy(&word, memory, 4, cudaMemcpyDeviceToHost), code);
    EXPECT_ERROR(cudaStreamSynchronize(0), code);
    EXPECT_ERROR(cudaMemcpy(memory, &word, 4, cudaMemcpyHostToDevice), code);
    good<<<1, 32>>>(memory);
    EXPECT_ERROR(cudaGetLastError(), code);
    EXPECT_EQUAL(word, 77, 0);
    for (int value : guard)
        EXPECT_EQUAL(value, 1234, 0);

    // With a new context the device is as good as new.
    (void)cudaDeviceReset();
    (void)cudaGetLastError();
    CHECK(cudaMalloc(&memory, 4096));
    good<<<1, 32>>>(memory);
    CHECK(cudaMemcpy(guard.data(), memory, 128, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++)
        EXPECT_EQUAL(guard[i], i, i);
    return ladder_result("faults") ? 1 : 3;
}
