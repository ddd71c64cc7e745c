// stencil: one step of a 5-point stencil on a 2-D grid, out = centre * in + side * (sum of 4 neighbours);
// outside the grid lies zero. Blocks of 32 x 8 threads.
// Shows: neighbours shared through the L1 cache, and predicated loads at the boundary.
extern "C" __global__ void __launch_bounds__(256)
stencil(const float *__restrict__ in, float *__restrict__ out, unsigned width, unsigned height,
        float centre, float side)
{
    unsigned x = blockIdx.x * 32 + threadIdx.x;
    unsigned y = blockIdx.y * 8 + threadIdx.y;
    if (x >= width || y >= height)
        return;
    unsigned at = y * width + x;
    float west = x > 0 ? in[at - 1] : 0.0f;
    float east = x + 1 < width ? in[at + 1] : 0.0f;
    float north = y > 0 ? in[at - width] : 0.0f;
    float south = y + 1 < height ? in[at + width] : 0.0f;
    out[at] = fmaf(side, (west + east) + (north + south), centre * in[at]);
}
