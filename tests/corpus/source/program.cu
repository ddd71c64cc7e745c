// build plain:
// build fast: -use_fast_math
// build debug: -G only=70,75,120
// build lines: -lineinfo -maxrregcount=32 only=80,86,89,90,100
#include <cstdint>
__global__ void transpose(float *out, const float *in, int w, int h)
{
    __shared__ float t[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < w && y + j < h)
            t[threadIdx.y + j][threadIdx.x] = in[(y + j) * w + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < h && y + j < w)
            out[(y + j) * h + x] = t[threadIdx.x][threadIdx.y + j];
}
__global__ void multiply(const float *a, const float *b, float *c, int n)
{
    __shared__ float s[16][16], t[16][16];
    int r = blockIdx.y * 16 + threadIdx.y, q = blockIdx.x * 16 + threadIdx.x;
    float v = 0;
    for (int k = 0; k < n; k += 16) {
        s[threadIdx.y][threadIdx.x] = a[r * n + k + threadIdx.x];
        t[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + q];
        __syncthreads();
        for (int j = 0; j < 16; j++)
            v += s[threadIdx.y][j] * t[j][threadIdx.x];
        __syncthreads();
    }
    c[r * n + q] = v;
}
__global__ void gravity(float4 *acc, const float4 *pos, int n)
{
    float4 p = pos[blockIdx.x * blockDim.x + threadIdx.x], a = {};
    __shared__ float4 s[128];
    for (int b = 0; b < n; b += 128) {
        s[threadIdx.x] = pos[b + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 128; j++) {
            float x = s[j].x - p.x, y = s[j].y - p.y, z = s[j].z - p.z, d = rsqrtf(x * x + y * y + z * z + 0.01f);
            d = d * d * d * s[j].w;
            a.x += x * d;
            a.y += y * d;
            a.z += z * d;
        }
        __syncthreads();
    }
    acc[blockIdx.x * blockDim.x + threadIdx.x] = a;
}
__global__ void escape(uchar4 *out, int w, int h, float x0, float y0, float dx, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h)
        return;
    float a = x0 + x * dx, b = y0 + y * dx, u = 0, v = 0;
    int i = 0;
    while (i < n && u * u + v * v < 4) {
        float t = u * u - v * v + a;
        v = 2 * u * v + b;
        u = t;
        i++;
    }
    out[y * w + x] = make_uchar4(i, i * 3 & 255, i * 7 >> 2, 255);
}
__global__ void options(float *call, float *put, const float *s, const float *k, const float *t, float r, float v,
                        int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        float q = sqrtf(t[i]), d = (logf(s[i] / k[i]) + (r + 0.5f * v * v) * t[i]) / (v * q), e = d - v * q,
              m = normcdff(d), o = normcdff(e), x = k[i] * expf(-r * t[i]);
        call[i] = s[i] * m - x * o;
        put[i] = x * (1 - o) - s[i] * (1 - m);
    }
}
__device__ const uint32_t first[64] = {0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1};
#define ROR(x, n) ((x) >> (n) | (x) << (32 - (n)))
__global__ void digest(uint32_t *out, const uint32_t *in)
{
    uint32_t w[16], h[8];
    for (int i = 0; i < 8; i++)
        h[i] = out[i];
    for (int i = 0; i < 16; i++)
        w[i] = __byte_perm(in[threadIdx.x * 16 + i], 0, 0x0123);
    for (int i = 0; i < 64; i++) {
        uint32_t s = ROR(h[4], 6) ^ ROR(h[4], 11) ^ ROR(h[4], 25),
                 t = h[7] + s + ((h[4] & h[5]) ^ (~h[4] & h[6])) + first[i] + w[i & 15],
                 u = (ROR(h[0], 2) ^ ROR(h[0], 13) ^ ROR(h[0], 22)) + ((h[0] & h[1]) ^ (h[0] & h[2]) ^ (h[1] & h[2]));
        for (int j = 7; j; j--)
            h[j] = h[j - 1];
        h[4] += t;
        h[0] = t + u;
        w[i & 15] += (ROR(w[(i + 1) & 15], 7) ^ ROR(w[(i + 1) & 15], 18) ^ w[(i + 1) & 15] >> 3) + w[(i + 9) & 15];
    }
    for (int i = 0; i < 8; i++)
        out[threadIdx.x * 8 + i] = h[i];
}
__global__ void traverse(const int *row, const int *col, int *dist, int *changed, int level, int n)
{
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n && dist[v] == level)
        for (int e = row[v]; e < row[v + 1]; e++)
            if (atomicCAS(dist + col[e], -1, level + 1) == -1)
                *changed = 1;
}
__global__ void stencil(double *out, const double *in, int nx, int ny, int nz, double c)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (x >= nx - 1 || y >= ny - 1)
        return;
    double below = in[y * nx + x], here = in[(ny + y) * nx + x];
    for (int z = 1; z < nz - 1; z++) {
        long i = ((long)z * ny + y) * nx + x;
        double above = in[i + (long)nx * ny];
        out[i] = c * here + (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + above + below) / 6;
        below = here;
        here = above;
    }
}
__global__ void bitonic(int *x, int n)
{
    extern __shared__ int s[];
    s[threadIdx.x] = x[threadIdx.x];
    for (int k = 2; k <= n; k *= 2)
        for (int j = k / 2; j; j /= 2) {
            __syncthreads();
            int o = threadIdx.x ^ j;
            if (o > threadIdx.x && (s[threadIdx.x] > s[o]) == !(threadIdx.x & k)) {
                int t = s[o];
                s[o] = s[threadIdx.x];
                s[threadIdx.x] = t;
            }
        }
    __syncthreads();
    x[threadIdx.x] = s[threadIdx.x];
}
__global__ void softmax(float *out, const float *in, int n)
{
    const float *r = in + blockIdx.x * n;
    float m = -1e30f, s = 0;
    for (int i = threadIdx.x; i < n; i += 32)
        m = fmaxf(m, r[i]);
    for (int d = 16; d; d /= 2)
        m = fmaxf(m, __shfl_xor_sync(~0u, m, d));
    for (int i = threadIdx.x; i < n; i += 32)
        s += __expf(r[i] - m);
    for (int d = 16; d; d /= 2)
        s += __shfl_xor_sync(~0u, s, d);
    for (int i = threadIdx.x; i < n; i += 32)
        out[blockIdx.x * n + i] = __expf(r[i] - m) / s;
}
__global__ void distance(int *out, const char *a, const char *b, int n, int m)
{
    int row[33];
    for (int j = 0; j <= m; j++)
        row[j] = j;
    for (int i = 1; i <= n; i++) {
        int d = row[0];
        row[0] = i;
        for (int j = 1; j <= m; j++) {
            int t = row[j];
            row[j] = min(min(row[j], row[j - 1]) + 1, d + (a[i - 1] != b[j - 1]));
            d = t;
        }
    }
    out[threadIdx.x] = row[m];
}
template <class T> __global__ void generic_axpy(T *y, const T *x, T a, size_t n)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
        y[i] = a * x[i] + y[i];
}
template __global__ void generic_axpy<float>(float *, const float *, float, size_t);
template __global__ void generic_axpy<double>(double *, const double *, double, size_t);
template __global__ void generic_axpy<int>(int *, const int *, int, size_t);
template __global__ void generic_axpy<long long>(long long *, const long long *, long long, size_t);
template __global__ void generic_axpy<unsigned char>(unsigned char *, const unsigned char *, unsigned char, size_t);
__global__ void dft(float2 *out, const float2 *in, int n)
{
    float2 s = {};
    for (int k = 0; k < n; k++) {
        float c, d;
        sincospif(-2.f * k * threadIdx.x / n, &d, &c);
        s.x += in[k].x * c - in[k].y * d;
        s.y += in[k].x * d + in[k].y * c;
    }
    out[threadIdx.x] = s;
}
__global__ void uniform_work(unsigned *out, unsigned a, unsigned b, long long c, int n)
{
    unsigned s = a;
    long long w = c;
    for (int i = 0; i < n; i++) {
        s = s * 1664525u + b;
        s ^= s >> 13;
        w += (long long)s * i;
        if (s > b)
            s -= __popc(s) + __clz(a) + __ffs(b) + __brev(s);
        w = w < c ? w + (s << 3) : w - ((w << 5) | (unsigned long long)w >> 9);
        s = max(s, b) - min(a, s + i) + __umulhi(s, a);
        s += (a & 0xff) << (i & 15) | b % (s | 1);
    }
    out[blockIdx.x] = s + (unsigned)w + (unsigned)(w >> 32) + __byte_perm(a, b, 0x3254) + (a > b ? 3 : 9);
}
