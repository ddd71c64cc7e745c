// Transposes with templates over type and tile, the result compared as bytes.
// functional: 130 70
// detailed: 40 33
#include "ladder.cuh"

template <typename T, int TILE, bool PADDED> __global__ void transpose(const T *in, T *out, int rows, int columns)
{
    __shared__ T tile[TILE][TILE + (PADDED ? 1 : 0)];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x < columns && y < rows)
        tile[threadIdx.y][threadIdx.x] = in[y * columns + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    if (x < rows && y < columns)
        out[y * rows + x] = tile[threadIdx.x][threadIdx.y];
}

template <typename T, int TILE, bool PADDED> static void run(int rows, int columns)
{
    size_t count = (size_t)rows * columns, bytes = count * sizeof(T);
    std::vector<T> in(count), out(count), want(count);
    for (size_t i = 0; i < count; i++)
        in[i] = (T)(i * 7 + 1);
    for (int row = 0; row < rows; row++)
        for (int column = 0; column < columns; column++)
            want[column * rows + row] = in[row * columns + column];
    T *din, *dout;
    CHECK(cudaMalloc(&din, bytes));
    CHECK(cudaMalloc(&dout, bytes));
    CHECK(cudaMemcpy(din, in.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemset(dout, 0xff, bytes));
    dim3 grid((columns + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
    transpose<T, TILE, PADDED><<<grid, dim3(TILE, TILE)>>>(din, dout, rows, columns);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out.data(), dout, bytes, cudaMemcpyDeviceToHost));
    EXPECT(std::memcmp(out.data(), want.data(), bytes) == 0);
    CHECK(cudaFree(din));
    CHECK(cudaFree(dout));
}

int main(int argc, char **argv)
{
    int rows = argc > 1 ? std::atoi(argv[1]) : 130, columns = argc > 2 ? std::atoi(argv[2]) : 70;
    run<char, 16, false>(rows, columns);
    run<short, 32, true>(rows, columns);
    run<float, 32, false>(rows, columns);
    run<double, 16, true>(columns, rows);
    return ladder_result("transpose");
}
