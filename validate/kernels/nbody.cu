// Accelerations that bodies get from a set of bodies, which pass by in tiles in shared memory.

constexpr int THREADS = 64;

extern "C" __global__ void nbody_tiled(const float4 *__restrict__ body, float4 *acceleration, int sources,
                                       float softening)
{
    __shared__ float4 tile[THREADS];
    const float4 own = body[blockIdx.x * THREADS + threadIdx.x];
    float3 sum = make_float3(0.0f, 0.0f, 0.0f);
    for (int at = 0; at < sources; at += THREADS) {
        tile[threadIdx.x] = body[at + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int i = 0; i < THREADS; i++) {
            const float4 other = tile[i];
            const float x = other.x - own.x, y = other.y - own.y, z = other.z - own.z;
            const float near = rsqrtf(x * x + y * y + z * z + softening), pull = other.w * near * near * near;
            sum.x += x * pull;
            sum.y += y * pull;
            sum.z += z * pull;
        }
        __syncthreads();
    }
    acceleration[blockIdx.x * THREADS + threadIdx.x] = make_float4(sum.x, sum.y, sum.z, 0.0f);
}
