// All pairs of N bodies, tile by tile through shared memory, with leapfrog steps.
// functional:
// stdout~ Running on .+ \(compute capability \d+\.\d+\)
// stdout~ 512 bodies, 4 steps: [0-9.]+ ms per step, [0-9.]+ GFLOP/s
// stdout~ energy at start -?[0-9.]+, at end -?[0-9.]+, drift [0-9.e+-]+
// stdout: Test passed
#include <cstdio>
#include <cstdlib>
#include <cmath>
#include <vector>

static void checkCuda(cudaError_t result, const char *what)
{
    if (result != cudaSuccess) {
        fprintf(stderr, "%s failed: %s\n", what, cudaGetErrorString(result));
        exit(1);
    }
}

const int TILE = 128;
const float SOFTENING2 = 0.01f;
__constant__ float timeStep;

__device__ float3 interaction(float4 me, float4 other, float3 acc)
{
    float dx = other.x - me.x;
    float dy = other.y - me.y;
    float dz = other.z - me.z;
    float dist2 = dx * dx + dy * dy + dz * dz + SOFTENING2;
    float inv = rsqrtf(dist2);
    float s = other.w * inv * inv * inv;
    acc.x += dx * s;
    acc.y += dy * s;
    acc.z += dz * s;
    return acc;
}

__global__ void accelerate(const float4 *pos, float4 *vel, int n)
{
    __shared__ float4 tile[TILE];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = i < n ? pos[i] : make_float4(0, 0, 0, 0);
    float3 acc = make_float3(0, 0, 0);
    for (int first = 0; first < n; first += TILE) {
        int j = first + threadIdx.x;
        tile[threadIdx.x] = j < n ? pos[j] : make_float4(0, 0, 0, 0);
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            acc = interaction(me, tile[k], acc);
        __syncthreads();
    }
    if (i < n) {
        vel[i].x += acc.x * timeStep;
        vel[i].y += acc.y * timeStep;
        vel[i].z += acc.z * timeStep;
    }
}

__global__ void move(float4 *pos, const float4 *vel, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        pos[i].x += vel[i].x * timeStep;
        pos[i].y += vel[i].y * timeStep;
        pos[i].z += vel[i].z * timeStep;
    }
}

static double energy(const std::vector<float4> &pos, const std::vector<float4> &vel)
{
    double total = 0;
    for (size_t i = 0; i < pos.size(); i++) {
        double v2 = vel[i].x * vel[i].x + vel[i].y * vel[i].y + vel[i].z * vel[i].z;
        total += 0.5 * pos[i].w * v2;
        for (size_t j = i + 1; j < pos.size(); j++) {
            double dx = pos[i].x - pos[j].x, dy = pos[i].y - pos[j].y, dz = pos[i].z - pos[j].z;
            total -= pos[i].w * pos[j].w / sqrt(dx * dx + dy * dy + dz * dz + SOFTENING2);
        }
    }
    return total;
}

int main(int argc, char *argv[])
{
    int n = argc > 1 ? atoi(argv[1]) : 512;
    int steps = argc > 2 ? atoi(argv[2]) : 4;
    float dt = 0.001f;

    cudaDeviceProp prop;
    int device;
    checkCuda(cudaGetDevice(&device), "cudaGetDevice");
    checkCuda(cudaGetDeviceProperties(&prop, device), "cudaGetDeviceProperties");
    printf("Running on %s (compute capability %d.%d)\n", prop.name, prop.major, prop.minor);

    std::vector<float4> pos(n), vel(n);
    srand(7);
    for (int i = 0; i < n; i++) {
        float u = rand() / (float)RAND_MAX, v = rand() / (float)RAND_MAX, w = rand() / (float)RAND_MAX;
        pos[i] = make_float4(2 * u - 1, 2 * v - 1, 2 * w - 1, 1.0f / n);
        vel[i] = make_float4(0, 0, 0, 0);
    }
    double before = energy(pos, vel);

    float4 *d_pos, *d_vel;
    size_t bytes = n * sizeof(float4);
    checkCuda(cudaMalloc(&d_pos, bytes), "cudaMalloc");
    checkCuda(cudaMalloc(&d_vel, bytes), "cudaMalloc");
    checkCuda(cudaMemcpy(d_pos, pos.data(), bytes, cudaMemcpyHostToDevice), "copy of positions");
    checkCuda(cudaMemcpy(d_vel, vel.data(), bytes, cudaMemcpyHostToDevice), "copy of velocities");
    checkCuda(cudaMemcpyToSymbol(timeStep, &dt, sizeof(dt)), "copy of the time step");

    cudaEvent_t start, stop;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    cudaEventRecord(start, 0);
    int blocks = (n + TILE - 1) / TILE;
    for (int s = 0; s < steps; s++) {
        accelerate<<<blocks, TILE>>>(d_pos, d_vel, n);
        move<<<blocks, TILE>>>(d_pos, d_vel, n);
    }
    cudaEventRecord(stop, 0);
    checkCuda(cudaGetLastError(), "launch");
    cudaEventSynchronize(stop);
    float ms;
    checkCuda(cudaEventElapsedTime(&ms, start, stop), "cudaEventElapsedTime");
    printf("%d bodies, %d steps: %.4f ms per step, %.2f GFLOP/s\n", n, steps, ms / steps,
           20.0 * n * n * steps / (ms * 1e6));

    checkCuda(cudaMemcpy(pos.data(), d_pos, bytes, cudaMemcpyDeviceToHost), "copy back");
    checkCuda(cudaMemcpy(vel.data(), d_vel, bytes, cudaMemcpyDeviceToHost), "copy back");
    double after = energy(pos, vel);
    double drift = fabs((after - before) / before);
    printf("energy at start %.6f, at end %.6f, drift %.3e\n", before, after, drift);
    cudaFree(d_pos);
    cudaFree(d_vel);
    cudaDeviceReset();
    if (!(drift < 1e-3)) {
        printf("Test failed\n");
        return 1;
    }
    printf("Test passed\n");
    return 0;
}
