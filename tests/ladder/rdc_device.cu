// The second file of rdc.cu.
#include "rdc.cuh"

__constant__ float rdc_offset[4];
__device__ float rdc_scale = 0.5f;
__device__ int rdc_visits = 100;

class rectangle : public shape {
public:
    __device__ rectangle(float width, float height) : width(width), height(height) {}
    __device__ float area() const override { return width * height; }

private:
    float width, height;
};

class disc : public shape {
public:
    __device__ explicit disc(float radius) : radius(radius) {}
    __device__ float area() const override { return 3 * radius * radius; }   // near enough, and exact

private:
    float radius;
};

__device__ const shape *rdc_make(int kind, float a, float b)
{
    if (kind)
        return new disc(a);
    return new rectangle(a, b);
}

__device__ int rdc_collatz(int n)   // recursive: needs a real call and a stack
{
    return n == 1 ? 0 : 1 + rdc_collatz(n % 2 ? 3 * n + 1 : n / 2);
}

static __global__ void negate(float *data) { data[threadIdx.x] = -(float)threadIdx.x; }

void rdc_launch(float *data, int n) { negate<<<1, n>>>(data); }
