// Relocatable device code: device functions, variables and constants of another file, linked on the device side.
// functional: 1000
// detailed: 100
#include "ladder.cuh"
#include "rdc.cuh"

__global__ void apply(const shape *const *shapes, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = rdc_scale * shapes[i % 2]->area() + rdc_offset[i % 4] + (float)rdc_collatz(i + 1);
    if (i == 0)
        rdc_visits += 1;
}

__global__ void make(const shape **shapes)
{
    shapes[0] = rdc_make(0, 2, 3);
    shapes[1] = rdc_make(1, 2, 0);
}

static int collatz(int n)
{
    return n == 1 ? 0 : 1 + collatz(n % 2 ? 3 * n + 1 : n / 2);
}

int main(int argc, char **argv)
{
    int n = (int)ladder_size(argc, argv, 1000);
    const shape **shapes;
    float *device, offset[4] = {1, 2, 3, 4};
    std::vector<float> got(n);
    CHECK(cudaMalloc(&shapes, 2 * sizeof(shape *)));
    CHECK(cudaMalloc(&device, n * sizeof(float)));
    CHECK(cudaMemcpyToSymbol(rdc_offset, offset, sizeof offset));
    make<<<1, 1>>>(shapes);
    apply<<<(n + 127) / 128, 128>>>(shapes, device, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), device, n * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        EXPECT_EQUAL(got[i], 0.5f * (i % 2 ? 12.0f : 6.0f) + (float)(i % 4 + 1) + (float)collatz(i + 1), i);
    int visits = 0;
    CHECK(cudaMemcpyFromSymbol(&visits, rdc_visits, sizeof visits));
    EXPECT_EQUAL(visits, 101, 0);
    rdc_launch(device, 64);   // a kernel that lies in the other file
    CHECK(cudaMemcpy(got.data(), device, 64 * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++)
        EXPECT_EQUAL(got[i], -i, i);
    return ladder_result("rdc");
}
