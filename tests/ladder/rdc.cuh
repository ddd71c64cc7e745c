// What rdc.cu and rdc_device.cu share.
#pragma once

class shape {
public:
    __device__ virtual float area() const = 0;
    __device__ virtual ~shape() {}
};

extern __constant__ float rdc_offset[4];
extern __device__ float rdc_scale;
extern __device__ int rdc_visits;
__device__ int rdc_collatz(int n);
__device__ const shape *rdc_make(int kind, float a, float b);
void rdc_launch(float *data, int n);
