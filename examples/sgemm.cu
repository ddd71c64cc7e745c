// sgemm: C = A * B in single precision; A is m x k, B is k x n, C is m x n, all row-major. m and n are multiples of the
// block's tile, k is one of its depth. Every element of C is one FFMA chain in the order of k. Shows: the three classic
// steps - all operands from global memory (naive), shared-memory tiles (tiled), and register blocking with 128-bit
// accesses and double-buffered tiles (register).

// Blocks of 16 x 16 threads, one element of C each.
extern "C" __global__ void __launch_bounds__(256)
sgemm_naive(const float *__restrict__ a, const float *__restrict__ b, float *c, unsigned m, unsigned n,
            unsigned k)
{
    unsigned col = blockIdx.x * 16 + threadIdx.x;
    unsigned row = blockIdx.y * 16 + threadIdx.y;
    if (row >= m || col >= n)
        return;
    float sum = 0.0f;
    for (unsigned i = 0; i < k; i++)
        sum = fmaf(a[row * k + i], b[i * n + col], sum);
    c[row * n + col] = sum;
}

// Blocks of 16 x 16 threads; k a multiple of 16.
extern "C" __global__ void __launch_bounds__(256)
sgemm_tiled(const float *__restrict__ a, const float *__restrict__ b, float *c, unsigned m, unsigned n,
            unsigned k)
{
    __shared__ float tile_a[16][16], tile_b[16][16];
    unsigned tx = threadIdx.x, ty = threadIdx.y;
    unsigned col = blockIdx.x * 16 + tx;
    unsigned row = blockIdx.y * 16 + ty;
    float sum = 0.0f;
    for (unsigned k0 = 0; k0 < k; k0 += 16) {
        tile_a[ty][tx] = a[row * k + k0 + tx];
        tile_b[ty][tx] = b[(k0 + ty) * n + col];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; i++)
            sum = fmaf(tile_a[ty][i], tile_b[i][tx], sum);
        __syncthreads();
    }
    c[row * n + col] = sum;
}

// Blocks of 128 threads make a 64 x 64 tile of C, each thread 8 x 4 elements; k a multiple of 8.
// While one pair of shared tiles is multiplied, the next is already on its way from global memory.
enum { TILE = 64, DEPTH = 8, PITCH_A = TILE + 4 };

struct tiles {
    float a[2][DEPTH][PITCH_A]; // transposed: a[k][row]
    float b[2][DEPTH][TILE];
};

static __device__ void put(tiles &s, int buffer, float4 a, float4 b)
{
    unsigned t = threadIdx.x, row = t / 2, depth = t % 2 * 4;
    s.a[buffer][depth + 0][row] = a.x;
    s.a[buffer][depth + 1][row] = a.y;
    s.a[buffer][depth + 2][row] = a.z;
    s.a[buffer][depth + 3][row] = a.w;
    *reinterpret_cast<float4 *>(&s.b[buffer][t / 16][t % 16 * 4]) = b;
}

static __device__ void multiply(const tiles &s, int buffer, float (&sum)[8][4])
{
    unsigned row = threadIdx.x / 16 * 8, col = threadIdx.x % 16 * 4;
#pragma unroll
    for (int i = 0; i < DEPTH; i++) {
        float4 a0 = *reinterpret_cast<const float4 *>(&s.a[buffer][i][row]);
        float4 a1 = *reinterpret_cast<const float4 *>(&s.a[buffer][i][row + 4]);
        float4 b0 = *reinterpret_cast<const float4 *>(&s.b[buffer][i][col]);
        float a[8] = {a0.x, a0.y, a0.z, a0.w, a1.x, a1.y, a1.z, a1.w};
        float b[4] = {b0.x, b0.y, b0.z, b0.w};
#pragma unroll
        for (int y = 0; y < 8; y++)
#pragma unroll
            for (int x = 0; x < 4; x++)
                sum[y][x] = fmaf(a[y], b[x], sum[y][x]);
    }
}

extern "C" __global__ void __launch_bounds__(128)
sgemm_register(const float *__restrict__ a, const float *__restrict__ b, float *c, unsigned m, unsigned n,
               unsigned k)
{
    __shared__ __align__(16) tiles s;
    unsigned t = threadIdx.x;
    const float *from_a = a + (blockIdx.y * TILE + t / 2) * k + t % 2 * 4;
    const float *from_b = b + t / 16 * n + blockIdx.x * TILE + t % 16 * 4;
    float sum[8][4] = {};

    put(s, 0, *reinterpret_cast<const float4 *>(from_a), *reinterpret_cast<const float4 *>(from_b));
    __syncthreads();
    int buffer = 0;
    for (unsigned k0 = DEPTH; k0 < k; k0 += DEPTH) {
        from_a += DEPTH;
        from_b += DEPTH * n;
        float4 next_a = *reinterpret_cast<const float4 *>(from_a);
        float4 next_b = *reinterpret_cast<const float4 *>(from_b);
        multiply(s, buffer, sum);
        buffer ^= 1;
        put(s, buffer, next_a, next_b);
        __syncthreads();
    }
    multiply(s, buffer, sum);

    float *corner = c + (blockIdx.y * TILE + t / 16 * 8) * n + blockIdx.x * TILE;
    float4 *to = reinterpret_cast<float4 *>(corner) + t % 16;
#pragma unroll
    for (int y = 0; y < 8; y++)
        to[y * (n / 4)] = make_float4(sum[y][0], sum[y][1], sum[y][2], sum[y][3]);
}
