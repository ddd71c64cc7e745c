// Speckle-reducing anisotropic diffusion: the first kernel finds how much each pixel may spread, from its derivatives;
// the second spreads it. Everything passes through global memory, as first versions do.

extern "C" __global__ void srad_coefficients(const float *__restrict__ image, float *north, float *south, float *west,
                                             float *east, float *coefficient, int width, int height, float noise)
{
    const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y, i = y * width + x;
    const float own = image[i];
    const float n = image[max(y - 1, 0) * width + x] - own, s = image[min(y + 1, height - 1) * width + x] - own;
    const float w = image[y * width + max(x - 1, 0)] - own, e = image[y * width + min(x + 1, width - 1)] - own;
    const float gradient = (n * n + s * s + w * w + e * e) / (own * own);
    const float laplace = (n + s + w + e) / own;
    const float above = 0.5f * gradient - 0.0625f * laplace * laplace, below = 1.0f + 0.25f * laplace;
    const float speckle = (above / (below * below) - noise) / (noise * (1.0f + noise));
    const float c = 1.0f / (1.0f + speckle);
    north[i] = n;
    south[i] = s;
    west[i] = w;
    east[i] = e;
    coefficient[i] = c < 0.0f ? 0.0f : c > 1.0f ? 1.0f : c;
}

extern "C" __global__ void srad_update(float *image, const float *__restrict__ north, const float *__restrict__ south,
                                       const float *__restrict__ west, const float *__restrict__ east,
                                       const float *__restrict__ coefficient, int width, int height, float lambda)
{
    const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y, i = y * width + x;
    const float own = coefficient[i];
    const float down = coefficient[min(y + 1, height - 1) * width + x];
    const float right = coefficient[y * width + min(x + 1, width - 1)];
    const float change = own * north[i] + down * south[i] + own * west[i] + right * east[i];
    image[i] += 0.25f * lambda * change;
}
