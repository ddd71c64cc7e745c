// Checked calls of the driver API, for programs that are linked with -lcuda.
#pragma once
#include "ladder.cuh"
#include <cuda.h>

inline void ladder_driver(CUresult result, const char *call, const char *file, int line)
{
    if (result == CUDA_SUCCESS)
        return;
    const char *name = "?";
    cuGetErrorName(result, &name);
    std::fprintf(stderr, "%s:%d: %s: %s (%d)\n", file, line, call, name, (int)result);
    std::exit(1);
}

#define DRIVER(call) ladder_driver((call), #call, __FILE__, __LINE__)
