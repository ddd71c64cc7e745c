// Virtual functions of objects that live on the device, lambdas as arguments, and recursion on a larger stack.
// functional: 256
// detailed: 64
#include "ladder.cuh"

struct operation {
    __device__ virtual int apply(int value) const = 0;
};
struct add : operation {
    int by;
    __device__ explicit add(int by) : by(by) {}
    __device__ int apply(int value) const override { return value + by; }
};
struct both : operation {
    const operation *first, *second;
    __device__ both(const operation *first, const operation *second) : first(first), second(second) {}
    __device__ int apply(int value) const override { return second->apply(first->apply(value)); }
};
struct times : operation {
    __device__ int apply(int value) const override { return value * 3; }
};

__device__ operation *program[4];

__global__ void construct()
{
    program[0] = new add(7);
    program[1] = new times;
    program[2] = new both(program[0], program[1]);
    program[3] = new both(program[2], program[2]);
}

__global__ void evaluate(int *out) { out[threadIdx.x] = program[threadIdx.x % 4]->apply((int)threadIdx.x); }

template <typename F> __global__ void each(int *out, F f) { out[threadIdx.x] = f((int)threadIdx.x); }

__device__ __noinline__ int depth(int n, volatile int *keep)
{
    volatile int frame[64];
    frame[n % 64] = n;
    int below = n > 0 ? depth(n - 1, keep) : 0;
    return below + frame[n % 64];
}

__global__ void recurse(int *out, int n)
{
    out[threadIdx.x] = depth(n, out);
}

int main(int argc, char **argv)
{
    int n = (int)ladder_size(argc, argv, 256), *device;
    std::vector<int> got(n);
    CHECK(cudaMalloc(&device, n * sizeof(int)));
    construct<<<1, 1>>>();
    evaluate<<<1, n>>>(device);
    CHECK(cudaMemcpy(got.data(), device, n * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) {
        int twice = ((i + 7) * 3 + 7) * 3, want[4] = {i + 7, i * 3, (i + 7) * 3, twice};
        EXPECT_EQUAL(got[i], want[i % 4], i);
    }
    int factor = 11;
    each<<<1, n>>>(device, [=] __device__(int i) { return i * factor; });
    CHECK(cudaMemcpy(got.data(), device, n * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        EXPECT_EQUAL(got[i], i * 11, i);

    size_t stack = 0;
    CHECK(cudaDeviceGetLimit(&stack, cudaLimitStackSize));
    EXPECT(stack >= 1024);
    CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 32 << 10));
    CHECK(cudaDeviceGetLimit(&stack, cudaLimitStackSize));
    EXPECT(stack >= 32 << 10);
    recurse<<<1, 32>>>(device, 60);
    CHECK(cudaMemcpy(got.data(), device, 32 * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++)
        EXPECT_EQUAL(got[i], 60 * 61 / 2, i);
    return ladder_result("virtuals");
}
