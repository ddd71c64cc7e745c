// y = a x + y on two streams, with events between; time passes in the order of the stream.
// functional: 50000
// detailed: 2000
#include "ladder.cuh"

__global__ void saxpy(float a, const float *x, float *y, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        y[i] = fmaf(a, x[i], y[i]);
}

int main(int argc, char **argv)
{
    int n = (int)ladder_size(argc, argv, 50000);
    size_t bytes = n * sizeof(float);
    float *x, *y;   // pinned, so that copies are asynchronous
    CHECK(cudaMallocHost(&x, bytes));
    CHECK(cudaMallocHost(&y, bytes));
    std::vector<float> want(n);
    for (int i = 0; i < n; i++) {
        x[i] = (float)(i % 1000);
        y[i] = (float)(i % 7);
        want[i] = fmaf(3.0f, x[i], fmaf(2.0f, x[i], y[i]));
    }
    cudaStream_t first, second;
    CHECK(cudaStreamCreate(&first));
    CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    cudaEvent_t start, copied, computed, done;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&copied));
    CHECK(cudaEventCreate(&computed));
    CHECK(cudaEventCreate(&done));
    float *dx, *dy;
    CHECK(cudaMalloc(&dx, bytes));
    CHECK(cudaMalloc(&dy, bytes));

    CHECK(cudaEventRecord(start, first));
    CHECK(cudaMemcpyAsync(dx, x, bytes, cudaMemcpyHostToDevice, first));
    CHECK(cudaMemcpyAsync(dy, y, bytes, cudaMemcpyHostToDevice, first));
    CHECK(cudaEventRecord(copied, first));
    saxpy<<<8, 128, 0, first>>>(2.0f, dx, dy, n);
    CHECK(cudaEventRecord(computed, first));
    CHECK(cudaStreamWaitEvent(second, computed, 0));
    saxpy<<<8, 128, 0, second>>>(3.0f, dx, dy, n);
    CHECK(cudaMemcpyAsync(y, dy, bytes, cudaMemcpyDeviceToHost, second));
    CHECK(cudaEventRecord(done, second));
    CHECK(cudaEventSynchronize(done));

    EXPECT(cudaEventQuery(start) == cudaSuccess);
    EXPECT(cudaEventQuery(computed) == cudaSuccess);
    EXPECT(cudaStreamQuery(second) == cudaSuccess);
    for (int i = 0; i < n; i++)
        EXPECT_EQUAL(y[i], want[i], i);
    float copy = 0, kernel = 0, rest = 0, all = 0;
    CHECK(cudaEventElapsedTime(&copy, start, copied));
    CHECK(cudaEventElapsedTime(&kernel, copied, computed));
    CHECK(cudaEventElapsedTime(&rest, computed, done));
    CHECK(cudaEventElapsedTime(&all, start, done));
    EXPECT(copy > 0);
    EXPECT(kernel > 0);
    EXPECT(rest > 0);
    EXPECT_NEAR(copy + kernel + rest, all, 1e-3, 0);

    cudaEvent_t untimed;
    CHECK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    CHECK(cudaEventRecord(untimed, first));
    CHECK(cudaEventSynchronize(untimed));
    EXPECT_ERROR(cudaEventElapsedTime(&copy, start, untimed), cudaErrorInvalidResourceHandle);
    CHECK(cudaStreamDestroy(first));
    CHECK(cudaStreamDestroy(second));
    CHECK(cudaFreeHost(x));
    CHECK(cudaFreeHost(y));
    return ladder_result("saxpy");
}
