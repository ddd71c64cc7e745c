// Kernels whose instructions have rare records: arrivals at named barriers, naps, copies to shared memory that write
// zeros, cache policies, loops that wait for another CTA, divergence inside loops. tests/record/kernels.c looks for
// these. Made by
//   for a in 80 90; do nvcc -cubin -arch=sm_$a -o cubin/kernels.sm_$a.cubin kernels.cu; done
#include <stdint.h>

// Odd warps write and arrive, even ones wait for them.
extern "C" __global__ void arrivals(unsigned *out, unsigned rounds)
{
    __shared__ unsigned place[1024];
    unsigned t = threadIdx.x, sum = 0;
    for (unsigned r = 0; r < rounds; r++) {
        if (t / 32 % 2) {
            place[t] = t * r;
            __nanosleep(20 * r);
            asm volatile("bar.arrive 3, %0;" ::"r"(blockDim.x) : "memory");
        } else {
            asm volatile("bar.sync 3, %0;" ::"r"(blockDim.x) : "memory");
            sum += place[t + 32];
        }
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + t] = sum;
}

// Of every four threads one copies and the others fill in zeros.
extern "C" __global__ void fills(unsigned *out, unsigned n)
{
    __shared__ unsigned to[256];
    unsigned t = threadIdx.x;
    uint32_t at = (uint32_t)__cvta_generic_to_shared(&to[t ^ 5]);
    asm volatile("{.reg .pred p; setp.ne.u32 p, %2, 0;\n cp.async.ca.shared.global [%0], [%1], 4, p;}\n"
                 "cp.async.commit_group;\n cp.async.wait_group 0;" ::"r"(at),
                 "l"(out + t + n), "r"(t % 4)
                 : "memory");
    __syncthreads();
    out[t] = to[t];
}

extern "C" __global__ void policies(unsigned *out, unsigned n)
{
    uint64_t policy;
    unsigned value, t = threadIdx.x;
    asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 0.5;" : "=l"(policy));
    asm volatile("ld.global.L2::cache_hint.u32 %0, [%1], %2;" : "=r"(value) : "l"(out + n + t), "l"(policy) : "memory");
    asm volatile("st.global.L2::cache_hint.u32 [%0], %1, %2;" ::"l"(out + t), "r"(value + 1), "l"(policy) : "memory");
}

// Each CTA waits for the one behind it. The last one takes its time.
extern "C" __global__ void backwards(unsigned *out, unsigned steps)
{
    volatile unsigned *flag = out + 1024;
    unsigned x = threadIdx.x;
    if (blockIdx.x + 1 == gridDim.x)
        for (unsigned i = 0; i < steps; i++)
            asm volatile("mad.lo.u32 %0, %0, %0, 1;" : "+r"(x));
    else
        while (flag[blockIdx.x + 1] == 0)
            x++;
    __syncthreads();
    if (threadIdx.x == 0)
        flag[blockIdx.x] = 1;
    if (x == 12345678)
        out[0] = x;
}

// Threads leave a loop at different times, into a branch of their own; some exit within it.
extern "C" __global__ void branches(unsigned *out, unsigned n)
{
    unsigned t = threadIdx.x, sum = 0;
    for (unsigned i = 0; i < n + t % 7; i++) {
        if ((t + i) % 3 == 0)
            sum += out[t] / (i + 1);
        else if ((t ^ i) % 5 == 0)
            sum ^= i * t;
        if (sum % 31 == 17 && t % 11 == 3)
            return;
    }
    out[t] = sum;
}
