// Matrix products of FP16 and BF16 on the tensor cores, with sums in FP32: mma.sync on tiles that cp.async brings into
// shared memory, STAGES of them at a time. A block makes BP x BQ results, each of its warps WP x WQ of them.
#include "finish.cuh"

enum { DEPTH = 32, STAGES = 3 };

static __device__ inline unsigned shared_address(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }

// Copies sixteen bytes into shared memory: `bytes` of them are read, and the others are zero.
static __device__ inline void copy16(void *to, const void *from, unsigned bytes)
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                 ::"r"(shared_address(to)), "l"(from), "r"(bytes) : "memory");
#else
    const unsigned short *elements = static_cast<const unsigned short *>(from);
    unsigned short held[8];
    if (bytes == 16) {
        *static_cast<uint4 *>(to) = *static_cast<const uint4 *>(from);
        return;
    }
#pragma unroll
    for (int i = 0; i < 8; i++)
        held[i] = 2 * i < bytes ? elements[i] : 0;
    *static_cast<uint4 *>(to) = *reinterpret_cast<const uint4 *>(held);
#endif
}

static __device__ inline void commit()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

template <int PENDING> static __device__ inline void wait()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
#endif
}

static __device__ inline void load_matrices(unsigned *r, const void *p)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(shared_address(p)) : "memory");
}

static __device__ inline void load_matrices_transposed(unsigned *r, const void *p)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(shared_address(p)) : "memory");
}

template <typename T> struct tensor;

template <> struct tensor<__half> {
    static __device__ inline void multiply(float (&d)[4], const unsigned *a, const unsigned *b)
    {
#if __CUDA_ARCH__ >= 800
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#else
#pragma unroll
        for (int half = 0; half < 2; half++)
            asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 "
                         "{%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
                         : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                         : "r"(a[2 * half]), "r"(a[2 * half + 1]), "r"(b[half]));
#endif
    }
};

template <> struct tensor<__nv_bfloat16> {
    static __device__ inline void multiply(float (&d)[4], const unsigned *a, const unsigned *b)
    {
#if __CUDA_ARCH__ >= 800
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                     "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
    }
};

// A tile of V vectors, DEPTH deep, as it lies in memory: rows along the sum, or rows across it. Rows are 16 bytes
// longer than they need, which keeps ldmatrix free of bank conflicts.
template <typename T, int V, bool ALONG> struct tile {
    enum { ROWS = ALONG ? V : DEPTH, WIDTH = ALONG ? DEPTH : V, PITCH = WIDTH + 8, CHUNKS = ROWS * WIDTH / 8 };
    T at[ROWS][PITCH];

    template <int THREADS>
    __device__ inline void fill(const gemm_operand &o, const T *data, unsigned v0, unsigned l0, unsigned limit_v,
                                unsigned limit_l, bool aligned)
    {
        unsigned row0 = ALONG ? v0 : l0, column0 = ALONG ? l0 : v0;
        unsigned rows = ALONG ? limit_v : limit_l, columns = ALONG ? limit_l : limit_v;
        if (aligned) {
#pragma unroll
            for (unsigned i = 0; i < CHUNKS / THREADS; i++) {
                unsigned r = place(threadIdx.x + i * THREADS, 1), c = place(threadIdx.x + i * THREADS, 0);
                unsigned valid = count(row0 + r, column0 + c, rows, columns);
                copy16(&at[r][c], data + (valid ? (row0 + r) * o.pitch + column0 + c : 0), 2 * valid);
            }
        } else {
#pragma unroll 1
            for (unsigned i = 0; i < CHUNKS / THREADS; i++) {
                unsigned r = place(threadIdx.x + i * THREADS, 1), c = place(threadIdx.x + i * THREADS, 0);
                unsigned valid = count(row0 + r, column0 + c, rows, columns);
                copy_one_by_one(&at[r][c], data + (valid ? (row0 + r) * o.pitch + column0 + c : 0), valid);
            }
        }
    }

    // Row or first column of an eight-element chunk.
    static __device__ inline unsigned place(unsigned chunk, bool row)
    {
        return row ? chunk / (WIDTH / 8) : chunk % (WIDTH / 8) * 8;
    }

    // The number of its elements inside the matrix.
    static __device__ inline unsigned count(unsigned row, unsigned column, unsigned rows, unsigned columns)
    {
        return row < rows && column < columns ? min(columns - column, 8u) : 0;
    }

    static __device__ inline void copy_one_by_one(T *to, const T *from, unsigned valid)
    {
        union {
            unsigned short element[8];
            uint4 all;
        } held;
#pragma unroll
        for (unsigned i = 0; i < 8; i++)
            held.element[i] = i < valid ? reinterpret_cast<const unsigned short *>(from)[i] : 0;
        *reinterpret_cast<uint4 *>(to) = held.all;
    }

    // Sixteen vectors, sixteen deep, as the left operand of mma.sync.
    __device__ inline void left(unsigned *r, unsigned v, unsigned l) const
    {
        unsigned lane = threadIdx.x % 32;
        if (ALONG)
            load_matrices(r, &at[v + lane % 16][l + lane / 16 * 8]);
        else
            load_matrices_transposed(r, &at[l + lane / 16 * 8 + lane % 8][v + lane / 8 % 2 * 8]);
    }

    // The same as two right operands.
    __device__ inline void right(unsigned *r, unsigned v, unsigned l) const
    {
        unsigned lane = threadIdx.x % 32;
        if (ALONG)
            load_matrices(r, &at[v + lane / 16 * 8 + lane % 8][l + lane / 8 % 2 * 8]);
        else
            load_matrices_transposed(r, &at[l + lane % 16][v + lane / 16 * 8]);
    }
};

template <typename T, int BP, int BQ, bool LEFT, bool RIGHT> struct stage {
    tile<T, BP, LEFT> left;
    tile<T, BQ, RIGHT> right;
};

template <typename T> __device__ inline const T *matrix_of(const gemm_operand &o, unsigned z)
{
    return static_cast<const T *>(o.list ? o.list[z] : o.data) + (o.list ? 0 : z * o.stride);
}

template <typename T, int BP, int BQ, int WP, int WQ, bool LEFT, bool RIGHT> struct product {
    enum { ACROSS = BQ / WQ, THREADS = BP / WP * ACROSS * 32, IP = WP / 16, IQ = WQ / 8, PITCH = WQ + 8 };
    typedef stage<T, BP, BQ, LEFT, RIGHT> buffer;

    static __device__ inline void multiply(const buffer &s, unsigned p, unsigned q, float (&sum)[IP][IQ][4])
    {
#pragma unroll
        for (int l = 0; l < DEPTH; l += 16) {
            unsigned a[IP][4], b[IQ][2];
#pragma unroll
            for (int i = 0; i < IP; i++)
                s.left.left(a[i], p + i * 16, l);
#pragma unroll
            for (int j = 0; j < IQ; j += 2)
                s.right.right(b[j], q + j * 8, l);
#pragma unroll
            for (int i = 0; i < IP; i++)
#pragma unroll
                for (int j = 0; j < IQ; j++)
                    tensor<T>::multiply(sum[i][j], a[i], b[j]);
        }
    }

    static __device__ inline void run(const gemm_arguments &g)
    {
        extern __shared__ __align__(16) unsigned char shared[];
        buffer *buffers = reinterpret_cast<buffer *>(shared);
        unsigned z = g.first + blockIdx.z, p0 = blockIdx.y * BP, q0 = blockIdx.x * BQ;
        unsigned warp = threadIdx.x / 32, p = warp / ACROSS * WP, q = warp % ACROSS * WQ;
        const T *left = matrix_of<T>(g.left, z), *right = matrix_of<T>(g.right, z);
        bool left_aligned = g.left.aligned && (size_t)left % 16 == 0;
        bool right_aligned = g.right.aligned && (size_t)right % 16 == 0;
        float sum[IP][IQ][4] = {};
#pragma unroll 1
        for (unsigned i = 0; i + 1 < STAGES; i++)
            fill(buffers[i], g, left, right, p0, q0, i * DEPTH, left_aligned, right_aligned);
        unsigned now = 0;
        for (unsigned l = 0; l < g.depth; l += DEPTH) {
            wait<STAGES - 2>();
            __syncthreads();
            unsigned next = now == 0 ? STAGES - 1 : now - 1;
            fill(buffers[next], g, left, right, p0, q0, l + (STAGES - 1) * DEPTH, left_aligned, right_aligned);
            multiply(buffers[now], p, q, sum);
            now = now + 1 == STAGES ? 0 : now + 1;
        }
        finisher<float> finish(g, z);
        wait<0>();
        __syncthreads();
        // Sixteen rows of a warp at a time, through its own part of shared memory.
        float *own = reinterpret_cast<float *>(shared) + warp * 16 * PITCH;
        unsigned lane = threadIdx.x % 32;
#pragma unroll
        for (int i = 0; i < IP; i++) {
#pragma unroll
            for (int j = 0; j < IQ; j++)
#pragma unroll
                for (int half = 0; half < 2; half++)
                    *reinterpret_cast<float2 *>(own + (half * 8 + lane / 4) * PITCH + j * 8 + lane % 4 * 2) =
                        make_float2(sum[i][j][2 * half], sum[i][j][2 * half + 1]);
            __syncwarp();
#pragma unroll 1
            for (unsigned at = lane; at < 16 * WQ / 2; at += 32) {
                unsigned row = at / (WQ / 2), column = at % (WQ / 2) * 2;
                finish.store_two(own + row * PITCH + column, p0 + p + i * 16 + row, q0 + q + column);
            }
            __syncwarp();
        }
    }

    static __device__ inline void fill(buffer &s, const gemm_arguments &g, const T *left, const T *right, unsigned p0,
                                       unsigned q0, unsigned l, bool left_aligned, bool right_aligned)
    {
        if (l < g.depth) {
            s.left.template fill<THREADS>(g.left, left, p0, l, g.rows, g.depth, left_aligned);
            s.right.template fill<THREADS>(g.right, right, q0, l, g.columns, g.depth, right_aligned);
        }
        commit();
    }
};

// The name ends in the directions of the left and the right operand: a for along the sum, x for across it.
#define KERNEL(name, type, size, warp, left, right)                                                                    \
    extern "C" __global__ void __launch_bounds__(128) subcore_gemm_##name(const __grid_constant__ gemm_arguments g)    \
    {                                                                                                                  \
        product<type, size, size, warp, warp, left, right>::run(g);                                                    \
    }
#define DIRECTIONS(name, type, size, warp)                                                                             \
    KERNEL(name##_aa, type, size, warp, true, true)                                                                    \
    KERNEL(name##_ax, type, size, warp, true, false)                                                                   \
    KERNEL(name##_xa, type, size, warp, false, true)                                                                   \
    KERNEL(name##_xx, type, size, warp, false, false)

DIRECTIONS(f16_tensor_128, __half, 128, 64)
DIRECTIONS(f16_tensor_64, __half, 64, 32)
#if __CUDA_ARCH__ >= 800
DIRECTIONS(bf16_tensor_128, __nv_bfloat16, 128, 64)
DIRECTIONS(bf16_tensor_64, __nv_bfloat16, 64, 32)
#endif
