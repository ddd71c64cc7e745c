// One warp-wide product each in bf16 and in tf32, by the PTX instruction, and packed bf16 arithmetic.
// functional:
// detailed:
#include "ladder.cuh"
#include <cuda_bf16.h>

// m16n8k8, a by rows, b by columns. The lane's places are those of the PTX manual's tables.
__global__ void bf16(const __nv_bfloat16 *a, const __nv_bfloat16 *b, float *c)
{
    int group = threadIdx.x / 4, member = threadIdx.x % 4;
    const unsigned *wa = (const unsigned *)a, *wb = (const unsigned *)b;
    unsigned a0 = wa[group * 4 + member], a1 = wa[(group + 8) * 4 + member], b0 = wb[group * 4 + member];
    float d[4] = {1, 1, 1, 1};
    asm("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a0), "r"(a1), "r"(b0));
    for (int i = 0; i < 4; i++)
        c[(group + i / 2 * 8) * 8 + member * 2 + i % 2] = d[i];
}

__global__ void tf32(const float *a, const float *b, float *c)
{
    int group = threadIdx.x / 4, member = threadIdx.x % 4;
    unsigned ta[4], tb[2];
    for (int i = 0; i < 4; i++)
        asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(ta[i]) : "f"(a[(group + i % 2 * 8) * 8 + member + i / 2 * 4]));
    for (int i = 0; i < 2; i++)
        asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(tb[i]) : "f"(b[group * 8 + member + i * 4]));
    float d[4] = {};
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(ta[0]), "r"(ta[1]), "r"(ta[2]), "r"(ta[3]), "r"(tb[0]), "r"(tb[1]));
    for (int i = 0; i < 4; i++)
        c[(group + i / 2 * 8) * 8 + member * 2 + i % 2] = d[i];
}

__global__ void packed(const __nv_bfloat162 *in, __nv_bfloat162 *out)
{
    __nv_bfloat162 value = in[threadIdx.x];
    out[threadIdx.x] = __hfma2(value, value, __float2bfloat162_rn(1.0f));
}

int main()
{
    __nv_bfloat16 a[128], b[64], *da, *db;
    float fa[128], fb[64], got[128], *dfa, *dfb, *dc;
    for (int i = 0; i < 128; i++)
        a[i] = __float2bfloat16(fa[i] = (float)(i % 13 - 6) / 2);
    for (int i = 0; i < 64; i++)
        b[i] = __float2bfloat16(fb[i] = (float)(i % 11 - 5) / 2);
    CHECK(cudaMalloc(&da, sizeof a));
    CHECK(cudaMalloc(&db, sizeof b));
    CHECK(cudaMalloc(&dfa, sizeof fa));
    CHECK(cudaMalloc(&dfb, sizeof fb));
    CHECK(cudaMalloc(&dc, sizeof got));
    CHECK(cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dfa, fa, sizeof fa, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dfb, fb, sizeof fb, cudaMemcpyHostToDevice));
    for (int round = 0; round < 2; round++) {
        if (round)
            tf32<<<1, 32>>>(dfa, dfb, dc);
        else
            bf16<<<1, 32>>>(da, db, dc);
        CHECK(cudaMemcpy(got, dc, sizeof got, cudaMemcpyDeviceToHost));
        for (int i = 0; i < 128; i++) {
            float sum = round ? 0.0f : 1.0f;
            for (int k = 0; k < 8; k++)
                sum += fa[i / 8 * 8 + k] * fb[i % 8 * 8 + k];
            EXPECT_EQUAL(got[i], sum, i);
        }
    }
    packed<<<1, 32>>>((const __nv_bfloat162 *)da, (__nv_bfloat162 *)dc);
    __nv_bfloat16 out[64];
    CHECK(cudaMemcpy(out, dc, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++)
        EXPECT_EQUAL(__bfloat162float(out[i]), fa[i] * fa[i] + 1, i);
    return ladder_result("mma");
}
