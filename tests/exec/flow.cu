// Control flow that the examples do not have: locks and hand-overs inside a warp, recursion, calls through pointers
// and virtual tables, jump tables, barriers with counts and reductions, special registers, printf, assertions, traps,
// and the device heap. Each kernel writes `out`; tests/exec/flow.c has the expected values. Made by
//   for a in 75 80 86 89 90 100 120; do nvcc -cubin -arch=sm_$a -o cubin/flow.sm_$a.cubin flow.cu; done
// and for sm_70 by ../../tools/nvrtc.py -cubin -arch=sm_70 -o cubin/flow.sm_70.cubin flow.cu
#include <cassert>
#include <cstdio>

struct shape {
    int scale;
    __device__ explicit shape(int s) : scale(s) {}
    __device__ virtual int area(int x) { return x + scale; }
};

struct square : shape {
    __device__ explicit square(int s) : shape(s) {}
    __device__ int area(int x) override { return x * x * scale; }
};

struct cube : square {
    __device__ explicit cube(int s) : square(s) {}
    __device__ int area(int x) override { return 6 * square::area(x); }
};

extern "C" __global__ void virtual_calls(int *out, int n)
{
    int t = threadIdx.x;
    shape plain(n);
    square flat(n + 1);
    cube deep(n + 2);
    shape *const all[3] = {&plain, &flat, &deep};
    out[t] = all[t % 3]->area(t);
}

typedef int function(int);
static __device__ int twice(int x) { return 2 * x; }
static __device__ int negated(int x) { return -x; }
static __device__ int plus_seven(int x) { return x + 7; }
static __device__ function *const functions[3] = {twice, negated, plus_seven};

extern "C" __global__ void pointers(int *out, int n)
{
    int t = threadIdx.x;
    function *f = functions[(t + n) % 3];
    out[t] = f(t) + functions[t % 2](1);
}

static __device__ __noinline__ int ackermann(int m, int n)
{
    if (m == 0)
        return n + 1;
    return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

extern "C" __global__ void recursion(int *out, int n)
{
    int t = threadIdx.x;
    out[t] = ackermann(t % 3, n + t % 4);
}

extern "C" __global__ void jump_table(int *out, int n)
{
    int t = threadIdx.x, r;
    switch ((t * n) % 12) {
    case 0: r = t + 100; break;
    case 1: r = t * 3; break;
    case 2: r = n - t; break;
    case 3: r = t ^ n; break;
    case 4: r = t / 3 + n; break;
    case 5: r = t << 2; break;
    case 6: r = __popc(t) + n; break;
    case 7: r = t & n; break;
    case 8: r = t | 64; break;
    default: r = -1; break;
    }
    out[t] = r;
}

// Each thread waits for the one before it in the same warp.
extern "C" __global__ void chain(int *out, int n)
{
    __shared__ volatile int turn;
    int t = threadIdx.x;
    if (t == 0)
        turn = 0;
    __syncthreads();
    while (turn != t) {
    }
    out[t] = t ? out[t - 1] + n : n;
    __threadfence_block();
    turn = t + 1;
}

// Odd threads produce for the even ones beside them.
extern "C" __global__ void hand_over(int *out, int n)
{
    __shared__ volatile int box[64], full[64];
    int t = threadIdx.x, pair = t / 2;
    full[pair] = 0;
    __syncthreads();
    if (t % 2) {
        for (int i = 0; i < n; i++) {
            while (full[pair]) {
            }
            box[pair] = i * t;
            __threadfence_block();
            full[pair] = 1;
        }
        out[t] = n;
    } else {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            while (!full[pair])
                __nanosleep(20);
            sum += box[pair];
            __threadfence_block();
            full[pair] = 0;
        }
        out[t] = sum;
    }
}

// Nested divergence with early exits from loops and functions.
static __device__ __noinline__ int search(int t, int n)
{
    for (int i = 1; i < n; i++) {
        if (i * i > t)
            return -i;
        for (int j = 1; j < n; j++) {
            if (i * j == t)
                return i * 100 + j;
            if (i * j > t)
                break;
        }
    }
    return 0;
}

extern "C" __global__ void early_exit(int *out, int n)
{
    int t = threadIdx.x;
    if (t % 7 == 6) {
        out[t] = -1000;
        return;
    }
    int r = search(t, n);
    if (r < 0)
        r += search(-r, n);
    out[t] = r + (int)__popc(__activemask()) * 0;
}

extern "C" __global__ void counted_barriers(int *out, int n)
{
    __shared__ int data[128];
    int t = threadIdx.x;
    if (t < 64) {
        data[t] = t * n;
        asm volatile("bar.arrive 1, 128;" ::: "memory");
        asm volatile("bar.sync 2, 128;" ::: "memory");
        out[t] = data[64 + t];
    } else {
        asm volatile("bar.sync 1, 128;" ::: "memory");
        out[t] = data[t - 64] + 1;
        data[t] = t + n;
        asm volatile("bar.arrive 2, 128;" ::: "memory");
    }
}

extern "C" __global__ void reductions(int *out, int n)
{
    int t = threadIdx.x, sum = 0;
    for (int i = 0; i < n; i++) {
        sum = sum * 3 + __syncthreads_count((t * i) % 5 == 1);
        sum += __syncthreads_and(t < 200 + i) ? 1000 : 0;
        sum += __syncthreads_or(t == 10 * i) ? 100000 : 0;
    }
    out[t] = sum;
}

// Two groups of threads with their own masks meet in the same instructions.
extern "C" __global__ void two_groups(int *out, int n)
{
    int t = threadIdx.x, v;
    unsigned mask = t % 2 ? 0xaaaaaaaau : 0x55555555u;
    if (t % 2)
        v = __shfl_down_sync(mask, t * 3, 2);
    else
        v = __shfl_up_sync(mask, t * 5, 2);
    __syncwarp(mask);
    out[t] = v + __popc(__ballot_sync(mask, t > n)) * 1000;
}

// One thread of those that are there, the wait of a launch after another, and the barrier of a cluster.
extern "C" __global__ void elected(int *out, int n)
{
    int t = threadIdx.x;
    out[t] = out[512 + t] = n;
#if __CUDA_ARCH__ >= 900
    unsigned leader, chosen;
    asm volatile("{ .reg .pred p; elect.sync %0|p, 0xffffffff; selp.u32 %1, 1, 0, p; }" : "=r"(leader), "=r"(chosen));
    asm volatile("griddepcontrol.wait; griddepcontrol.launch_dependents;" ::: "memory");
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    out[t] = leader * 10 + chosen + out[512 + (t + 32) % blockDim.x];
#endif
}

static __device__ unsigned special(int which)
{
    unsigned v = 0;
    unsigned long long w = 0;
    switch (which) {
    case 0: asm("mov.u32 %0, %%laneid;" : "=r"(v)); break;
    case 1: asm("mov.u32 %0, %%lanemask_eq;" : "=r"(v)); break;
    case 2: asm("mov.u32 %0, %%lanemask_lt;" : "=r"(v)); break;
    case 3: asm("mov.u32 %0, %%lanemask_le;" : "=r"(v)); break;
    case 4: asm("mov.u32 %0, %%lanemask_gt;" : "=r"(v)); break;
    case 5: asm("mov.u32 %0, %%lanemask_ge;" : "=r"(v)); break;
    case 6: asm("mov.u32 %0, %%nctaid.x;" : "=r"(v)); break;
    case 7: asm("mov.u32 %0, %%ntid.y;" : "=r"(v)); break;
    case 8: asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(v)); break;
    case 9: asm("mov.u32 %0, %%total_smem_size;" : "=r"(v)); break;
    case 10: asm("mov.u32 %0, %%nsmid;" : "=r"(v)); break;
    case 11: asm volatile("mov.u64 %0, %%gridid;" : "=l"(w)); v = (unsigned)w; break;
    case 12: asm volatile("mov.u32 %0, %%smid;" : "=r"(v)); break;
    case 13: asm volatile("mov.u32 %0, %%warpid;" : "=r"(v)); break;
    case 14: asm volatile("mov.u32 %0, %%nwarpid;" : "=r"(v)); break;
    case 15: asm volatile("mov.u64 %0, %%clock64;" : "=l"(w)); v = (unsigned)w; break;
    case 16: asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(w)); v = (unsigned)w; break;
    case 17: asm volatile("mov.u32 %0, %%clock;" : "=r"(v)); break;
#if __CUDA_ARCH__ >= 900
    case 18: asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(v)); break;
    case 19: asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(v)); break;
    case 20: asm("mov.u32 %0, %%nclusterid.x;" : "=r"(v)); break;
    case 21: asm("mov.u32 %0, %%clusterid.x;" : "=r"(v)); break;
    case 22: asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(v)); break;
#endif
    default: break;
    }
    return v;
}

#define SPECIAL(k) out[32 * k + threadIdx.x % 32] = (int)special(k)
extern "C" __global__ void special_registers(int *out, int n)
{
    if (threadIdx.x / 32 != 1 || blockIdx.x != 1)
        return;
    SPECIAL(0); SPECIAL(1); SPECIAL(2); SPECIAL(3); SPECIAL(4); SPECIAL(5); SPECIAL(6); SPECIAL(7);
    SPECIAL(8); SPECIAL(9); SPECIAL(10); SPECIAL(11); SPECIAL(12); SPECIAL(13); SPECIAL(14); SPECIAL(15);
    SPECIAL(16); SPECIAL(17); SPECIAL(18); SPECIAL(19); SPECIAL(20); SPECIAL(21); SPECIAL(22);
}

extern "C" __global__ void print_all(int *out, int n)
{
    int t = threadIdx.x;
    out[t] = printf("%d %i %u %x %X %o %c %s %p|", -t, n, 7u + t, 0xbeef, 0xBEEF, 8, 'a' + t, "text", (void *)0x1234);
    printf("%5d|%-5d|%05d|%+d|% d|%#x|%.3d|%*d|%-*d|%%|", t, t, t, t, t, 255, 7, 6, n, 4, n);
    printf("%f %e %g %a %.2f %10.3e %G|", 1.5, 1e10, 0.0001, 1.0, 3.14159f, 12345.678, 1e-10);
    printf("%llu %lld %hhd %hu %ld %lx|", 1ull << 63, -5ll, (signed char)-3, (unsigned short)65535, 1l << 40, -1l);
    printf("%s|%.2s|%6s|\n", "", "abcdef", "xy");
}

extern "C" __global__ void print_order(int *out, int n)
{
    if (threadIdx.x % 16 == 0)
        printf("block %d thread %d\n", blockIdx.x, threadIdx.x);
}

extern "C" __global__ void assertion(int *out, int n)
{
    assert(threadIdx.x + blockIdx.x * blockDim.x != n);
    out[threadIdx.x] = 1;
}

extern "C" __global__ void trap(int *out, int n)
{
    if (threadIdx.x == n)
        __trap();
    out[threadIdx.x] = 1;
}

struct node {
    int value;
    node *next;
};

extern "C" __global__ void heap_lists(int *out, int n)
{
    int t = threadIdx.x, sum = 0;
    node *head = nullptr;
    for (int i = 0; i < n; i++) {
        node *p = (node *)malloc(sizeof(node) + 8 * (t % 3));
        p->value = i * t;
        p->next = head;
        head = p;
    }
    while (head) {
        node *next = head->next;
        sum += head->value + (((size_t)head & 15) ? 1000000 : 0);
        free(head);
        head = next;
    }
    out[t] = sum;
}

extern "C" __global__ void heap_full(int *out, int n)
{
    void *whole = malloc(8u << 20), *more = malloc(16), *zero = malloc(0);
    free(whole);
    free(nullptr);
    void *again = malloc(n);
    out[0] = whole != nullptr;
    out[1] = more != nullptr;
    out[2] = zero != nullptr;
    out[3] = again == whole;
    free(again);
}
