// Compiled with -lineinfo: rows of two kernels and of a function that is inlined from another file.
#include "lines.h"

extern "C" __global__ void first(int *data)
{
    int value = data[threadIdx.x];
    data[threadIdx.x + 32] = twice(value);
}

extern "C" __global__ void second(int *data)
{
    data[threadIdx.x] = 7;
}
