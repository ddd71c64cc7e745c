// A product of half matrices on the tensor cores by fragments, with sums in float.
// functional: 96
// detailed: 32
#include "ladder.cuh"
#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

// One warp for each tile of 16 by 16.
__global__ void gemm(const half *a, const half *b, float *c, int n, float alpha)
{
    int row = blockIdx.y * 16, column = blockIdx.x * 16;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum, old;
    wmma::fill_fragment(sum, 0.0f);
    for (int k = 0; k < n; k += 16) {
        wmma::load_matrix_sync(fa, a + row * n + k, n);
        wmma::load_matrix_sync(fb, b + column * n + k, n);   // b is stored by columns
        wmma::mma_sync(sum, fa, fb, sum);
    }
    wmma::load_matrix_sync(old, c + row * n + column, n, wmma::mem_row_major);
    for (int i = 0; i < sum.num_elements; i++)
        old.x[i] += alpha * sum.x[i];
    wmma::store_matrix_sync(c + row * n + column, old, n, wmma::mem_row_major);
}

int main(int argc, char **argv)
{
    int n = (int)ladder_size(argc, argv, 96) / 16 * 16, count = n * n;
    std::vector<half> a(count), b(count);
    std::vector<float> c(count), got(count);
    ladder_random random(11);
    for (int i = 0; i < count; i++) {   // small multiples of 1/4: every sum is exact
        a[i] = __float2half((float)((int)(random.next() % 17) - 8) / 4);
        b[i] = __float2half((float)((int)(random.next() % 17) - 8) / 4);
        c[i] = (float)(i % 5);
    }
    half *da, *db;
    float *dc;
    CHECK(cudaMalloc(&da, count * sizeof(half)));
    CHECK(cudaMalloc(&db, count * sizeof(half)));
    CHECK(cudaMalloc(&dc, count * sizeof(float)));
    CHECK(cudaMemcpy(da, a.data(), count * sizeof(half), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(db, b.data(), count * sizeof(half), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(dc, c.data(), count * sizeof(float), cudaMemcpyHostToDevice));
    gemm<<<dim3(n / 16, n / 16), 32>>>(da, db, dc, n, 2.0f);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(got.data(), dc, count * sizeof(float), cudaMemcpyDeviceToHost));
    for (int row = 0; row < n; row++)
        for (int column = 0; column < n; column++) {
            float sum = 0;
            for (int k = 0; k < n; k++)
                sum += __half2float(a[row * n + k]) * __half2float(b[column * n + k]);
            EXPECT_EQUAL(got[row * n + column], c[row * n + column] + 2 * sum, row * n + column);
        }
    return ladder_result("wmma");
}
