// transpose: out (width x height) = transpose of in (height rows of width floats). Blocks of 32 x 8 threads,
// each block one 32 x 32 tile, each thread four elements of it.
// Shows: uncoalesced stores (naive), 32-way bank conflicts in shared memory (conflict: rows of 32 words),
// and the usual cure (padded: rows of 33 words).
enum { TILE = 32, ROWS = 8 };

extern "C" __global__ void
transpose_naive(const float *__restrict__ in, float *out, unsigned width, unsigned height)
{
    unsigned x = blockIdx.x * TILE + threadIdx.x;
    unsigned y = blockIdx.y * TILE + threadIdx.y;
    for (unsigned j = 0; j < TILE; j += ROWS)
        if (x < width && y + j < height)
            out[x * height + y + j] = in[(y + j) * width + x];
}

template <int PITCH>
static __device__ void transpose_tile(float (*tile)[PITCH], const float *__restrict__ in, float *out,
                                      unsigned width, unsigned height)
{
    unsigned x = blockIdx.x * TILE + threadIdx.x;
    unsigned y = blockIdx.y * TILE + threadIdx.y;
    for (unsigned j = 0; j < TILE; j += ROWS)
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (unsigned j = 0; j < TILE; j += ROWS)
        if (x < height && y + j < width)
            out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

extern "C" __global__ void
transpose_conflict(const float *__restrict__ in, float *out, unsigned width,
                   unsigned height)
{
    __shared__ float tile[TILE][TILE];
    transpose_tile<TILE>(tile, in, out, width, height);
}

extern "C" __global__ void
transpose_padded(const float *__restrict__ in, float *out, unsigned width,
                 unsigned height)
{
    __shared__ float tile[TILE][TILE + 1];
    transpose_tile<TILE + 1>(tile, in, out, width, height);
}
