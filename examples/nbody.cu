// nbody: gravitational acceleration of n bodies (x, y, z, mass), all pairs, softened. Blocks of 64 threads,
// one body each; the bodies pass through shared memory in tiles of 64. n is a multiple of 64.
// Shows: an inner loop of FFMA and reciprocal square roots, fed by 128-bit broadcasts from shared memory.
enum { THREADS = 64 };

extern "C" __global__ void __launch_bounds__(THREADS)
nbody(const float4 *__restrict__ body, float4 *acceleration, unsigned n, float softening)
{
    __shared__ float4 tile[THREADS];
    unsigned i = blockIdx.x * THREADS + threadIdx.x;
    float4 me = body[i];
    float ax = 0.0f, ay = 0.0f, az = 0.0f;
    for (unsigned j0 = 0; j0 < n; j0 += THREADS) {
        tile[threadIdx.x] = body[j0 + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < THREADS; j++) {
            float4 other = tile[j];
            float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
            float inverse = rsqrtf(fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, softening))));
            float pull = other.w * (inverse * inverse * inverse);
            ax = fmaf(dx, pull, ax);
            ay = fmaf(dy, pull, ay);
            az = fmaf(dz, pull, az);
        }
        __syncthreads();
    }
    acceleration[i] = make_float4(ax, ay, az, 0.0f);
}
