// Barriers, atomics and semaphores of libcu++, and a queue between the warps of a block; built for debugging.
// functional: 50
// detailed: 10
#include "ladder.cuh"
#include <cuda/atomic>
#include <cuda/barrier>

#pragma nv_diag_suppress static_var_with_dynamic_init   // a barrier in shared memory is initialised by hand

// Half of the block produces, half consumes, by two barriers. The last block to end sums up.
__global__ void exchange(int rounds, unsigned *done, int *partial, int *out)
{
    using barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ barrier ready, empty;
    __shared__ int slot[32];
    if (threadIdx.x == 0) {
        init(&ready, 64);
        init(&empty, 64);
    }
    __syncthreads();
    int sum = 0;
    if (threadIdx.x < 32) {
        for (int i = 0; i < rounds; i++) {
            if (i)
                empty.arrive_and_wait();
            slot[threadIdx.x] = (int)(i * threadIdx.x + blockIdx.x);
            ready.arrive_and_wait();
        }
        empty.arrive_and_wait();
    } else {
        for (int i = 0; i < rounds; i++) {
            ready.arrive_and_wait();
            sum += slot[63 - threadIdx.x];
            empty.arrive_and_wait();
        }
        atomicAdd(&partial[blockIdx.x], sum);
    }
    __syncthreads();
    if (threadIdx.x)
        return;
    __threadfence();
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> count(*done);
    if (count.fetch_add(1, cuda::memory_order_acq_rel) == gridDim.x - 1) {
        int total = 0;
        for (unsigned i = 0; i < gridDim.x; i++)
            total += ((volatile int *)partial)[i];
        *out = total;
    }
}

__global__ void shares(double *sum, unsigned long long *largest, unsigned short *small)
{
    atomicAdd(sum, 0.5 * threadIdx.x);
    atomicMax(largest, (unsigned long long)threadIdx.x << 40);
    atomicCAS(&small[threadIdx.x / 2], (unsigned short)0, (unsigned short)(threadIdx.x + 1));
}

int main(int argc, char **argv)
{
    int rounds = (int)ladder_size(argc, argv, 50), blocks = 3, *partial, *out, got = 0, want = 0;
    unsigned *done;
    CHECK(cudaMalloc(&partial, blocks * sizeof(int)));
    CHECK(cudaMalloc(&out, sizeof(int)));
    CHECK(cudaMalloc(&done, sizeof(unsigned)));
    CHECK(cudaMemset(partial, 0, blocks * sizeof(int)));
    CHECK(cudaMemset(done, 0, sizeof(unsigned)));
    exchange<<<blocks, 64>>>(rounds, done, partial, out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int block = 0; block < blocks; block++)
        for (int i = 0; i < rounds; i++)
            for (int thread = 0; thread < 32; thread++)
                want += i * thread + block;
    EXPECT_EQUAL(got, want, 0);

    double *sum, total = 0;
    unsigned long long *largest, most = 0;
    unsigned short *small, words[32];
    CHECK(cudaMalloc(&sum, sizeof(double)));
    CHECK(cudaMalloc(&largest, sizeof most));
    CHECK(cudaMalloc(&small, sizeof words));
    CHECK(cudaMemset(sum, 0, sizeof(double)));
    CHECK(cudaMemset(largest, 0, sizeof most));
    CHECK(cudaMemset(small, 0, sizeof words));
    shares<<<1, 64>>>(sum, largest, small);
    CHECK(cudaMemcpy(&total, sum, sizeof total, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&most, largest, sizeof most, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(words, small, sizeof words, cudaMemcpyDeviceToHost));
    EXPECT_EQUAL(total, 1008, 0);
    EXPECT(most == 63ull << 40);
    for (int i = 0; i < 32; i++)
        EXPECT(words[i] == 2 * i + 1 || words[i] == 2 * i + 2);
    return ladder_result("barriers");
}
