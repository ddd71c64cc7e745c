// Results of a whole tile, sixteen rows of a warp at a time: the sums pass through shared memory, so that a lane has
// eight neighbours and writes them at once. Steps that only some products need are separate functions.
#ifndef SUBCORE_BLAS_KERNELS_FINISH_TILE_CUH
#define SUBCORE_BLAS_KERNELS_FINISH_TILE_CUH

#include "finish.cuh"

static __device__ inline unsigned pack_two(float x, float y, unsigned type)
{
    union {
        unsigned all;
        __half2 half;
        __nv_bfloat162 bfloat;
    } two;
    if (type == GEMM_F16)
        two.half = __floats2half2_rn(x, y);
    else
        two.bfloat = __floats2bfloat162_rn(x, y);
    return two.all;
}

static __device__ inline float2 unpack_two(unsigned bits, unsigned type)
{
    union {
        unsigned all;
        __half2 half;
        __nv_bfloat162 bfloat;
    } two;
    two.all = bits;
    return type == GEMM_F16 ? __half22float2(two.half) : __bfloat1622float2(two.bfloat);
}

static __device__ inline void read_eight(float (&x)[8], const void *from, unsigned type, long long at)
{
    if (type == GEMM_F32) {
        const float4 *f = reinterpret_cast<const float4 *>(static_cast<const float *>(from) + at);
        float4 low = f[0], high = f[1];
        x[0] = low.x, x[1] = low.y, x[2] = low.z, x[3] = low.w;
        x[4] = high.x, x[5] = high.y, x[6] = high.z, x[7] = high.w;
    } else {
        uint4 f = *reinterpret_cast<const uint4 *>(static_cast<const __half *>(from) + at);
        float2 two[4] = {unpack_two(f.x, type), unpack_two(f.y, type), unpack_two(f.z, type), unpack_two(f.w, type)};
#pragma unroll
        for (int i = 0; i < 4; i++)
            x[2 * i] = two[i].x, x[2 * i + 1] = two[i].y;
    }
}

static __device__ inline void write_eight(const float (&x)[8], void *to, unsigned type, long long at)
{
    if (type == GEMM_F32) {
        float4 *f = reinterpret_cast<float4 *>(static_cast<float *>(to) + at);
        f[0] = make_float4(x[0], x[1], x[2], x[3]);
        f[1] = make_float4(x[4], x[5], x[6], x[7]);
    } else {
        *reinterpret_cast<uint4 *>(static_cast<__half *>(to) + at) =
            make_uint4(pack_two(x[0], x[1], type), pack_two(x[2], x[3], type), pack_two(x[4], x[5], type),
                       pack_two(x[6], x[7], type));
    }
}

// Any finish, any place: rows x columns sums, `pitch` apart, whose first is result (p, q).
static __device__ __noinline__ void finish_slowly(const gemm_arguments *g, const float *sums, unsigned rows,
                                                  unsigned columns, unsigned pitch, unsigned z, unsigned p, unsigned q)
{
    finisher<float> finish(*g, z);
#pragma unroll 1
    for (unsigned at = threadIdx.x % 32; at < rows * (columns / 2); at += 32) {
        unsigned row = at / (columns / 2), column = at % (columns / 2) * 2;
        finish.store_two(sums + row * pitch + column, p + row, q + column);
    }
}

// A warp's writer of results, COLUMNS columns at a time. It is made once; move_to() chooses the columns.
template <int COLUMNS> struct tile_finisher {
    enum { ACROSS = COLUMNS / 8, AT_ONCE = 32 / ACROSS, PITCH = COLUMNS + 4 };
    const gemm_arguments &g;
    unsigned z, q, column, row;
    float alpha, beta;
    float bias[8];
    const void *addend;
    void *result;

    __device__ inline tile_finisher(const gemm_arguments &arguments, unsigned batch) : g(arguments), z(batch), q(0)
    {
        finisher<float> finish(g, z);
        column = threadIdx.x % ACROSS * 8;
        row = threadIdx.x % 32 / ACROSS;
        alpha = finish.alpha;
        beta = finish.adds ? finish.beta : 0.0f;
        addend = finish.adds ? finish.addend : nullptr;
        result = finish.result;
#pragma unroll
        for (int i = 0; i < 8; i++)
            bias[i] = 0.0f;
    }

    // The columns from q0 on.
    __device__ inline void move_to(unsigned q0)
    {
        if (g.eights && q0 + COLUMNS <= g.columns)
            move_inside(q0);
        else
            q = q0;
    }

    // The same if the result has all of these columns, and eight can be written at once.
    __device__ inline void move_inside(unsigned q0)
    {
        q = q0;
        if (g.steps & GEMM_BIAS)
            read_bias();
    }

    __device__ inline void read_bias()
    {
        long long at = z * g.bias_stride + q + column;
        if (g.bias_type == GEMM_F32)
            read_bias<float>(at);
        else if (g.bias_type == GEMM_F16)
            read_bias<__half>(at);
        else
            read_bias<__nv_bfloat16>(at);
    }

    template <typename T> __device__ inline void read_bias(long long at)
    {
#pragma unroll
        for (int i = 0; i < 8; i++)
            bias[i] = float(static_cast<const T *>(g.bias)[at + i]);
    }

    // Returns true if store_whole_rows() can store the results before row p1 and column q1.
    __device__ inline bool is_quick(unsigned p1, unsigned q1) const
    {
        return g.eights && !addend && p1 <= g.rows && q1 <= g.columns;
    }

    // ROWS rows of sums in shared memory, PITCH apart; the first is row p of the result.
    template <int ROWS> __device__ inline void store(const float *sums, unsigned p) const
    {
        if (!g.eights || q + COLUMNS > g.columns) {
            finish_slowly(&g, sums, ROWS, COLUMNS, PITCH, z, p, q);
        } else if (addend) {
#pragma unroll 1
            for (int i = 0; i < ROWS; i += AT_ONCE) {
                float x[8];
                read_eight(x, sums, GEMM_F32, (i + row) * PITCH + column);
                if (p + i + row < g.rows)
                    store_eight(x, p + i + row);
            }
        } else if (g.type == GEMM_F16) {
            store_rows<ROWS, GEMM_F16>(sums, p);
        } else if (g.type == GEMM_BF16) {
            store_rows<ROWS, GEMM_BF16>(sums, p);
        } else {
            store_rows<ROWS, GEMM_F32>(sums, p);
        }
    }

    // The same without an addend: accesses of several rows are in flight together.
    template <int ROWS, unsigned TYPE> __device__ inline void store_rows(const float *sums, unsigned p) const
    {
        long long at = place(p);
#pragma unroll
        for (int i = 0; i < ROWS; i += AT_ONCE) {
            float x[8];
            scale_eight(x, sums, i);
            if (p + i + row < g.rows)
                write_eight(x, result, TYPE, at + i * g.result.pitch);
        }
    }

    // The same if the result has all rows.
    template <int ROWS, unsigned TYPE> __device__ inline void store_whole_rows(const float *sums, unsigned p) const
    {
        long long at = place(p);
        float x[ROWS / AT_ONCE][8];
#pragma unroll
        for (int i = 0; i < ROWS / AT_ONCE; i++)
            scale_eight(x[i], sums, i * AT_ONCE);
#pragma unroll
        for (int i = 0; i < ROWS / AT_ONCE; i++)
            write_eight(x[i], result, TYPE, at + i * AT_ONCE * g.result.pitch);
    }

    __device__ inline long long place(unsigned p) const
    {
        return z * g.result.stride + (long long)(p + row) * g.result.pitch + q + column;
    }

    // The lane's eight results in the group of rows from `first` on.
    __device__ inline void scale_eight(float (&x)[8], const float *sums, int first) const
    {
        read_eight(x, sums, GEMM_F32, (first + row) * PITCH + column);
#pragma unroll
        for (int j = 0; j < 8; j++)
            x[j] = alpha * x[j] + bias[j];
    }

    __device__ inline void store_eight(float (&x)[8], unsigned p) const
    {
        long long at = (long long)p * g.addend.pitch + q + column;
        float more[8];
        if (addend)
            read_eight(more, addend, g.addend_type, z * g.addend.stride + at);
#pragma unroll
        for (int i = 0; i < 8; i++)
            x[i] = (addend ? alpha * x[i] + beta * more[i] : alpha * x[i]) + bias[i];
        write_eight(x, result, g.type, z * g.result.stride + (long long)p * g.result.pitch + q + column);
    }
};

#endif
