// Pinned, mapped and registered host memory: kernels work on the host's bytes without a copy.
// functional: 3000
// detailed: 300
#include "ladder.cuh"

__global__ void invert(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = ~in[i];
}

__global__ void count(int *at, int times)
{
    for (int i = 0; i < times; i++)
        atomicAdd_system(at, 1);
}

static void check_type(const void *pointer, cudaMemoryType type)
{
    cudaPointerAttributes attributes;
    CHECK(cudaPointerGetAttributes(&attributes, pointer));
    EXPECT(attributes.type == type);
}

int main(int argc, char **argv)
{
    int n = (int)ladder_size(argc, argv, 3000);
    size_t bytes = n * sizeof(int);
    int blocks = (n + 127) / 128;
    int *pinned, *mapped, *view;
    CHECK(cudaMallocHost(&pinned, bytes));
    CHECK(cudaHostAlloc(&mapped, bytes, cudaHostAllocMapped | cudaHostAllocPortable));
    CHECK(cudaHostGetDevicePointer(&view, mapped, 0));
    unsigned flags = 0;
    CHECK(cudaHostGetFlags(&flags, mapped));
    EXPECT((flags & cudaHostAllocMapped) != 0 && (flags & cudaHostAllocPortable) != 0);
    for (int i = 0; i < n; i++) {
        pinned[i] = i;
        mapped[i] = 0;
    }
    invert<<<blocks, 128>>>(pinned, view, n);   // with unified addressing, pinned memory is mapped anyway
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++)
        EXPECT_EQUAL(mapped[i], ~i, i);

    // Registered: ordinary memory, not at the start of a page, and its neighbours stay as they are.
    std::vector<int> block(n + 4000, 7);
    int *registered = block.data() + 1501, *registered_view;
    CHECK(cudaHostRegister(registered, bytes, cudaHostRegisterMapped));
    CHECK(cudaHostGetDevicePointer(&registered_view, registered, 0));
    invert<<<blocks, 128>>>(mapped, registered_view, n);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++)
        EXPECT_EQUAL(registered[i], i, i);
    EXPECT_EQUAL(registered[-1], 7, -1);
    EXPECT_EQUAL(registered[n], 7, n);
    for (int i = 0; i < n; i++)
        registered[i] = i * 5;   // the host writes again, and the next kernel sees it
    invert<<<blocks, 128>>>(registered_view, pinned, n);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++)
        EXPECT_EQUAL(pinned[i], ~(i * 5), i);
    CHECK(cudaMemset(registered_view, 0, bytes));
    CHECK(cudaDeviceSynchronize());
    EXPECT_EQUAL(registered[n / 2], 0, n / 2);
    count<<<3, 32>>>(registered_view, 5);
    CHECK(cudaDeviceSynchronize());
    EXPECT_EQUAL(registered[0], 480, 0);
    check_type(registered, cudaMemoryTypeHost);
    CHECK(cudaHostUnregister(registered));
    check_type(registered, cudaMemoryTypeUnregistered);
    check_type(pinned, cudaMemoryTypeHost);
    EXPECT_ERROR(cudaHostUnregister(registered), cudaErrorHostMemoryNotRegistered);
    (void)cudaGetLastError();

    int *device;
    CHECK(cudaMalloc(&device, bytes));
    check_type(device, cudaMemoryTypeDevice);
    CHECK(cudaMemcpyAsync(device, pinned, bytes, cudaMemcpyDefault, 0));
    CHECK(cudaMemcpyAsync(mapped, device, bytes, cudaMemcpyDefault, 0));
    CHECK(cudaStreamSynchronize(0));
    EXPECT(std::memcmp(mapped, pinned, bytes) == 0);
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaFreeHost(mapped));
    return ladder_result("pinned");
}
