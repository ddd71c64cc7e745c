// Parameters of all sizes and alignments: structs by value, and more than 4 KB of them.
// functional:
// detailed:
#include "ladder.cuh"

struct large {
    int data[3000];   // 12,000 bytes
};

struct __align__(16) aligned {
    double first;
    char tag;
};

__global__ void sum(const large value, int *out)
{
    int total = 0;
    for (int i = threadIdx.x; i < 3000; i += 32)
        total += value.data[i];
    total = __reduce_add_sync(0xffffffff, total);
    if (threadIdx.x == 0)
        *out = total;
}

__global__ void mixed(char a, short b, int c, long long d, float e, double f, aligned g, char h, int *out, float3 i,
                      bool j)
{
    if (threadIdx.x == 0)
        *out = a + b + c + (int)d + (int)e + (int)f + (int)g.first + g.tag + h + (int)(i.x + i.y + i.z) + j;
}

__global__ void nothing() {}

int main()
{
    int *out, got = 0;
    CHECK(cudaMalloc(&out, sizeof(int)));
    large value;
    int want = 0;
    for (int i = 0; i < 3000; i++)
        want += value.data[i] = i * 3 - 1000;
    sum<<<1, 32>>>(value, out);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost));
    EXPECT_EQUAL(got, want, 0);
    aligned pair = {7000, 8};
    mixed<<<1, 32>>>(1, -2, 30, 400, 50.5f, 600.5, pair, 9, out, make_float3(10, 20, 30), true);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost));
    EXPECT_EQUAL(got, 1 - 2 + 30 + 400 + 50 + 600 + 7000 + 8 + 9 + 60 + 1, 1);
    nothing<<<3, 33>>>();
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    return ladder_result("parameters");
}
