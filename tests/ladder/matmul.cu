// A product of matrices from tiles in shared memory; sizes that are no multiple of the tile.
// functional: 100
// detailed: 33
#include "ladder.cuh"

constexpr int TILE = 16;

__global__ void matmul(const float *a, const float *b, float *c, int n)
{
    __shared__ float as[TILE][TILE], bs[TILE][TILE + 1];
    int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int tile = 0; tile < n; tile += TILE) {
        int i = tile + threadIdx.x, j = tile + threadIdx.y;
        as[threadIdx.y][threadIdx.x] = row < n && i < n ? a[row * n + i] : 0;
        bs[threadIdx.y][threadIdx.x] = column < n && j < n ? b[j * n + column] : 0;
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum = fmaf(as[threadIdx.y][k], bs[k][threadIdx.x], sum);
        __syncthreads();
    }
    if (row < n && column < n)
        c[row * n + column] = sum;
}

int main(int argc, char **argv)
{
    int n = (int)ladder_size(argc, argv, 100);
    size_t bytes = n * n * sizeof(float);
    std::vector<float> a(n * n), b(n * n), c(n * n);
    ladder_random random(4);
    for (int i = 0; i < n * n; i++) {
        a[i] = random.uniform() - 0.5f;
        b[i] = random.uniform() - 0.5f;
    }
    float *da, *db, *dc;
    CHECK(cudaMalloc(&da, bytes));
    CHECK(cudaMalloc(&db, bytes));
    CHECK(cudaMalloc(&dc, bytes));
    CHECK(cudaMemcpy(da, a.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(db, b.data(), bytes, cudaMemcpyHostToDevice));
    dim3 grid((n + TILE - 1) / TILE, (n + TILE - 1) / TILE);
    matmul<<<grid, dim3(TILE, TILE)>>>(da, db, dc, n);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(c.data(), dc, bytes, cudaMemcpyDeviceToHost));
    for (int row = 0; row < n; row++)
        for (int column = 0; column < n; column++) {
            float sum = 0;   // the kernel's order of additions, each fused: equal to the last bit
            for (int k = 0; k < n; k++)
                sum = fmaf(a[row * n + k], b[k * n + column], sum);
            EXPECT_EQUAL(c[row * n + column], sum, row * n + column);
        }
    return ladder_result("matmul");
}
