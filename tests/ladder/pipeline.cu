// Copies from global to shared memory that run ahead of the work: the pipeline primitives, and cuda::pipeline.
// functional: 4096
// detailed: 1024
#include "ladder.cuh"
#include <cooperative_groups.h>
#include <cuda/pipeline>
#include <cuda_pipeline.h>

#pragma nv_diag_suppress static_var_with_dynamic_init   // the state of a pipeline is always shared

constexpr int BLOCK = 128, STAGES = 3;

__global__ void by_primitives(const float4 *in, float *out, int batches)
{
    __shared__ float4 stage[STAGES][BLOCK];
    int thread = threadIdx.x;
    const float4 *mine = in + (size_t)blockIdx.x * batches * BLOCK + thread;
    for (int ahead = 0; ahead < STAGES - 1; ahead++) {
        if (ahead < batches)
            __pipeline_memcpy_async(&stage[ahead][thread], mine + ahead * BLOCK, sizeof(float4));
        __pipeline_commit();
    }
    float sum = 0;
    for (int batch = 0; batch < batches; batch++) {
        int next = batch + STAGES - 1;
        if (next < batches)
            __pipeline_memcpy_async(&stage[next % STAGES][thread], mine + next * BLOCK, sizeof(float4));
        __pipeline_commit();
        __pipeline_wait_prior(STAGES - 1);
        __syncthreads();
        float4 value = stage[batch % STAGES][BLOCK - 1 - thread];   // the words that another thread copied
        sum += value.x + 2 * value.y + 3 * value.z + 4 * value.w;
        __syncthreads();
    }
    out[blockIdx.x * BLOCK + thread] = sum;
}

__global__ void by_object(const int *in, int *out, int batches)
{
    __shared__ int stage[2][BLOCK];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cooperative_groups::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    const int *mine = in + (size_t)blockIdx.x * batches * BLOCK;
    pipe.producer_acquire();
    cuda::memcpy_async(block, stage[0], mine, sizeof(int) * BLOCK, pipe);
    pipe.producer_commit();
    int sum = 0;
    for (int batch = 0; batch < batches; batch++) {
        if (batch + 1 < batches) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, stage[(batch + 1) % 2], mine + (batch + 1) * BLOCK, sizeof(int) * BLOCK, pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum = 31 * sum + stage[batch % 2][BLOCK - 1 - threadIdx.x];
        pipe.consumer_release();
    }
    out[blockIdx.x * BLOCK + threadIdx.x] = sum;
}

int main(int argc, char **argv)
{
    int n = (int)ladder_size(argc, argv, 4096), blocks = 2, batches = n / (blocks * BLOCK);
    n = blocks * batches * BLOCK;
    std::vector<float4> in(n);
    std::vector<int> words(n), got_words(blocks * BLOCK);
    std::vector<float> got(blocks * BLOCK);
    ladder_random random(9);
    for (int i = 0; i < n; i++) {
        in[i] = make_float4(random.next() % 8, random.next() % 8, random.next() % 8, random.next() % 8);
        words[i] = (int)random.next();
    }
    float4 *din;
    float *dout;
    int *dwords, *dout_words;
    CHECK(cudaMalloc(&din, n * sizeof(float4)));
    CHECK(cudaMalloc(&dout, blocks * BLOCK * sizeof(float)));
    CHECK(cudaMalloc(&dwords, n * sizeof(int)));
    CHECK(cudaMalloc(&dout_words, blocks * BLOCK * sizeof(int)));
    CHECK(cudaMemcpy(din, in.data(), n * sizeof(float4), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dwords, words.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    by_primitives<<<blocks, BLOCK>>>(din, dout, batches);
    by_object<<<blocks, BLOCK>>>(dwords, dout_words, batches);
    CHECK(cudaMemcpy(got.data(), dout, got.size() * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(got_words.data(), dout_words, got_words.size() * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < blocks * BLOCK; i++) {
        float sum = 0;
        unsigned word = 0;
        for (int batch = 0; batch < batches; batch++) {
            size_t at = ((size_t)(i / BLOCK) * batches + batch) * BLOCK + BLOCK - 1 - i % BLOCK;
            sum += in[at].x + 2 * in[at].y + 3 * in[at].z + 4 * in[at].w;
            word = 31 * word + (unsigned)words[at];
        }
        EXPECT_EQUAL(got[i], sum, i);   // small whole numbers: exact
        EXPECT_EQUAL(got_words[i], (int)word, i);
    }
    return ladder_result("pipeline");
}
