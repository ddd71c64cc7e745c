// A convolution of images with 3 channels, each 32 x 32, by 16 filters of 3 x 3, edges padded with zero, as the first
// layer of a network has it: direct, as im2col and a matrix product, and as a product whose matrix is never stored.

constexpr int SIDE = 32, PIXELS = SIDE * SIDE, CHANNELS = 3, TAPS = 9, FILTERS = 16, K = CHANNELS * TAPS;

// Direct: 16 x 16 threads for a tile of pixels and 4 filters; blockIdx.y = tile, z = image. w is K x FILTERS.
extern "C" __global__ void __launch_bounds__(256)
convolution_direct(const float *__restrict__ in, const float *__restrict__ w, float *__restrict__ out)
{
    constexpr int TILE = 16, EACH = 4;
    __shared__ float tile[CHANNELS][TILE + 2][TILE + 2];
    const int tx = threadIdx.x, ty = threadIdx.y, filter = blockIdx.x * EACH;
    const int x0 = blockIdx.y % 2 * TILE, y0 = blockIdx.y / 2 * TILE;
    in += (size_t)blockIdx.z * CHANNELS * PIXELS;
    for (int i = ty * TILE + tx; i < CHANNELS * (TILE + 2) * (TILE + 2); i += TILE * TILE) {
        const int channel = i / ((TILE + 2) * (TILE + 2)), at = i % ((TILE + 2) * (TILE + 2));
        const int y = y0 + at / (TILE + 2) - 1, x = x0 + at % (TILE + 2) - 1;
        const bool inside = y >= 0 && y < SIDE && x >= 0 && x < SIDE;
        (&tile[0][0][0])[i] = inside ? in[channel * PIXELS + y * SIDE + x] : 0.0f;
    }
    __syncthreads();
    float sum[EACH] = {};
#pragma unroll
    for (int i = 0; i < K; i++) {
        const float value = tile[i / TAPS][ty + i % TAPS / 3][tx + i % 3];
        const float4 q = *reinterpret_cast<const float4 *>(w + i * FILTERS + filter);
        sum[0] += value * q.x;
        sum[1] += value * q.y;
        sum[2] += value * q.z;
        sum[3] += value * q.w;
    }
    out += ((size_t)blockIdx.z * FILTERS + filter) * PIXELS + (y0 + ty) * SIDE + x0 + tx;
#pragma unroll
    for (int i = 0; i < EACH; i++)
        out[i * PIXELS] = sum[i];
}

// A row for each tap of each channel, a column for each pixel of each image. blockIdx.y = channel.
extern "C" __global__ void __launch_bounds__(256)
convolution_im2col(const float *__restrict__ in, float *__restrict__ matrix, int images)
{
    const int pixel = blockIdx.x * 256 + threadIdx.x, channel = blockIdx.y, columns = images * PIXELS;
    if (pixel >= columns)
        return;
    const int y = pixel / SIDE % SIDE, x = pixel % SIDE;
    in += ((size_t)(pixel / PIXELS) * CHANNELS + channel) * PIXELS;
#pragma unroll
    for (int i = 0; i < TAPS; i++) {
        const int from_y = y + i / 3 - 1, from_x = x + i % 3 - 1;
        const bool inside = from_y >= 0 && from_y < SIDE && from_x >= 0 && from_x < SIDE;
        matrix[(size_t)(channel * TAPS + i) * columns + pixel] = inside ? in[from_y * SIDE + from_x] : 0.0f;
    }
}

static __device__ void put(float *out, float4 sum)
{
    *reinterpret_cast<float4 *>(out) = sum;
}

// The product: 4 pixels and 8 filters for each thread, blockIdx.y = group of filters.
extern "C" __global__ void __launch_bounds__(128)
convolution_product(const float *__restrict__ matrix, const float *__restrict__ w, float *__restrict__ out, int images)
{
    constexpr int EACH = 8;
    const int pixel = (blockIdx.x * 128 + threadIdx.x) * 4, filter = blockIdx.y * EACH, columns = images * PIXELS;
    float sum[EACH][4] = {};
#pragma unroll 3
    for (int i = 0; i < K; i++) {
        const float4 p = *reinterpret_cast<const float4 *>(matrix + (size_t)i * columns + pixel);
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            const float q = w[i * FILTERS + filter + j];
            sum[j][0] += q * p.x;
            sum[j][1] += q * p.y;
            sum[j][2] += q * p.z;
            sum[j][3] += q * p.w;
        }
    }
    out += ((size_t)(pixel / PIXELS) * FILTERS + filter) * PIXELS + pixel % PIXELS;
#pragma unroll
    for (int j = 0; j < EACH; j++)
        put(out + j * PIXELS, make_float4(sum[j][0], sum[j][1], sum[j][2], sum[j][3]));
}

// Implicit product: a CTA of 128 threads makes 128 pixels by 16 filters. The tile of the matrix is gathered from the
// image, channel by channel. Each thread has 4 pixels and 4 filters.
extern "C" __global__ void __launch_bounds__(128)
convolution_implicit(const float *__restrict__ in, const float *__restrict__ w, float *__restrict__ out)
{
    __shared__ __align__(16) float tile[TAPS][128], weights[TAPS][FILTERS];
    const int t = threadIdx.x, first = blockIdx.x * 128 % PIXELS, y = (first + t) / SIDE, x = t % SIDE;
    const int image = blockIdx.x * 128 / PIXELS, pixel = t % 32 * 4, filter = t / 32 * 4;
    in += (size_t)image * CHANNELS * PIXELS;
    float sum[4][4] = {};
    for (int channel = 0; channel < CHANNELS; channel++) {
        for (int i = t; i < TAPS * FILTERS; i += 128)
            weights[i / FILTERS][i % FILTERS] = w[channel * TAPS * FILTERS + i];
#pragma unroll
        for (int i = 0; i < TAPS; i++) {
            const int from_y = y + i / 3 - 1, from_x = x + i % 3 - 1;
            const bool inside = from_y >= 0 && from_y < SIDE && from_x >= 0 && from_x < SIDE;
            tile[i][t] = inside ? in[channel * PIXELS + from_y * SIDE + from_x] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TAPS; i++) {
            const float4 p = *reinterpret_cast<const float4 *>(&tile[i][pixel]);
            const float4 q = *reinterpret_cast<const float4 *>(&weights[i][filter]);
            const float left[4] = {q.x, q.y, q.z, q.w}, right[4] = {p.x, p.y, p.z, p.w};
#pragma unroll
            for (int j = 0; j < 16; j++)
                sum[j / 4][j % 4] += left[j / 4] * right[j % 4];
        }
        __syncthreads();
    }
    out += ((size_t)image * FILTERS + filter) * PIXELS + first + pixel;
#pragma unroll
    for (int j = 0; j < 4; j++)
        put(out + j * PIXELS, make_float4(sum[j][0], sum[j][1], sum[j][2], sum[j][3]));
}
