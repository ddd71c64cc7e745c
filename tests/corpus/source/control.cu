// build plain:
// build debug: -G
// build calls: -Xptxas -O0 only=70,75,89,100,120
#include <alloca.h>
#include <cassert>
#include <cstdio>
__noinline__ __device__ int twice(int x) { return x * 2 + threadIdx.x; }
__noinline__ __device__ float mixed(float a, double b, int *p, int n)
{
    for (int i = 0; i < n; i++)
        p[i] += (int)(a * b);
    return a + p[n];
}
__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__device__ int even(int n);
__device__ int odd(int n) { return n == 0 ? 0 : even(n - 1); }
__device__ int even(int n) { return n == 0 ? 1 : odd(n - 1); }
__global__ void calls(int *x, int n) { x[threadIdx.x] = twice(x[threadIdx.x]) + (int)mixed(1.5f, 2.5, x + n, n); }
__global__ void recursive(int *x) { x[threadIdx.x] = fibonacci(x[threadIdx.x]) + even(x[threadIdx.x]); }
typedef int (*function)(int);
__device__ int f0(int x) { return x + 1; }
__device__ int f1(int x) { return x * 3; }
__device__ int f2(int x) { return x ^ 5; }
__device__ function functions[3] = {f0, f1, f2};
__global__ void indirect(int *x, int k)
{
    x[threadIdx.x] = functions[k](x[threadIdx.x]) + functions[x[threadIdx.x] % 3](7);
    function f = k ? f0 : f2;
    x[threadIdx.x + 32] = f(k);
}
struct shape {
    int w;
    __device__ shape(int w) : w(w) {}
    virtual __device__ int area() const = 0;
    virtual __device__ ~shape() {}
};
struct square : shape {
    __device__ square(int w) : shape(w) {}
    __device__ int area() const override { return w * w; }
};
struct rectangle : shape {
    int h;
    __device__ rectangle(int w, int h) : shape(w), h(h) {}
    __device__ int area() const override { return w * h; }
};
__global__ void virtual_calls(int *x)
{
    square s(x[0]);
    rectangle r(x[1], x[2]);
    shape *p = x[threadIdx.x] ? (shape *)&s : (shape *)&r;
    x[threadIdx.x] = p->area();
    shape *q = new rectangle(3, 4);
    x[5] = q->area();
    delete q;
}
__global__ void dense_switch(int *x, int n)
{
    int v = x[threadIdx.x];
    switch (v) {
    case 0: v = x[9]; break;
    case 1: v *= x[3]; break;
    case 2:
        v += 7;
        __syncwarp();
        break;
    case 3: x[4] = 2; break;
    case 4: v = v / n; break;
    case 5: v = x[v + n]; break;
    case 6: v ^= x[7] * 3; break;
    case 7: x[v] = n; break;
    case 8: v -= x[n]; break;
    case 9: x[n] = v * v; break;
    case 10: v = __brev(v); break;
    case 11: v = __popc(v) + x[2]; break;
    default: v = -1;
    }
    x[threadIdx.x] = v;
}
__global__ void uniform_switch(int *x, int n)
{
    switch (n) {
    case 10: x[0] = 1; break;
    case 11: x[1] = x[2]; break;
    case 12: x[2] += threadIdx.x; break;
    case 13:
        x[threadIdx.x] = 4;
        __syncthreads();
        break;
    case 14: atomicAdd(x, 3); break;
    case 15: x[5] = n; break;
    case 16: x[6] = x[7] * x[8]; break;
    case 17: x[9] = 3; break;
    case 18: x[11] = x[12];
    }
}
__global__ void jump_table(int *x)
{
    int v = x[threadIdx.x], r = 0;
    asm volatile("{ts: .branchtargets L0, L1, L2, L3; brx.idx %1, ts; L0: add.s32 %0, %0, 7; bra D; L1: mul.lo.s32 %0, "
                 "%1, %1; bra D; L2: xor.b32 %0, %1, 21; L3: add.s32 %0, %0, 3; D: }"
                 : "+r"(r)
                 : "r"(v & 3));
    x[threadIdx.x] = r;
}
__global__ void loops(int *x, int n)
{
    int v = x[threadIdx.x], s = 0;
    for (int i = 0; i < v; i++) {
        if (x[i] == 7)
            continue;
        if (x[i] > n)
            break;
        for (int j = i; j < n; j += 3) {
            s += x[j];
            if (s > 1000)
                goto out;
        }
    }
out:
    x[threadIdx.x] = s;
    do {
        v = v & 1 ? 3 * v + 1 : v / 2;
        s++;
    } while (v != 1 && s < n);
    x[threadIdx.x + 32] = s;
    while (true) {
        if (x[s] < 0)
            return;
        s = x[s];
        if (s == n)
            break;
        __syncwarp();
    }
    x[threadIdx.x + 64] = s;
}
__global__ void nested(int *x, int a, int b)
{
    int v = x[threadIdx.x];
    if (v > a) {
        if (v > b) {
            x[1] = twice(v);
            if (v & 1)
                x[2] = x[v];
            else
                x[3] = x[v * 2];
        } else {
            for (int i = 0; i < v; i++)
                x[i] += v;
        }
    } else if (v < -a) {
        x[4] = fibonacci(v);
    } else {
        x[5] += v;
        __syncwarp();
    }
    x[threadIdx.x] = v + x[v];
}
__global__ void early(int *x)
{
    if (x[threadIdx.x] == 0)
        return;
    x[threadIdx.x] = 1;
    if (threadIdx.x > 5) {
        x[7] = 1;
        return;
    }
    __syncthreads();
    x[8] = x[9];
    if (x[10])
        asm volatile("exit;");
    x[11] = 1;
}
__global__ void traps(int *x)
{
    if (x[threadIdx.x] == 3)
        __trap();
    if (x[threadIdx.x] == 4)
        __brkpt();
    x[1] = 2;
    if (x[2])
        asm volatile("pmevent 7;");
    asm volatile("pmevent.mask 0x55;");
}
__global__ void prints(int *x, float f)
{
    printf("%d %f %s\n", x[threadIdx.x], f, "corpus");
    assert(x[threadIdx.x] != 3);
}
__global__ void heap(int **out, int n)
{
    int *p = (int *)malloc(n * 4);
    if (p) {
        p[0] = n;
        out[threadIdx.x] = p;
    }
    if (n == 3)
        free(out[threadIdx.x + 1]);
}
#ifndef __CUDACC_RTC__ /* NVRTC has no alloca */
__global__ void stack(int *x, int n)
{
    int *p = (int *)alloca(n * 4);
    for (int i = 0; i < n; i++)
        p[i] = x[i] * 3;
    x[threadIdx.x] = p[n - 1 - threadIdx.x] + (int)mixed(2, 3, p, n);
}
#endif
__global__ void big_frame(int *x, int n)
{
    int a[300];
    for (int i = 0; i < n; i++)
        a[i] = x[i];
    for (int i = 1; i < n; i++)
        a[x[i]] += a[i - 1];
    x[threadIdx.x] = a[n] + twice(a[3]);
}
__global__ void __launch_bounds__(1024, 2) spilled(float *x)
{
    float v[80];
    for (int i = 0; i < 80; i++)
        v[i] = x[threadIdx.x + i * 1024];
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 80; i++)
            v[i] = v[(i * 7 + 3) % 80] * v[(i * 11 + 5) % 80] + x[i];
    for (int i = 0; i < 80; i++)
        x[threadIdx.x + i * 1024] = v[i];
}
__global__ void __launch_bounds__(128) many(const float *a, float *c, int n)
{
    float s[16][8] = {};
    for (int k = 0; k < n; k++) {
        float p[16], q[8];
        for (int i = 0; i < 16; i++)
            p[i] = a[i + k * 16];
        for (int j = 0; j < 8; j++)
            q[j] = a[j * n + threadIdx.x];
        for (int i = 0; i < 16; i++)
            for (int j = 0; j < 8; j++)
                s[i][j] += p[i] * q[j];
    }
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 8; j++)
            c[(i * 8 + j) * 128 + threadIdx.x] = s[i][j];
}
__global__ void empty() {}
__global__ void spin(volatile int *flag)
{
    while (*flag == 0) {
    }
    flag[1] = 1;
}
__global__ void likely(int *x, int n)
{
    if (__builtin_expect(x[0] > n, 1))
        x[1] = 2;
    __builtin_assume(n > 0);
    for (int i = 0; i < n; i++)
        x[i + 2] = i;
    if (n == 77)
        __builtin_unreachable();
}
