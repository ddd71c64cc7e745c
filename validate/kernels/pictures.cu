// Pictures. The arithmetic names its fused operations, so that any compiler gives the same pixels.

// How many steps a point stays near, 32 at most. A CTA of 256 threads has a row of 256 pixels.
extern "C" __global__ void mandelbrot(unsigned char *steps, float x0, float y0, float pixel)
{
    const float cx = fmaf((float)threadIdx.x, pixel, x0), cy = fmaf((float)blockIdx.x, pixel, y0);
    float x = 0.0f, y = 0.0f;
    int n = 0;
    for (; n < 32; n++) {
        const float yy = __fmul_rn(y, y);
        if (fmaf(x, x, yy) > 4.0f)
            break;
        const float real = __fadd_rn(fmaf(x, x, -yy), cx);
        y = fmaf(x + x, y, cy);
        x = real;
    }
    steps[blockIdx.x * blockDim.x + threadIdx.x] = n;
}

constexpr int SPHERES = 6;

// Spheres under a light, seen along the z axis: the nearest is found, and lit unless another is in the way. A sphere is
// its centre and the square of its radius.
extern "C" __global__ void spheres(const float4 *__restrict__ sphere, float *brightness, float pixel, float3 light)
{
    __shared__ float4 s[SPHERES];
    if (threadIdx.x < SPHERES)
        s[threadIdx.x] = sphere[threadIdx.x];
    __syncthreads();
    const float px = __fmul_rn((float)threadIdx.x, pixel), py = __fmul_rn((float)(blockIdx.x % 256), pixel);
    float nearest = 1e30f, lit = 0.0f;
    int hit = -1;
    for (int i = 0; i < SPHERES; i++) {
        const float dx = px - s[i].x, dy = py - s[i].y;
        const float left = s[i].w - fmaf(dx, dx, __fmul_rn(dy, dy));
        if (left <= 0.0f)
            continue;
        const float z = s[i].z - sqrtf(left);
        if (z < nearest) {
            nearest = z;
            hit = i;
        }
    }
    if (hit >= 0) {
        const float nx = px - s[hit].x, ny = py - s[hit].y, nz = nearest - s[hit].z;
        const float facing = fmaf(nx, light.x, fmaf(ny, light.y, __fmul_rn(nz, light.z)));
        lit = facing > 0.0f ? __fdiv_rn(facing, __fsqrt_rn(s[hit].w)) : 0.0f;
        for (int i = 0; i < SPHERES && lit > 0.0f; i++) {
            const float dx = s[i].x - px, dy = s[i].y - py, dz = s[i].z - nearest;
            const float along = fmaf(dx, light.x, fmaf(dy, light.y, __fmul_rn(dz, light.z)));
            const float off = fmaf(dx, dx, fmaf(dy, dy, __fmul_rn(dz, dz)));
            if (i != hit && along > 0.0f && fmaf(-along, along, off) < s[i].w)
                lit = 0.0f;
        }
    }
    brightness[blockIdx.x * blockDim.x + threadIdx.x] = lit;
}
