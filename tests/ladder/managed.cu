// Managed memory and managed variables: host and device work on the same bytes by the same pointers.
// functional: 5000
// detailed: 500
#include "ladder.cuh"

struct node {
    int value;
    node *next;
};

__managed__ int steps = 5;
__managed__ node *head;
__managed__ float scale[4] = {1, 2, 3, 4};
__device__ __managed__ node first = {100, nullptr};

__global__ void walk(int *sum)
{
    for (node *at = head; at; at = at->next) {
        *sum += at->value;
        at->value = -at->value;
        steps++;
    }
}

__global__ void times(float *data, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        data[i] *= scale[i % 4];
}

int main(int argc, char **argv)
{
    int n = (int)ladder_size(argc, argv, 5000);
    EXPECT_EQUAL(steps, 5, 0);
    EXPECT_EQUAL(first.value, 100, 0);
    node *nodes;
    int *sum;
    CHECK(cudaMallocManaged(&nodes, 10 * sizeof(node)));
    CHECK(cudaMallocManaged(&sum, sizeof(int), cudaMemAttachGlobal));
    *sum = 0;
    for (int i = 0; i < 10; i++)
        nodes[i] = {i, i < 9 ? &nodes[i + 1] : &first};
    head = nodes;
    walk<<<1, 1>>>(sum);
    CHECK(cudaDeviceSynchronize());
    EXPECT_EQUAL(*sum, 145, 0);
    EXPECT_EQUAL(steps, 16, 0);
    EXPECT_EQUAL(first.value, -100, 0);
    for (int i = 0; i < 10; i++)
        EXPECT_EQUAL(nodes[i].value, -i, i);

    float *data;
    CHECK(cudaMallocManaged(&data, n * sizeof(float)));
    for (int i = 0; i < n; i++)
        data[i] = (float)i;
    cudaMemLocation device = {}, host = {};
    device.type = cudaMemLocationTypeDevice;
    host.type = cudaMemLocationTypeHost;
    CHECK(cudaMemAdvise(data, n * sizeof(float), cudaMemAdviseSetPreferredLocation, device));
    CHECK(cudaMemPrefetchAsync(data, n * sizeof(float), device, 0, 0));
    scale[3] = -1;
    times<<<(n + 127) / 128, 128>>>(data, n);
    CHECK(cudaMemPrefetchAsync(data, n * sizeof(float), host, 0, 0));
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++)
        EXPECT_EQUAL(data[i], (float)i * (i % 4 == 3 ? -1 : i % 4 + 1), i);

    cudaPointerAttributes attributes;
    CHECK(cudaPointerGetAttributes(&attributes, data + 5));
    EXPECT(attributes.type == cudaMemoryTypeManaged);
    EXPECT(attributes.devicePointer == data + 5 && attributes.hostPointer == data + 5);
    void *symbol;
    CHECK(cudaGetSymbolAddress(&symbol, steps));
    EXPECT(symbol == &steps);
    int from = 0, to = 77;
    CHECK(cudaMemcpyFromSymbol(&from, steps, sizeof from));
    EXPECT_EQUAL(from, 16, 1);
    CHECK(cudaMemcpyToSymbol(steps, &to, sizeof to));
    EXPECT_EQUAL(steps, 77, 0);
    CHECK(cudaMemset(data, 0, n * sizeof(float)));
    CHECK(cudaDeviceSynchronize());
    EXPECT_EQUAL(data[n - 1], 0, n - 1);
    CHECK(cudaFree(data));
    CHECK(cudaFree(nodes));
    CHECK(cudaFree(sum));
    return ladder_result("managed");
}
