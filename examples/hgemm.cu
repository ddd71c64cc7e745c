// hgemm: C = A * B on the tensor cores, with A m x k, B k x n, C m x n, all row-major, sums in FP32.
// Blocks of 128 threads make a 64 x 64 tile of C, each warp a 32 x 32 quarter of it; m and n are multiples of 64, k is
// one of the tile depth. cp.async fills one pair of shared tiles while the other is multiplied. Shows: LDGSTS, LDSM
// (plain and transposing), HMMA in FP16 (hgemm) and TF32 (tf32gemm).
typedef unsigned short half_bits;

static __device__ unsigned shared_address(const void *p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

static __device__ void copy16(void *to, const void *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                 ::"r"(shared_address(to)), "l"(from) : "memory");
}

static __device__ void commit()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

template <int PENDING> static __device__ void wait()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
}

static __device__ void load_matrices(unsigned (&r)[4], const void *p)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(shared_address(p)) : "memory");
}

static __device__ void load_matrices_transposed(unsigned (&r)[4], const void *p)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(shared_address(p)) : "memory");
}

static __device__ void mma_f16(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

static __device__ void mma_tf32(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
                 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Writes a warp's 32 x 32 sums: both kernels have the same layout of an accumulator.
static __device__ void store_sums(float *c, unsigned n, unsigned row, unsigned col,
                                  const float (&sum)[2][4][4])
{
    unsigned lane = threadIdx.x % 32;
#pragma unroll
    for (int y = 0; y < 2; y++)
#pragma unroll
        for (int x = 0; x < 4; x++) {
            float *to = c + (row + y * 16 + lane / 4) * n + col + x * 8 + lane % 4 * 2;
            *reinterpret_cast<float2 *>(to) = make_float2(sum[y][x][0], sum[y][x][1]);
            *reinterpret_cast<float2 *>(to + 8 * n) = make_float2(sum[y][x][2], sum[y][x][3]);
        }
}

enum { TILE = 64 };

// FP16: tiles 32 deep. Rows are padded by 16 bytes, which keeps ldmatrix free of bank conflicts.
enum { DEPTH = 32, PITCH_A = DEPTH + 8, PITCH_B = TILE + 8 };

struct half_tiles {
    half_bits a[TILE][PITCH_A];
    half_bits b[DEPTH][PITCH_B];
};

static __device__ void fetch(half_tiles &s, const half_bits *a, const half_bits *b, unsigned n, unsigned k)
{
    unsigned t = threadIdx.x;
#pragma unroll
    for (unsigned i = 0; i < 2; i++) {
        unsigned row = t / 4 + i * 32, col = t % 4 * 8;
        copy16(&s.a[row][col], a + row * k + col);
        row = t / 8 + i * 16, col = t % 8 * 8;
        copy16(&s.b[row][col], b + row * n + col);
    }
    commit();
}

static __device__ void multiply(const half_tiles &s, unsigned row, unsigned col, float (&sum)[2][4][4])
{
    unsigned lane = threadIdx.x % 32;
#pragma unroll
    for (int k = 0; k < DEPTH; k += 16) {
        unsigned a[2][4], b[2][4];
#pragma unroll
        for (int i = 0; i < 2; i++) {
            load_matrices(a[i], &s.a[row + i * 16 + lane % 16][k + lane / 16 * 8]);
            load_matrices_transposed(b[i], &s.b[k + lane % 16][col + i * 16 + lane / 16 * 8]);
        }
#pragma unroll
        for (int y = 0; y < 2; y++)
#pragma unroll
            for (int x = 0; x < 4; x++)
                mma_f16(sum[y][x], a[y], b[x / 2][x % 2 * 2], b[x / 2][x % 2 * 2 + 1]);
    }
}

extern "C" __global__ void __launch_bounds__(128)
hgemm(const half_bits *a, const half_bits *b, float *c, unsigned m, unsigned n, unsigned k)
{
    __shared__ __align__(16) half_tiles s[2];
    unsigned warp = threadIdx.x / 32, row = warp / 2 * 32, col = warp % 2 * 32;
    float sum[2][4][4] = {};
    a += blockIdx.y * TILE * k;
    b += blockIdx.x * TILE;
    fetch(s[0], a, b, n, k);
    int buffer = 0;
    for (unsigned k0 = DEPTH; k0 < k; k0 += DEPTH) {
        fetch(s[buffer ^ 1], a + k0, b + k0 * n, n, k);
        wait<1>();
        __syncthreads();
        multiply(s[buffer], row, col, sum);
        __syncthreads();
        buffer ^= 1;
    }
    wait<0>();
    __syncthreads();
    multiply(s[buffer], row, col, sum);
    store_sums(c, n, blockIdx.y * TILE + row, blockIdx.x * TILE + col, sum);
}

// TF32: tiles 16 deep. The tensor core reads the upper 19 bits of each FP32 word.
enum { DEPTH_T = 16, PITCH_AT = DEPTH_T + 4, PITCH_BT = TILE + 8 };

struct float_tiles {
    float a[TILE][PITCH_AT];
    float b[DEPTH_T][PITCH_BT];
};

static __device__ void fetch(float_tiles &s, const float *a, const float *b, unsigned n, unsigned k)
{
    unsigned t = threadIdx.x;
#pragma unroll
    for (unsigned i = 0; i < 2; i++) {
        unsigned row = t / 4 + i * 32, col = t % 4 * 4;
        copy16(&s.a[row][col], a + row * k + col);
        row = t / 16 + i * 8, col = t % 16 * 4;
        copy16(&s.b[row][col], b + row * n + col);
    }
    commit();
}

static __device__ void multiply(const float_tiles &s, unsigned row, unsigned col, float (&sum)[2][4][4])
{
    unsigned lane = threadIdx.x % 32;
#pragma unroll
    for (int k = 0; k < DEPTH_T; k += 8) {
        unsigned a[2][4], b[4][2];
#pragma unroll
        for (int i = 0; i < 2; i++) // an 8 x 8 matrix of 16-bit words holds 8 x 4 floats
            load_matrices(a[i], &s.a[row + i * 16 + lane % 16][k + lane / 16 * 4]);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            b[i][0] = __float_as_uint(s.b[k + lane % 4][col + i * 8 + lane / 4]);
            b[i][1] = __float_as_uint(s.b[k + lane % 4 + 4][col + i * 8 + lane / 4]);
        }
#pragma unroll
        for (int y = 0; y < 2; y++)
#pragma unroll
            for (int x = 0; x < 4; x++)
                mma_tf32(sum[y][x], a[y], b[x][0], b[x][1]);
    }
}

extern "C" __global__ void __launch_bounds__(128)
tf32gemm(const float *a, const float *b, float *c, unsigned m, unsigned n, unsigned k)
{
    __shared__ __align__(16) float_tiles s[2];
    unsigned warp = threadIdx.x / 32, row = warp / 2 * 32, col = warp % 2 * 32;
    float sum[2][4][4] = {};
    a += blockIdx.y * TILE * k;
    b += blockIdx.x * TILE;
    fetch(s[0], a, b, n, k);
    int buffer = 0;
    for (unsigned k0 = DEPTH_T; k0 < k; k0 += DEPTH_T) {
        fetch(s[buffer ^ 1], a + k0, b + k0 * n, n, k);
        wait<1>();
        __syncthreads();
        multiply(s[buffer], row, col, sum);
        __syncthreads();
        buffer ^= 1;
    }
    wait<0>();
    __syncthreads();
    multiply(s[buffer], row, col, sum);
    store_sums(c, n, blockIdx.y * TILE + row, blockIdx.x * TILE + col, sum);
}
