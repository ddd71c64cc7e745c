// Heat in a chip: a CTA keeps a tile in shared memory and takes STEPS steps in it, by which it loses a border of STEPS
// cells on each side. Outside, the chip continues with its outermost cells.

constexpr int TILE = 16, STEPS = 2;

extern "C" __global__ void hotspot(const float *__restrict__ power, const float *__restrict__ from,
                                   float *__restrict__ to, int width, int height, float rate, float ambient)
{
    __shared__ float heat[2][TILE][TILE];
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int x0 = blockIdx.x * (TILE - 2 * STEPS) - STEPS, y0 = blockIdx.y * (TILE - 2 * STEPS) - STEPS;
    const int x = x0 + tx, y = y0 + ty;
    const bool inside = x >= 0 && x < width && y >= 0 && y < height;
    const float source = inside ? power[y * width + x] : 0.0f;
    heat[0][ty][tx] = inside ? from[y * width + x] : 0.0f;
    const int west = max(tx - 1, max(-x0, 0)), east = min(tx + 1, min(width - 1 - x0, TILE - 1));
    const int north = max(ty - 1, max(-y0, 0)), south = min(ty + 1, min(height - 1 - y0, TILE - 1));
    __syncthreads();
#pragma unroll
    for (int i = 0; i < STEPS; i++) {
        const float(*now)[TILE] = heat[i % 2];
        const int border = i + 1;
        if (inside && tx >= border && tx < TILE - border && ty >= border && ty < TILE - border) {
            const float own = now[ty][tx];
            heat[1 - i % 2][ty][tx] =
                own + rate * (source + (now[north][tx] + now[south][tx] - 2.0f * own) +
                              (now[ty][west] + now[ty][east] - 2.0f * own) + 0.125f * (ambient - own));
        }
        __syncthreads();
    }
    if (inside && tx >= STEPS && tx < TILE - STEPS && ty >= STEPS && ty < TILE - STEPS)
        to[y * width + x] = heat[STEPS % 2][ty][tx];
}
