// Steps of stencils on grids; outside, a grid continues with its outermost points.

__device__ int keep(int at, int end) { return min(max(at, 0), end - 1); }

// Five points in two dimensions: a tile of 32 x 16 with its border in shared memory, two rows a thread.
extern "C" __global__ void __launch_bounds__(256)
    stencil5_tiled(const float *__restrict__ in, float *__restrict__ out, int width, int height)
{
    __shared__ float tile[18][34];
    const int x0 = blockIdx.x * 32 - 1, y0 = blockIdx.y * 16 - 1;
    for (int row = threadIdx.y; row < 18; row += 8) {
        const float *line = in + keep(y0 + row, height) * width;
        tile[row][threadIdx.x] = line[keep(x0 + threadIdx.x, width)];
        if (threadIdx.x < 2)
            tile[row][threadIdx.x + 32] = line[keep(x0 + threadIdx.x + 32, width)];
    }
    __syncthreads();
    const int x = threadIdx.x + 1;
    for (int row = threadIdx.y + 1; row < 17; row += 8) {
        const float around = tile[row - 1][x] + tile[row + 1][x] + tile[row][x - 1] + tile[row][x + 1];
        out[(y0 + row) * width + x0 + x] = 0.5f * tile[row][x] + 0.125f * around;
    }
}

// The same, with neighbouring threads in neighbouring rows: each access of a warp touches 16 sectors.
extern "C" __global__ void stencil5_columns(const float *__restrict__ in, float *__restrict__ out, int width,
                                            int height)
{
    const int y = blockIdx.y * 16 + threadIdx.x, x = blockIdx.x * 16 + threadIdx.y;
    const float around = in[keep(y - 1, height) * width + x] + in[keep(y + 1, height) * width + x] +
                         in[y * width + keep(x - 1, width)] + in[y * width + keep(x + 1, width)];
    out[y * width + x] = 0.5f * in[y * width + x] + 0.125f * around;
}

// Seven points in three dimensions: a thread goes up a column and keeps the points below and above in registers.
extern "C" __global__ void stencil7(const float *__restrict__ in, float *__restrict__ out, int width, int height,
                                    int depth)
{
    const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, plane = width * height;
    const int west = keep(x - 1, width) - x, east = keep(x + 1, width) - x;
    const int north = (keep(y - 1, height) - y) * width, south = (keep(y + 1, height) - y) * width;
    const float *at = in + y * width + x;
    float below = *at, here = *at;
    for (int z = 0; z < depth; z++) {
        const float above = z + 1 < depth ? at[plane] : here;
        const float around = at[west] + at[east] + at[north] + at[south] + below + above;
        out[at - in] = 0.25f * here + 0.125f * around;
        below = here;
        here = above;
        at += plane;
    }
}

// A step of the wave equation with nine points (two on each side): a thread goes down a column with five rows of it in
// registers. `next` holds the step before on entry.
extern "C" __global__ void wave9(const float *__restrict__ now, float *next, int width, int height, float speed)
{
    constexpr int ROWS = 4;
    const int x = blockIdx.x * 128 + threadIdx.x, y0 = blockIdx.y * ROWS;
    const int w1 = keep(x - 1, width), w2 = keep(x - 2, width), e1 = keep(x + 1, width), e2 = keep(x + 2, width);
    float column[5];
    for (int i = 0; i < 4; i++)
        column[i + 1] = now[keep(y0 + i - 2, height) * width + x];
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
        const int y = y0 + i;
        for (int k = 0; k < 4; k++)
            column[k] = column[k + 1];
        column[4] = now[keep(y + 2, height) * width + x];
        const float *row = now + y * width;
        const float near = column[1] + column[3] + row[w1] + row[e1];
        const float far = column[0] + column[4] + row[w2] + row[e2];
        const float laplace = (16.0f * near - far - 60.0f * column[2]) * (1.0f / 12.0f);
        next[y * width + x] = 2.0f * column[2] - next[y * width + x] + speed * laplace;
    }
}
