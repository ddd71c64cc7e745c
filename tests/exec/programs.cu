// Small kernels that need features beyond the examples': locks inside a warp, recursion, calls through pointers, local
// arrays, global and constant variables, named barriers, every kind of atomic, CTAs that wait for each other. Each
// writes `out` only; tests/exec/programs.c has the expected values. The cubins in tests/exec/cubin are made by
//   for a in 75 80 86 89 90 100 120; do nvcc -O3 -cubin -arch=sm_$a -o cubin/programs.sm_$a.cubin programs.cu; done
// and for sm_70 by ../../tools/nvrtc.py -O3 -cubin -arch=sm_70 -o cubin/programs.sm_70.cubin programs.cu

__device__ unsigned counter = 5;
__device__ unsigned table[4] = {10, 20, 30, 40};
__device__ unsigned zeroed[64];
__device__ unsigned global_lock;
__constant__ unsigned coefficient[8] = {1, 2, 3, 4, 5, 6, 7, 8};

extern "C" __global__ void lock_in_shared(unsigned *out)
{
    __shared__ unsigned lock;
    if (threadIdx.x == 0)
        lock = 0;
    __syncthreads();
    while (atomicCAS(&lock, 0u, 1u) != 0u) {
    }
    volatile unsigned *count = out;
    count[blockIdx.x] = count[blockIdx.x] + 1;
    __threadfence();
    atomicExch(&lock, 0u);
}

extern "C" __global__ void lock_in_global(unsigned *out)
{
    for (bool done = false; !done;) {
        if (atomicCAS(&global_lock, 0u, 1u) == 0u) {
            volatile unsigned *count = out + blockIdx.x % 2;
            *count = *count + 1;
            __threadfence();
            atomicExch(&global_lock, 0u);
            done = true;
        }
    }
}

static __device__ __noinline__ unsigned fibonacci(unsigned n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

extern "C" __global__ void recursion(unsigned *out)
{
    out[threadIdx.x] = fibonacci(threadIdx.x % 9);
}

typedef unsigned (*function)(unsigned);
static __device__ __noinline__ unsigned triple(unsigned x) { return x * 3 + 1; }
static __device__ __noinline__ unsigned mix(unsigned x) { return x ^ 0x55; }
static __device__ __noinline__ unsigned squares(unsigned x)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < x; i++)
        sum += i * i;
    return sum;
}

extern "C" __global__ void calls_through_pointers(unsigned *out)
{
    function f[3] = {triple, mix, squares};
    out[threadIdx.x] = f[threadIdx.x % 3](threadIdx.x);
}

extern "C" __global__ void local_array(unsigned *out)
{
    unsigned a[32];
    for (int i = 0; i < 32; i++)
        a[i] = i * threadIdx.x;
    unsigned sum = 0, k = threadIdx.x;
    for (int i = 0; i < 20; i++) {
        k = (k * 5 + 3) % 32;
        sum += a[k];
        a[(k + i) % 32] ^= sum;
    }
    out[threadIdx.x] = sum;
}

extern "C" __global__ void variables(unsigned *out)
{
    unsigned t = threadIdx.x;
    out[t] = counter + table[t % 4] * coefficient[t % 8] + zeroed[t % 64];
    zeroed[t % 64] = t;
    __syncthreads();
    out[t] += zeroed[(t + 1) % 64] * 1000;
}

// sm_75 has no instruction for these.
static __device__ unsigned sum_of_warp(unsigned x)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_add_sync(0xffffffff, x);
#else
    for (int i = 16; i; i /= 2)
        x += __shfl_xor_sync(0xffffffff, x, i);
    return x;
#endif
}

static __device__ unsigned most_of_warp(unsigned x)
{
#if __CUDA_ARCH__ >= 800
    return __reduce_max_sync(0xffffffff, x);
#else
    for (int i = 16; i; i /= 2)
        x = max(x, __shfl_xor_sync(0xffffffff, x, i));
    return x;
#endif
}

extern "C" __global__ void votes(unsigned *out)
{
    unsigned t = threadIdx.x, r;
    if (t & 1)
        r = __ballot_sync(0xaaaaaaaa, t % 3 == 0);
    else
        r = __popc(__ballot_sync(0x55555555, t % 5 == 0));
    r += __any_sync(0xffffffff, t == 7) ? 100 : 0;
    r += __all_sync(0xffffffff, t < 1000) ? 10000 : 0;
    for (unsigned i = 0; i < t % 4; i++)
        r += __shfl_xor_sync(__activemask(), t, 4);
    r += sum_of_warp(t) + most_of_warp(t * 7 % 31);
    out[t] = r;
}

extern "C" __global__ void named_barriers(unsigned *out)
{
    __shared__ unsigned buffer[64];
    unsigned t = threadIdx.x, sum = 0;
    for (unsigned k = 0; k < 4; k++) {
        if (t < 64) {
            buffer[t] = t * 10 + k;
            asm volatile("bar.arrive 1, 128;" ::: "memory");
            asm volatile("bar.sync 2, 128;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 128;" ::: "memory");
            sum = sum * 3 + buffer[t - 64];
            asm volatile("bar.arrive 2, 128;" ::: "memory");
        }
    }
    if (t >= 64)
        out[t - 64] = sum;
}

extern "C" __global__ void atomics(unsigned *out)
{
    __shared__ float single[2];
    __shared__ unsigned word[8];
    __shared__ unsigned long long wide[2];
    unsigned t = threadIdx.x, odd = t & 1;
    if (t < 2) {
        single[t] = 0;
        wide[t] = 0;
        for (unsigned i = 0; i < 4; i++)
            word[4 * t + i] = i == 3 ? ~0u : 0;
    }
    __syncthreads();
    atomicAdd(&single[odd], (float)t);
    atomicAdd(&wide[odd], (unsigned long long)t << 20);
    atomicAdd(&word[4 * odd], t);
    atomicMax(&word[4 * odd + 1], t * 37 % 101);
    atomicXor(&word[4 * odd + 2], t * 77);
    atomicMin(&word[4 * odd + 3], t + 5);
    atomicInc(out + 32 + odd, 50);
    atomicDec(out + 34 + odd, 60);
    atomicAnd(out + 36 + odd, ~(1u << t % 32));
    atomicOr(out + 38 + odd, 1u << t % 32);
    atomicMin((int *)out + 40 + odd, (int)t - 70);
    atomicAdd((float *)out + 42 + odd, (float)t);
    atomicAdd((unsigned long long *)out + 22 + odd, (unsigned long long)t << 33);
    out[64 + atomicAdd(out + 48 + odd, 1u) * 2 + odd] = t;
    __syncthreads();
    if (t < 8)
        out[t] = word[t];
    if (t < 2) {
        out[8 + t] = (unsigned)single[t];
        out[10 + t] = (unsigned)(wide[t] >> 20);
    }
}

extern "C" __global__ void grid_barrier(unsigned *out)
{
    volatile unsigned *sync = out, *round = out + 1;
    unsigned n = gridDim.x;
    for (unsigned k = 0; k < 3; k++) {
        if (threadIdx.x == 0) {
            __threadfence();
            atomicAdd(out, 1u);
            while (*sync < n * (k + 1)) {
            }
            __threadfence();
        }
        __syncthreads();
        unsigned before = round[k * n + (blockIdx.x + 1) % n];
        __syncthreads();
        if (threadIdx.x == 0)
            round[(k + 1) * n + blockIdx.x] = before + 1;
    }
}

// The generic address of a constant: only memory can be read through it.
extern "C" __global__ void constants_by_address(unsigned *out)
{
    unsigned t = threadIdx.x;
    const unsigned *p = t & 1 ? coefficient : table;
    out[t] = p[t / 2 % 4];
}

extern "C" __global__ void dynamic_shared(unsigned *out)
{
    extern __shared__ unsigned words[];
    words[threadIdx.x] = threadIdx.x * 3;
    __syncthreads();
    out[threadIdx.x] = words[(threadIdx.x + 1) % blockDim.x];
}
