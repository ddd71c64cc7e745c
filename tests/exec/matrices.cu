// One kernel for each kind of matrix multiplication: a warp loads A, B and C, an element in each word, into fragments
// as the PTX ISA describes them, multiplies, and stores D. tests/exec/matrices.c knows the right results. Made by
//   for a in 75 80 89 90 100 120a; do nvcc -std=c++17 -O3 -cubin -arch=sm_$a -o cubin/matrices.sm_${a%a}.cubin \
//       matrices.cu; done
typedef unsigned u32;

struct operands {
    u32 a[16 * 128], b[128 * 8], c[16 * 8 * 2], d[16 * 8 * 2]; // doubles take two words
    u32 metadata[32], scale_a[32], scale_b[32];
};

// Elements of `bits` in words: `word` is the number of the register.
template <int bits> __device__ u32 pack(const u32 *from, int stride)
{
    u32 word = 0;
#pragma unroll 1
    for (int i = 0; i < 32 / bits; i++)
        word |= from[i * stride] << (i * bits % 32);
    return word;
}

template <int rows, int columns, int bits> struct fragment_a {
    static constexpr int per = 32 / bits, count = rows * columns * bits / 1024;
    u32 r[count];
    __device__ explicit fragment_a(const u32 *a)
    {
        int group = threadIdx.x >> 2, thread = threadIdx.x & 3;
#pragma unroll
        for (int n = 0; n < count; n++) {
            int row = rows == 8 || n % 2 == 0 ? group : group + 8;
            int column = thread * per + (rows == 8 ? n : n / 2) * 4 * per;
            r[n] = pack<bits>(a + row * columns + column, 1);
        }
    }
};

template <int rows, int bits> struct fragment_b {
    static constexpr int per = 32 / bits, count = rows * 8 * bits / 1024;
    u32 r[count];
    __device__ explicit fragment_b(const u32 *b)
    {
        int group = threadIdx.x >> 2, thread = threadIdx.x & 3;
#pragma unroll
        for (int n = 0; n < count; n++)
            r[n] = pack<bits>(b + (thread * per + n * 4 * per) * 8 + group, 8);
    }
};

template <int rows, int bits> struct fragment_c {
    static constexpr int per = 32 / bits, count = rows * 8 * bits / 1024;
    u32 r[count];
    static __device__ int place(int element)
    {
        return ((threadIdx.x >> 2) + element / 2 * 8) * 8 + (threadIdx.x & 3) * 2 + element % 2;
    }
    __device__ explicit fragment_c(const u32 *c)
    {
#pragma unroll
        for (int n = 0; n < count; n++)
            r[n] = bits == 32 ? c[place(n)] : c[place(2 * n)] | c[place(2 * n + 1)] << 16;
    }
    __device__ void store(u32 *d) const
    {
#pragma unroll
        for (int n = 0; n < count; n++) {
            d[place(bits == 32 ? n : 2 * n)] = bits == 32 ? r[n] : r[n] & 0xffff;
            if (bits == 16)
                d[place(2 * n + 1)] = r[n] >> 16;
        }
    }
};

#define D1 "{%0,%1},"
#define D2 "{%0,%1,%2,%3},"
#define OUT1 "+r"(c.r[0]), "+r"(c.r[1])
#define OUT2 OUT1, "+r"(c.r[2]), "+r"(c.r[3])
#define A1 "r"(a.r[0])
#define A2 A1, "r"(a.r[1])
#define A4 A2, "r"(a.r[2]), "r"(a.r[3])
#define B1 "r"(b.r[0])
#define B2 B1, "r"(b.r[1])
#define B4 B2, "r"(b.r[2]), "r"(b.r[3])

// name, rows, depth, columns of A as it stands, bits of A and B, C's bits, text, outputs, inputs
#define KERNEL(name, rows, depth, held, bits, bits_c, text, outputs, ...)                                              \
    extern "C" __global__ void name(operands *o)                                                                       \
    {                                                                                                                  \
        fragment_a<rows, held, bits> a(o->a);                                                                          \
        fragment_b<depth, bits> b(o->b);                                                                               \
        fragment_c<rows, bits_c> c(o->c);                                                                              \
        u32 e = o->metadata[threadIdx.x], x = o->scale_a[threadIdx.x], y = o->scale_b[threadIdx.x];                    \
        (void)e, (void)x, (void)y;                                                                                     \
        asm volatile(text : outputs : __VA_ARGS__);                                                                    \
        c.store(o->d);                                                                                                 \
    }

#if __CUDA_ARCH__ == 750
KERNEL(f16_k8, 16, 8, 8, 16, 32,
       "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
       "{%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};", OUT2, A2, B1)
KERNEL(s8_u8_k16, 8, 16, 16, 8, 32,
       "mma.sync.aligned.m8n8k16.row.col.s32.s8.u8.s32 "
       "{%0,%1},{%2},{%3},{%0,%1};", OUT1, A1, B1)
KERNEL(u4_s4_k32, 8, 32, 32, 4, 32,
       "mma.sync.aligned.m8n8k32.row.col.s32.u4.s4.s32 "
       "{%0,%1},{%2},{%3},{%0,%1};", OUT1, A1, B1)
KERNEL(xor_k128, 8, 4, 4, 32, 32,
       "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc "
       "{%0,%1},{%2},{%3},{%0,%1};", OUT1, A1, B1)
#endif

#if __CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900
KERNEL(and_k256, 16, 8, 8, 32, 32,
       "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc "
       "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};", OUT2, A4, B2)
#endif

#if __CUDA_ARCH__ >= 800
KERNEL(f16_k16, 16, 16, 16, 16, 16,
       "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 "
       "{%0,%1},{%2,%3,%4,%5},{%6,%7},{%0,%1};", OUT1, A4, B2)
KERNEL(bf16_k16, 16, 16, 16, 16, 32,
       "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
       "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};", OUT2, A4, B2)
KERNEL(tf32_k8, 16, 8, 8, 32, 32,
       "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
       "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};", OUT2, A4, B2)
KERNEL(f16_sparse_k16, 16, 16, 8, 16, 32,
       "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
       "{%0,%1,%2,%3},{%4,%5},{%6,%7},{%0,%1,%2,%3},%8,0x2;", OUT2, A2, B2, "r"(e))
KERNEL(f16_sparse_k32, 16, 32, 16, 16, 32,
       "mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 "
       "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9,%10,%11},{%0,%1,%2,%3},%12,0x1;", OUT2, A4, B4, "r"(e))
KERNEL(tf32_sparse_k16, 16, 16, 8, 32, 32,
       "mma.sp.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32 "
       "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9,%10,%11},{%0,%1,%2,%3},%12,0x1;", OUT2, A4, B4, "r"(e))
KERNEL(s8_u8_k32, 16, 32, 32, 8, 32,
       "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32 "
       "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};", OUT2, A4, B2)
KERNEL(u4_s4_k64, 16, 64, 64, 4, 32,
       "mma.sync.aligned.m16n8k64.row.col.s32.u4.s4.s32 "
       "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};", OUT2, A4, B2)
KERNEL(s8_sparse_k32, 16, 32, 16, 8, 32,
       "mma.sp.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 "
       "{%0,%1,%2,%3},{%4,%5},{%6,%7},{%0,%1,%2,%3},%8,0x1;", OUT2, A2, B2, "r"(e))
KERNEL(s8_sparse_k64, 16, 64, 32, 8, 32,
       "mma.sp.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32 "
       "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9,%10,%11},{%0,%1,%2,%3},%12,0x0;", OUT2, A4, B4, "r"(e))
KERNEL(u4_sparse_k128, 16, 128, 64, 4, 32,
       "mma.sp.sync.aligned.m16n8k128.row.col.s32.u4.u4.s32 "
       "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9,%10,%11},{%0,%1,%2,%3},%12,0x0;", OUT2, A4, B4, "r"(e))

extern "C" __global__ void f64_k4(operands *o)
{
    int group = threadIdx.x >> 2, thread = threadIdx.x & 3;
    const double *a = (const double *)o->a, *b = (const double *)o->b, *c = (const double *)o->c;
    double *d = (double *)o->d;
    int place = group * 8 + thread * 2;
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%3},{%4,%5};"
                 : "=d"(d[place]), "=d"(d[place + 1])
                 : "d"(a[group * 4 + thread]), "d"(b[thread * 8 + group]), "d"(c[place]), "d"(c[place + 1]));
}
#endif

#if __CUDA_ARCH__ == 900
extern "C" __global__ void f64_k16(operands *o)
{
    int group = threadIdx.x >> 2, thread = threadIdx.x & 3;
    const double *a = (const double *)o->a, *b = (const double *)o->b, *c = (const double *)o->c;
    double *d = (double *)o->d, x[8], y[4];
    for (int i = 0; i < 8; i++)
        x[i] = a[(group + i % 2 * 8) * 16 + thread + i / 2 * 4];
    for (int i = 0; i < 4; i++)
        y[i] = b[(thread + i * 4) * 8 + group];
    int low = group * 8 + thread * 2, high = low + 64;
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3},{%4,%5,%6,%7,%8,%9,%10,%11},"
                 "{%12,%13,%14,%15},{%16,%17,%18,%19};"
                 : "=d"(d[low]), "=d"(d[low + 1]), "=d"(d[high]), "=d"(d[high + 1])
                 : "d"(x[0]), "d"(x[1]), "d"(x[2]), "d"(x[3]), "d"(x[4]), "d"(x[5]), "d"(x[6]), "d"(x[7]), "d"(y[0]),
                   "d"(y[1]), "d"(y[2]), "d"(y[3]), "d"(c[low]), "d"(c[low + 1]), "d"(c[high]), "d"(c[high + 1]));
}
#endif

// a: an 8 x 8 matrix of halves, two in each word; d: that matrix transposed, by way of registers and shared memory.
#if __CUDA_ARCH__ >= 750
extern "C" __global__ void moves(operands *o)
{
    __shared__ alignas(16) u32 rows[2][8][4];
    rows[0][threadIdx.x / 4][threadIdx.x % 4] = o->a[threadIdx.x];
    __syncwarp();
    u32 from = (u32)__cvta_generic_to_shared(rows[0][threadIdx.x % 8]), to = from + 128, x, y, z;
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0},[%1];" : "=r"(x) : "r"(from));
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0,%1;" : "=r"(y) : "r"(x));
    o->d[threadIdx.x] = x;
    o->d[32 + threadIdx.x] = y;
#if __CUDA_ARCH__ >= 900
    asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0],{%1};" ::"r"(to), "r"(x));
    __syncwarp();
    z = rows[1][threadIdx.x / 4][threadIdx.x % 4];
#else
    z = to - from == 128 ? y : 0;
#endif
    o->d[64 + threadIdx.x] = z;
}
#endif

// a: 16 rows of 16 bytes; d: their registers as 16 x 16 bytes transposed, as 4- and 6-bit elements transposed, and the
// first 8 rows as 4- and 6-bit elements, at last two registers stored as two transposed 8 x 16 bytes.
#if __CUDA_ARCH__ == 1200
extern "C" __global__ void moves_of_bytes(operands *o)
{
    __shared__ alignas(16) u32 rows[16][4];
    u32 *d = o->d + threadIdx.x, x, y;
    rows[threadIdx.x / 4][threadIdx.x % 4] = o->a[threadIdx.x];
    rows[threadIdx.x / 4 + 8][threadIdx.x % 4] = o->a[32 + threadIdx.x];
    __syncwarp();
    u32 from = (u32)__cvta_generic_to_shared(rows[threadIdx.x % 16]);
#define LOAD(format) "ldmatrix.sync.aligned." format " "
#define LOAD_TWO(format) asm volatile(LOAD(format) "{%0,%1},[%2];" : "=r"(x), "=r"(y) : "r"(from))
#define LOAD_ONE(format) asm volatile(LOAD(format) "{%0},[%1];" : "=r"(x) : "r"(from))
    LOAD_TWO("m16n16.x1.trans.shared.b8");
    d[0] = x, d[32] = y;
    LOAD_TWO("m16n16.x1.trans.shared.b8x16.b4x16_p64");
    d[64] = x, d[96] = y;
    LOAD_TWO("m16n16.x1.trans.shared.b8x16.b6x16_p32");
    d[128] = x, d[160] = y;
    LOAD_ONE("m8n16.x1.shared.b8x16.b4x16_p64");
    d[192] = x;
    LOAD_ONE("m8n16.x1.shared.b8x16.b6x16_p32");
    d[224] = x;
    x = o->b[threadIdx.x], y = o->b[32 + threadIdx.x];
    asm volatile("stmatrix.sync.aligned.m16n8.x2.trans.shared.b8 [%0],{%1,%2};" ::"r"(from), "r"(x), "r"(y));
    __syncwarp();
    o->c[threadIdx.x] = rows[threadIdx.x / 4][threadIdx.x % 4];
    o->c[32 + threadIdx.x] = rows[threadIdx.x / 4 + 8][threadIdx.x % 4];
}
#endif

#if __CUDA_ARCH__ == 890 || __CUDA_ARCH__ == 1200
KERNEL(e4m3_e5m2_k32, 16, 32, 32, 8, 32,
       "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 "
       "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};", OUT2, A4, B2)
KERNEL(e5m2_e4m3_k16, 16, 16, 16, 8, 16,
       "mma.sync.aligned.m16n8k16.row.col.f16.e5m2.e4m3.f16 "
       "{%0,%1},{%2,%3},{%4},{%0,%1};", OUT1, A2, B1)
KERNEL(e4m3_sparse_k64, 16, 64, 32, 8, 32,
       "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.f32.e4m3.e4m3.f32 "
       "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9,%10,%11},{%0,%1,%2,%3},%12,0x0;", OUT2, A4, B4, "r"(e))
#endif

#if __CUDA_ARCH__ == 1200
KERNEL(e3m2_e2m1_k32, 16, 32, 32, 8, 32,
       "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e3m2.e2m1.f32 "
       "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};", OUT2, A4, B2)
KERNEL(e2m3_e4m3_scaled_k32, 16, 32, 32, 8, 32,
       "mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e2m3.e4m3.f32.ue8m0 "
       "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3},%10,{2,1},%11,{1,3};", OUT2, A4, B2, "r"(x), "r"(y))
KERNEL(mxf4_k64, 16, 64, 64, 4, 32,
       "mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0 "
       "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3},%10,{2,1},%11,{0,3};", OUT2, A4, B2, "r"(x), "r"(y))
KERNEL(nvf4_k64, 16, 64, 64, 4, 32,
       "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3 "
       "{%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3},%10,{0,1},%11,{0,2};", OUT2, A4, B2, "r"(x), "r"(y))
#endif
