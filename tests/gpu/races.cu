// Programs without a barrier that they need, as many are in use: they are right where warps run side by side, and
// wrong where warps run one after the other. Each kernel writes `out`; tests/gpu/races.c has the expected values. Made
// by
//   tools/cubins.sh cubin races.cu races 75 80 86 90 120

enum { THREADS = 256 };

// A warp writes words that another reads a little later.
extern "C" __global__ void exchange(int *out, int n)
{
    __shared__ volatile int s[THREADS];
    int t = threadIdx.x, x = t;
    s[t] = 3 * t + n;
#pragma unroll 1
    for (int i = 0; i < 8; i++)
        x = x * n + i;
    out[t] = s[THREADS - 1 - t] + x;
}

// The barrier is missing behind the reads: the next turn overwrites the tile.
extern "C" __global__ void tiles(int *out, int n)
{
    __shared__ int s[THREADS];
    int t = threadIdx.x, sum = 0;
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        s[t] = out[THREADS + (k + t) % (2 * THREADS)];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; i++)
            sum += s[(t * 16 + i) % THREADS] * (i + 1);
    }
    out[t] = sum;
}

// A barrier separates the writes from the next reads, none the reads from the writes.
extern "C" __global__ void neighbours(int *out, int n)
{
    __shared__ int s[THREADS];
    int t = threadIdx.x;
    s[t] = 7 * t % 31;
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        int v = 2 * s[(t + THREADS - 1) % THREADS] + s[(t + 1) % THREADS];
        s[t] = v % 1009;
        __syncthreads();
    }
    out[t] = s[t];
}

// The same in global memory.
extern "C" __global__ void stencil(int *out, int n)
{
    int t = threadIdx.x;
    out[t] = 7 * t % 31;
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < n; k++) {
        int v = 2 * out[(t + THREADS - 1) % THREADS] + out[(t + 1) % THREADS];
        out[t] = v % 1009;
        __syncthreads();
    }
}

// Prefix sums in place: each step reads words that other warps overwrite in it.
extern "C" __global__ void scan(int *out, int n)
{
    __shared__ int s[THREADS];
    int t = threadIdx.x;
    s[t] = t * n % 13;
    __syncthreads();
    for (int d = 1; d < THREADS; d *= 2) {
        int v = t >= d ? s[t - d] : 0;
        s[t] += v;
        __syncthreads();
    }
    out[t] = s[t];
}

// A tree whose last steps, of two warps and then one, have no barrier.
extern "C" __global__ void tail(int *out, int n)
{
    __shared__ volatile int s[THREADS];
    int t = threadIdx.x;
    s[t] = t * n % 17;
    __syncthreads();
    if (t < 128)
        s[t] += s[t + 128];
    if (t < 64)
        s[t] += s[t + 64];
    if (t < 32)
        s[t] += s[t + 32];
    __syncthreads();
    if (t < 32)
        out[t] = s[t];
}

// One thread prepares a word that all read behind an access to global memory of their own.
extern "C" __global__ void prepared(int *out, int n)
{
    __shared__ volatile int s[2];
    int t = threadIdx.x;
    if (t == THREADS - 1)
        s[0] = n * 5;
    int x = out[THREADS + t];
    out[t] = x + s[x >> 20];
}

// A flag in global memory from one warp to another.
extern "C" __global__ void flag(int *out, int n)
{
    volatile int *shared_by_all = out;
    int t = threadIdx.x;
    if (t < 32) {
        shared_by_all[32 + t] = t * n;
        __threadfence_block();
        if (t == 0)
            shared_by_all[64] = 1;
    } else if (t >= THREADS - 32) {
        while (shared_by_all[64] == 0)
            ;
        shared_by_all[THREADS + t % 32] = shared_by_all[32 + t % 32] + 1;
    }
}

// Reads a neighbour and overwrites its own place, which does not depend on the words that it has read.
extern "C" __global__ void shift(int *out, int n)
{
    __shared__ int s[THREADS];
    int t = threadIdx.x;
    s[t] = t * n;
    __syncthreads();
    int left = s[(t + THREADS - 1) % THREADS];
    s[t] = -t;
    __syncthreads();
    out[t] = left + s[THREADS - 1 - t];
}

// A chain through memory that other CTAs fill in as they begin.
extern "C" __global__ void across(int *out, int n)
{
    volatile int *next = out + THREADS;
    int t = blockIdx.x * THREADS + threadIdx.x, place = 0;
    next[t] = t + 8;
    if (t == 0) {
#pragma unroll 1
        for (int i = 0; i < n; i++)
            place = next[place];
        out[0] = place;
    }
}
