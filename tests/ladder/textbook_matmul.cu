// Matrix multiplication, as in the first chapters of a textbook.
// functional:
// stdout~ Device: .+, \d+ multiprocessors
// stdout~ Multiplied two 128 x 128 matrices in [0-9.]+ ms, [0-9.]+ GFLOP/s
// stdout~ Largest difference from the CPU: [0-9.e+-]+
// stdout: PASSED
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define BLOCK_SIZE 16

#define CUDA_CHECK(call)                                                                                               \
    do {                                                                                                               \
        cudaError_t err = call;                                                                                        \
        if (err != cudaSuccess) {                                                                                      \
            fprintf(stderr, "CUDA error in %s at line %d: %s\n", __FILE__, __LINE__, cudaGetErrorString(err));         \
            exit(EXIT_FAILURE);                                                                                        \
        }                                                                                                              \
    } while (0)

__global__ void matrixMul(const float *A, const float *B, float *C, int width)
{
    __shared__ float tileA[BLOCK_SIZE][BLOCK_SIZE];
    __shared__ float tileB[BLOCK_SIZE][BLOCK_SIZE];

    int row = blockIdx.y * BLOCK_SIZE + threadIdx.y;
    int col = blockIdx.x * BLOCK_SIZE + threadIdx.x;
    float value = 0.0f;

    for (int m = 0; m < width / BLOCK_SIZE; ++m) {
        tileA[threadIdx.y][threadIdx.x] = A[row * width + m * BLOCK_SIZE + threadIdx.x];
        tileB[threadIdx.y][threadIdx.x] = B[(m * BLOCK_SIZE + threadIdx.y) * width + col];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BLOCK_SIZE; ++k)
            value += tileA[threadIdx.y][k] * tileB[k][threadIdx.x];
        __syncthreads();
    }
    C[row * width + col] = value;
}

int main(int argc, char **argv)
{
    int width = argc > 1 ? atoi(argv[1]) : 128;
    size_t size = (size_t)width * width * sizeof(float);

    cudaDeviceProp prop;
    CUDA_CHECK(cudaGetDeviceProperties(&prop, 0));
    printf("Device: %s, %d multiprocessors\n", prop.name, prop.multiProcessorCount);

    float *h_A = (float *)malloc(size);
    float *h_B = (float *)malloc(size);
    float *h_C = (float *)malloc(size);
    srand(2024);
    for (int i = 0; i < width * width; ++i) {
        h_A[i] = rand() / (float)RAND_MAX;
        h_B[i] = rand() / (float)RAND_MAX;
    }

    float *d_A, *d_B, *d_C;
    CUDA_CHECK(cudaMalloc((void **)&d_A, size));
    CUDA_CHECK(cudaMalloc((void **)&d_B, size));
    CUDA_CHECK(cudaMalloc((void **)&d_C, size));
    CUDA_CHECK(cudaMemcpy(d_A, h_A, size, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(d_B, h_B, size, cudaMemcpyHostToDevice));

    dim3 block(BLOCK_SIZE, BLOCK_SIZE);
    dim3 grid(width / BLOCK_SIZE, width / BLOCK_SIZE);
    cudaEvent_t start, stop;
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));

    CUDA_CHECK(cudaEventRecord(start));
    matrixMul<<<grid, block>>>(d_A, d_B, d_C, width);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaEventRecord(stop));
    CUDA_CHECK(cudaEventSynchronize(stop));
    float ms = 0.0f;
    CUDA_CHECK(cudaEventElapsedTime(&ms, start, stop));
    CUDA_CHECK(cudaMemcpy(h_C, d_C, size, cudaMemcpyDeviceToHost));

    double gflops = 2.0 * width * width * width / (ms * 1.0e6);
    printf("Multiplied two %d x %d matrices in %.4f ms, %.1f GFLOP/s\n", width, width, ms, gflops);

    double worst = 0.0;
    for (int i = 0; i < width; ++i)
        for (int j = 0; j < width; ++j) {
            double sum = 0.0;
            for (int k = 0; k < width; ++k)
                sum += (double)h_A[i * width + k] * h_B[k * width + j];
            double diff = fabs(sum - h_C[i * width + j]);
            if (diff > worst)
                worst = diff;
        }
    printf("Largest difference from the CPU: %g\n", worst);

    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(stop));
    CUDA_CHECK(cudaFree(d_A));
    CUDA_CHECK(cudaFree(d_B));
    CUDA_CHECK(cudaFree(d_C));
    free(h_A);
    free(h_B);
    free(h_C);
    int ok = worst < 1.0e-3;
    printf(ok ? "PASSED\n" : "FAILED\n");
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
