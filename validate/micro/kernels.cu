// All kernels of the micro-benchmarks, as one module. Parameters of Pascal's code are constants in any case.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 700
#undef __grid_constant__
#define __grid_constant__
#define NO_ALLOCATE ".cg"
#else
#define NO_ALLOCATE ".L1::no_allocate"
#endif
#include "code.cuh"
#include "matrix.cuh"
#include "streams.cuh"
#include "units.cuh"

#if __CUDA_ARCH__ >= 800
#include "later.cuh"
#endif
#if __CUDA_ARCH__ == 900
#include "warpgroup.cuh"
#endif
#if __CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1000
#include "double.cuh"
#endif
#if __CUDA_ARCH__ >= 900
#include "engine.cuh"
#include "cluster.cuh"
#include "pipes.cuh"
#endif
#if __CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1200
#include "small.cuh"
#endif
