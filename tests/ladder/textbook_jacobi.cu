// Heat on a square plate with fixed borders: Jacobi's method until the change is small.
// functional:
// stdout~ Jacobi on a 64 x 64 grid, tolerance 0\.\d+, on .+
// stdout~ \d+ iterations, change [0-9.e+-]+
// stdout~ GPU time: [0-9.]+ ms \([0-9.]+ GB/s\)
// stdout: Result matches the CPU.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>

#define gpuErrchk(ans) { gpuAssert((ans), __FILE__, __LINE__); }
inline void gpuAssert(cudaError_t code, const char *file, int line, bool abort = true)
{
    if (code != cudaSuccess) {
        fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
        if (abort)
            exit(code);
    }
}

#define BX 32
#define BY 8

__global__ void jacobiStep(const double *u, double *uNew, double *blockChange, int nx, int ny)
{
    extern __shared__ double change[];
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int t = threadIdx.y * blockDim.x + threadIdx.x;
    change[t] = 0.0;
    if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1) {
        int i = y * nx + x;
        double next = 0.25 * (u[i - 1] + u[i + 1] + u[i - nx] + u[i + nx]);
        change[t] = fabs(next - u[i]);
        uNew[i] = next;
    }
    __syncthreads();
    for (int half = blockDim.x * blockDim.y / 2; half > 0; half >>= 1) {
        if (t < half)
            change[t] = fmax(change[t], change[t + half]);
        __syncthreads();
    }
    if (t == 0)
        blockChange[blockIdx.y * gridDim.x + blockIdx.x] = change[0];
}

static int cpuJacobi(double *u, double *uNew, int n, double tolerance, int maxIterations)
{
    int iterations = 0;
    double change = tolerance + 1;
    while (change > tolerance && iterations < maxIterations) {
        change = 0.0;
        for (int y = 1; y < n - 1; y++)
            for (int x = 1; x < n - 1; x++) {
                int i = y * n + x;
                uNew[i] = 0.25 * (u[i - 1] + u[i + 1] + u[i - n] + u[i + n]);
                change = fmax(change, fabs(uNew[i] - u[i]));
            }
        double *swap = u;
        u = uNew;
        uNew = swap;
        iterations++;
    }
    return iterations;
}

int main(int argc, char **argv)
{
    int n = (argc > 1) ? atoi(argv[1]) : 64;
    int maxIterations = (argc > 2) ? atoi(argv[2]) : 150;
    double tolerance = 0.005;
    size_t size = n * n * sizeof(double);

    cudaDeviceProp deviceProp;
    gpuErrchk(cudaGetDeviceProperties(&deviceProp, 0));
    printf("Jacobi on a %d x %d grid, tolerance %g, on %s\n", n, n, tolerance, deviceProp.name);

    double *h_u = (double *)calloc(n * n, sizeof(double));
    for (int x = 0; x < n; x++)
        h_u[x] = 100.0;     // the hot side
    double *h_ref = (double *)malloc(size), *h_refNew = (double *)malloc(size), *h_result = (double *)malloc(size);
    memcpy(h_ref, h_u, size);
    memcpy(h_refNew, h_u, size);

    dim3 block(BX, BY);
    dim3 grid((n + BX - 1) / BX, (n + BY - 1) / BY);
    int blocks = grid.x * grid.y;
    double *d_u, *d_uNew, *d_change, *h_change;
    gpuErrchk(cudaMalloc(&d_u, size));
    gpuErrchk(cudaMalloc(&d_uNew, size));
    gpuErrchk(cudaMalloc(&d_change, blocks * sizeof(double)));
    gpuErrchk(cudaMallocHost(&h_change, blocks * sizeof(double)));
    gpuErrchk(cudaMemcpy(d_u, h_u, size, cudaMemcpyHostToDevice));
    gpuErrchk(cudaMemcpy(d_uNew, d_u, size, cudaMemcpyDeviceToDevice));

    cudaEvent_t begin, end;
    gpuErrchk(cudaEventCreate(&begin));
    gpuErrchk(cudaEventCreate(&end));
    gpuErrchk(cudaEventRecord(begin));
    double change = tolerance + 1;
    int iterations = 0;
    while (change > tolerance && iterations < maxIterations) {
        jacobiStep<<<grid, block, BX * BY * sizeof(double)>>>(d_u, d_uNew, d_change, n, n);
        gpuErrchk(cudaPeekAtLastError());
        gpuErrchk(cudaMemcpyAsync(h_change, d_change, blocks * sizeof(double), cudaMemcpyDeviceToHost));
        gpuErrchk(cudaDeviceSynchronize());
        change = 0.0;
        for (int b = 0; b < blocks; b++)
            change = fmax(change, h_change[b]);
        double *tmp = d_u;
        d_u = d_uNew;
        d_uNew = tmp;
        iterations++;
    }
    gpuErrchk(cudaEventRecord(end));
    gpuErrchk(cudaEventSynchronize(end));
    float time;
    gpuErrchk(cudaEventElapsedTime(&time, begin, end));
    gpuErrchk(cudaMemcpy(h_result, d_u, size, cudaMemcpyDeviceToHost));
    printf("%d iterations, change %g\n", iterations, change);
    printf("GPU time: %.3f ms (%.2f GB/s)\n", time, 2.0 * size * iterations / (time * 1e6));

    int cpuIterations = cpuJacobi(h_ref, h_refNew, n, tolerance, maxIterations);
    double *reference = cpuIterations % 2 ? h_refNew : h_ref;
    double error = 0.0;
    for (int i = 0; i < n * n; i++)
        error = fmax(error, fabs(h_result[i] - reference[i]));

    gpuErrchk(cudaFree(d_u));
    gpuErrchk(cudaFree(d_uNew));
    gpuErrchk(cudaFree(d_change));
    gpuErrchk(cudaFreeHost(h_change));
    free(h_u);
    free(h_ref);
    free(h_refNew);
    free(h_result);
    if (iterations != cpuIterations || error > 1e-9) {
        printf("Result differs from the CPU: %d and %d iterations, %g\n", iterations, cpuIterations, error);
        return 1;
    }
    printf("Result matches the CPU.\n");
    return 0;
}
