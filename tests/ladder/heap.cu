// Memory that kernels allocate: a list built by one kernel, read and freed by the next.
// functional: 64
// detailed: 8
#include "ladder.cuh"

struct node {
    int value;
    node *next;
};

__device__ node *lists[256];

__global__ void build(int length)
{
    node *head = nullptr;
    for (int i = 0; i < length; i++) {
        node *made = (node *)malloc(sizeof(node));
        if (!made)
            return;
        made->value = threadIdx.x * 100 + i;
        made->next = head;
        head = made;
    }
    lists[threadIdx.x] = head;
}

__global__ void consume(int *sums)
{
    int sum = 0;
    for (node *at = lists[threadIdx.x]; at;) {
        node *next = at->next;
        sum += at->value;
        free(at);
        at = next;
    }
    sums[threadIdx.x] = sum;
}

__global__ void objects(int *out)
{
    int *own = new int[threadIdx.x + 1];
    for (unsigned i = 0; i <= threadIdx.x; i++)
        own[i] = i;
    int sum = 0;
    for (unsigned i = 0; i <= threadIdx.x; i++)
        sum += own[i];
    delete[] own;
    out[threadIdx.x] = sum;
}

__global__ void too_much(int *null)
{
    void *much = malloc((size_t)1 << 40);
    *null = much == nullptr;
    free(much);
}

int main(int argc, char **argv)
{
    int threads = (int)ladder_size(argc, argv, 64), sums[256] = {}, *device;
    size_t limit = 0;
    CHECK(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
    EXPECT_EQUAL(limit, 8 << 20, 0);
    CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20));
    CHECK(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
    EXPECT(limit >= 16 << 20);
    CHECK(cudaMalloc(&device, sizeof sums));
    for (int round = 0; round < 2; round++) {
        build<<<1, threads>>>(5);
        consume<<<1, threads>>>(device);
        CHECK(cudaMemcpy(sums, device, sizeof sums, cudaMemcpyDeviceToHost));
        for (int i = 0; i < threads; i++)
            EXPECT_EQUAL(sums[i], 500 * i + 10, i);
    }
    objects<<<1, threads>>>(device);
    CHECK(cudaMemcpy(sums, device, sizeof sums, cudaMemcpyDeviceToHost));
    for (int i = 0; i < threads; i++)
        EXPECT_EQUAL(sums[i], i * (i + 1) / 2, i);
    too_much<<<1, 1>>>(device);
    CHECK(cudaMemcpy(sums, device, sizeof(int), cudaMemcpyDeviceToHost));
    EXPECT_EQUAL(sums[0], 1, 0);
    return ladder_result("heap");
}
