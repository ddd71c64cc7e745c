// All kernels of the micro-benchmarks, as one module.
#include "streams.cuh"
